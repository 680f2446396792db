import { type Command, Option } from 'commander';
import type { Permission, Role } from '../../auth/permission.ts';
import { type RightsWish, setRights } from '../../auth/set-rights.ts';
import { invalidOption, missingOption, print } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import {
  addScopeOptions,
  describedRights,
  lostRights,
  readPermission,
  readRefundLimit,
  readRole,
  readScope,
  roleChoices,
  type ScopeOptions,
  unknownUser,
} from './user-options.ts';

/**
 * `user role | grant | revoke | payouts | payment-services | refund-limit`: changes a user's rights. A change takes
 * effect within a second.
 */
export function addUserRightCommands(group: Command): void {
  const add = (name: string, description: string) =>
    acting(group.command(name).description(description).option('--json', 'print one JSON object'));
  add('role', `give a user another role: ${roleChoices()}; granted permissions stay`)
    .summary('give a user another role')
    .argument('<user>', 'e-mail address of the user')
    .argument('<role>', 'the role', readRole)
    .action((user: string, role: Role, options: ActingOptions) => change(user, { role }, options));
  add('grant', 'grant a permission beyond the role')
    .argument('<user>', 'e-mail address of the user')
    .argument('<permission...>', 'permission, such as payments:read', readPermissions)
    .action((user: string, grant: Permission[], options: ActingOptions) => change(user, { grant }, options));
  add('revoke', 'revoke a granted permission')
    .argument('<user>', 'e-mail address of the user')
    .argument('<permission...>', 'permission, such as payments:read', readPermissions)
    .action((user: string, revoke: Permission[], options: ActingOptions) => change(user, { revoke }, options));
  add('payouts', 'allow or forbid validating bank accounts')
    .argument('<on|off>', 'on or off')
    .argument('<user>', 'e-mail address of the user')
    .action(payouts);
  addScopeOptions(
    add(
      'payment-services',
      'set the payment services that a user sees; replaces the earlier list, and names what was removed',
    ),
  )
    .addOption(new Option('--none', 'the user sees no payments').conflicts(['paymentService', 'allPaymentServices']))
    .argument('<user>', 'e-mail address of the user')
    .action(paymentServices);
  add('refund-limit', 'set the daily refund limits of a user; replaces the earlier ones')
    .argument('<user>', 'e-mail address of the user')
    .argument('<amount...>', '50000 (CLP), USD:100.00, or `role` for the default of the role')
    .action(refundLimit);
}

/** Adds a permission to those already read. Commander calls it for each value. */
function readPermissions(text: string, before: Permission[] = []): Permission[] {
  return [...before, readPermission(text)];
}

async function payouts(one: string, other: string, options: ActingOptions): Promise<void> {
  // Accept both orders: `payouts on ID` and `payouts ID on`.
  const [word, user] = one === 'on' || one === 'off' ? [one, other] : [other, one];
  if (word !== 'on' && word !== 'off') throw invalidOption('Say on or off: bin/rubrica user payouts on USER');
  const permissions: Permission[] = ['accounts:validate'];
  const changed = await set(user, word === 'on' ? { grant: permissions } : { revoke: permissions }, options);
  print(options, { user, payouts: changed.payouts }, [`Payouts of ${user} are ${word}.`]);
}

async function paymentServices(
  user: string,
  options: ActingOptions & ScopeOptions & { none?: boolean },
): Promise<void> {
  const scope = options.none === true ? [] : readScope(options);
  if (scope === null) throw missingOption('Give --payment-service ID, --all-payment-services or --none.');
  await change(user, { paymentServices: scope }, options);
}

async function refundLimit(user: string, amounts: string[], options: ActingOptions): Promise<void> {
  const ofRole = amounts.length === 1 && amounts[0] === 'role';
  let limits = {};
  for (const amount of ofRole ? [] : amounts) limits = readRefundLimit(amount, limits);
  await change(user, { refundLimits: limits }, options);
}

async function change(user: string, wish: RightsWish, options: ActingOptions): Promise<void> {
  const changed = await set(user, wish, options);
  const lines = [...describedRights(changed), ...lostRights(changed.before, changed)];
  print(options, changed, [`${changed.email} from now on:`, ...lines]);
}

async function set(user: string, wish: RightsWish, options: ActingOptions) {
  const changed = await withActor(options, (app, by) => setRights(app, user, wish, by));
  if (changed === null) throw unknownUser(user);
  return changed;
}
