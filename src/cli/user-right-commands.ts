import { type Command, Option } from 'commander';
import type { Permission, Role } from '../auth/permission.ts';
import { type RightsWish, setRights } from '../auth/set-rights.ts';
import { invalidOption, missingOption, print } from './print.ts';
import {
  addScopeOptions,
  describedRights,
  readPermission,
  readRefundLimit,
  readRole,
  readScope,
  roleChoices,
  type ScopeOptions,
  unknownUser,
} from './user-options.ts';
import { type ActingOptions, acting, withActor } from './with-actor.ts';

type Json = ActingOptions & { json?: boolean };

/** `user role | grant | revoke | payouts | payment-services | refund-limit`: changes what a user may do, within a second. */
export function addUserRightCommands(group: Command): void {
  const add = (name: string, description: string) =>
    acting(group.command(name).description(description).option('--json', 'print one JSON object'));
  add('role', `give a user another role: ${roleChoices()}; what was granted beside it stays`)
    .summary('give a user another role')
    .argument('<user>', 'the e-mail address')
    .argument('<role>', 'the role', readRole)
    .action((user: string, role: Role, options: Json) => change(user, { role }, options));
  add('grant', 'let a user do more than its role says')
    .argument('<user>', 'the e-mail address')
    .argument('<permission...>', 'such as payments:read', readPermissions)
    .action((user: string, grant: Permission[], options: Json) => change(user, { grant }, options));
  add('revoke', 'take back what was granted')
    .argument('<user>', 'the e-mail address')
    .argument('<permission...>', 'such as payments:read', readPermissions)
    .action((user: string, revoke: Permission[], options: Json) => change(user, { revoke }, options));
  add('payouts', 'let a user validate bank accounts, or no longer')
    .argument('<on|off>', 'whether the user may')
    .argument('<user>', 'the e-mail address')
    .action(payouts);
  addScopeOptions(add('payment-services', 'say whose payments a user sees; replaces what was said before'))
    .addOption(new Option('--none', 'the user sees no payment').conflicts(['paymentService', 'allPaymentServices']))
    .argument('<user>', 'the e-mail address')
    .action(paymentServices);
  add('refund-limit', 'say what a user may refund in a day, in place of what was said before')
    .argument('<user>', 'the e-mail address')
    .argument('<amount...>', '50000 for CLP, USD:100.00, or role for what the role says')
    .action(refundLimit);
}

/** Called with each value in turn; the list of before is undefined for the first. */
function readPermissions(text: string, before: Permission[] = []): Permission[] {
  return [...before, readPermission(text)];
}

async function payouts(one: string, other: string, options: Json): Promise<void> {
  // Both orders are natural: `payouts on ID` and `payouts ID on`.
  const [word, user] = one === 'on' || one === 'off' ? [one, other] : [other, one];
  if (word !== 'on' && word !== 'off') throw invalidOption('Say on or off: bin/rubrica user payouts on USER');
  const permissions: Permission[] = ['accounts:validate'];
  const changed = await set(user, word === 'on' ? { grant: permissions } : { revoke: permissions }, options);
  print(options, { user, payouts: changed.payouts }, [`Payouts of ${user} are ${word}.`]);
}

async function paymentServices(user: string, options: Json & ScopeOptions & { none?: boolean }): Promise<void> {
  const scope = options.none === true ? [] : readScope(options);
  if (scope === null) throw missingOption('Give --payment-service ID, --all-payment-services or --none.');
  await change(user, { paymentServices: scope }, options);
}

async function refundLimit(user: string, amounts: string[], options: Json): Promise<void> {
  const ofRole = amounts.length === 1 && amounts[0] === 'role';
  let limits = {};
  for (const amount of ofRole ? [] : amounts) limits = readRefundLimit(amount, limits);
  await change(user, { refundLimits: limits }, options);
}

async function change(user: string, wish: RightsWish, options: Json): Promise<void> {
  const changed = await set(user, wish, options);
  print(options, changed, [`${changed.email} from now on:`, ...describedRights(changed)]);
}

async function set(user: string, wish: RightsWish, options: Json) {
  const changed = await withActor(options, (app, by) => setRights(app, user, wish, by));
  if (changed === null) throw unknownUser(user);
  return changed;
}
