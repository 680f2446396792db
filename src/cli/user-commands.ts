import { type Command, Option } from 'commander';
import { disableUser, enableUser, setPayouts } from '../auth/change-user.ts';
import { createUser } from '../auth/create-user.ts';
import { listUsers } from '../auth/list-users.ts';
import { resetApiToken, resetPassword } from '../auth/reset-secrets.ts';
import { alreadyDone, type CommandError, invalidOption, notFound, print, table, time } from './print.ts';
import { withApp } from './with-app.ts';

type Json = { json?: boolean };

/** `user create | list | disable | enable | payouts | reset-password | reset-api-token`. A user is named by id or e-mail. */
export function addUserCommands(program: Command): void {
  const group = program.command('user').description('people and programs that use the API');
  const add = (name: string, description: string) =>
    group.command(name).description(description).option('--json', 'print one JSON object');
  add(
    'create',
    'make a user, who may read every payment and give its money back (POST /trxs/{id}/nullification), of all payment services unless --payment-service is given; password and API token are shown once',
  )
    .summary('make a user; password and API token are shown once')
    .requiredOption('--email <email>', 'what the user logs in with')
    .option('--payouts', 'may validate bank accounts')
    .addOption(
      new Option(
        '--payment-service <id>',
        'reads and refunds this one only; can be given again; without it: all of the installation',
      )
        .argParser((id: string, before: string[]) => [...before, id])
        .default([], 'all'),
    )
    .action(create);
  add('list', 'users and what they may see').action(list);
  add('disable', 'cannot log in from now on; access tokens fail within a second').argument('<user>').action(disable);
  add('enable', 'can log in again; access tokens of before stay revoked').argument('<user>').action(enable);
  add('payouts', 'let a user validate bank accounts, or no longer')
    .argument('<on|off>')
    .argument('<user>')
    .action(payouts);
  add('reset-password', 'a new password, shown once; revokes every access token')
    .argument('<user>')
    .action(renewPassword);
  add('reset-api-token', 'a new API token, shown once; revokes every access token')
    .argument('<user>')
    .action(renewApiToken);
}

async function create(options: Json & { email: string; payouts?: boolean; paymentService: string[] }): Promise<void> {
  const created = await withApp((app) =>
    createUser(app, {
      email: options.email,
      payouts: options.payouts === true,
      paymentServiceIds: options.paymentService,
    }),
  );
  print(options, created, [
    `User ${created.id}. Password and API token are shown once.`,
    `  e-mail     ${created.email}`,
    `  password   ${created.password}`,
    `  API token  ${created.api_token}`,
    `  payouts    ${created.payouts ? 'on' : 'off'}`,
  ]);
}

async function list(options: Json): Promise<void> {
  const users = await withApp(listUsers);
  const rows = users.map((user) => [
    user.id,
    user.email,
    user.disabled_at === null ? 'enabled' : 'disabled',
    user.payouts ? 'on' : 'off',
    user.payment_services === null ? 'all' : user.payment_services.join(' '),
    time(user.created_at),
  ]);
  const head = ['ID', 'E-MAIL', 'STATE', 'PAYOUTS', 'PAYMENT SERVICES', 'SINCE (UTC)'];
  print(options, { users }, rows.length === 0 ? ['No user yet.'] : table([head, ...rows]));
}

async function disable(user: string, options: Json): Promise<void> {
  const outcome = await withApp((app) => disableUser(app, user));
  if (outcome === 'unknown') throw unknownUser(user);
  if (outcome === 'already') throw alreadyDone(`${user} is disabled already.`);
  print(options, { user, disabled: true }, [`${user} is disabled.`]);
}

async function enable(user: string, options: Json): Promise<void> {
  const outcome = await withApp((app) => enableUser(app, user));
  if (outcome === 'unknown') throw unknownUser(user);
  if (outcome === 'already') throw alreadyDone(`${user} is enabled already.`);
  print(options, { user, disabled: false }, [`${user} is enabled.`]);
}

async function payouts(one: string, other: string, options: Json): Promise<void> {
  // Both orders are natural: `payouts on ID` and `payouts ID on`.
  const [word, user] = one === 'on' || one === 'off' ? [one, other] : [other, one];
  if (word !== 'on' && word !== 'off') throw invalidOption('Say on or off: bin/rubrica user payouts on USER');
  if (!(await withApp((app) => setPayouts(app, user, word === 'on')))) throw unknownUser(user);
  print(options, { user, payouts: word === 'on' }, [`Payouts of ${user} are ${word}.`]);
}

async function renewPassword(user: string, options: Json): Promise<void> {
  const renewed = await withApp((app) => resetPassword(app, user));
  if (renewed === null) throw unknownUser(user);
  print(options, renewed, [`New password of ${renewed.email}, shown once:`, `  ${renewed.password}`]);
}

async function renewApiToken(user: string, options: Json): Promise<void> {
  const renewed = await withApp((app) => resetApiToken(app, user));
  if (renewed === null) throw unknownUser(user);
  print(options, renewed, [`New API token of ${renewed.email}, shown once:`, `  ${renewed.api_token}`]);
}

function unknownUser(user: string): CommandError {
  return notFound(`There is no such user: ${user}. See bin/rubrica user list`);
}
