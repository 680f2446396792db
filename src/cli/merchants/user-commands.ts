import { type Command, Option } from 'commander';
import { disableUser, enableUser } from '../../auth/change-user.ts';
import { createUser } from '../../auth/create-user.ts';
import { listUsers } from '../../auth/list-users.ts';
import { type Permission, permissionsOf, type Role } from '../../auth/permission.ts';
import { resetApiToken, resetPassword } from '../../auth/reset-secrets.ts';
import { alreadyDone, listTable, print, time } from '../print.ts';
import { type ActingOptions, acting, BEGINS, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import { addFactorCommands } from './factor-commands.ts';
import { addInvitationCommands } from './invitation-commands.ts';
import { addSessionCommands, addTokenCommands } from './token-commands.ts';
import {
  addAddress,
  addScopeOptions,
  describedRights,
  mayOption,
  readAddress,
  readRole,
  readScope,
  refundLimitOption,
  roleChoices,
  type ScopeOptions,
  unknownUser,
} from './user-options.ts';
import { addUserRightCommands } from './user-right-commands.ts';
import { changeUser, webhookLines } from './webhooks-left.ts';

/** `user …`: the users of the API, their rights and credentials. A user is named by id or e-mail address. */
export function addUserCommands(program: Command): void {
  const group = program.command('user').description('manage users (people and programs) and their permissions');
  const add = (name: string, description: string) =>
    group.command(name).description(description).option('--json', 'print one JSON object');
  const addChange = (name: string, description: string) => acting(add(name, description));
  const adding = addChange(
    'create',
    'create a user and show password and API token once; without --role it is a program with the permissions of --may and --payouts; without --may but with a payment service it creates and reads payments',
  ).summary('make a user; password and API token are shown once');
  addScopeOptions(
    addAddress(adding, 'e-mail address with which the user logs in')
      .addOption(new Option('--role <role>', `role of the user: ${roleChoices()}`).argParser(readRole))
      .addOption(mayOption())
      .option('--payouts', 'allow validating bank accounts, like --may accounts:validate')
      .addOption(refundLimitOption()),
  ).action(create);
  add('list', 'list users, their permissions beyond the role and the payment services they see; --json has all').action(
    list,
  );
  addChange('disable', 'disable a user: no log-in; access tokens fail within a second')
    .argument('<user>', 'e-mail address of the user')
    .action(disable);
  addChange('enable', 'enable a user again; old access tokens stay revoked')
    .argument('<user>', 'e-mail address of the user')
    .action(enable);
  addUserRightCommands(group);
  addTokenCommands(group);
  addSessionCommands(group);
  addFactorCommands(group);
  addInvitationCommands(group);
  addChange('reset-password', 'set a new password and show it once; revokes every access token')
    .argument('<user>', 'e-mail address of the user')
    .action(renewPassword);
  addChange('reset-api-token', 'set a new API token and show it once; revokes every access token')
    .argument('<user>', 'e-mail address of the user')
    .action(renewApiToken);
}

type CreateOptions = ActingOptions &
  ScopeOptions & {
    email?: string;
    role?: Role;
    may: Permission[];
    payouts?: boolean;
    refundLimit: Record<string, number>;
  };

/**
 * The permissions of a user with payment services but without a role or permissions. Commands for older shops create
 * such users; refunds are not included.
 */
const UNSAID: readonly Permission[] = ['payments:read', 'payments:create', 'events:read'];

async function create(address: string | undefined, options: CreateOptions): Promise<void> {
  const email = readAddress(address, options);
  const { role = 'integration' } = options;
  const paymentServices = readScope(options) ?? [];
  const unsaid = options.role === undefined && options.may.length === 0 && paymentServices.length > 0;
  const may: Permission[] = [
    ...(unsaid ? UNSAID : options.may),
    ...(options.payouts === true ? (['accounts:validate'] as const) : []),
  ];
  const created = await withActor(
    options,
    (app, by) => createUser(app, { email, role, may, paymentServices, refundLimits: options.refundLimit }, by),
    BEGINS,
  );
  print(options, created, [
    `User ${created.id}. Password and API token are shown once.`,
    `  e-mail     ${created.email}`,
    `  password   ${created.password}`,
    `  API token  ${created.api_token}`,
    ...describedRights(created),
  ]);
}

async function list(options: { json?: boolean }): Promise<void> {
  const users = await withApp(listUsers);
  const rows = users.map((user) => ({
    'E-MAIL': user.email,
    STATE: user.disabled_at === null ? 'enabled' : 'disabled',
    ROLE: user.role,
    'PAYMENT SERVICES': seenBy(user.payment_services),
    '2ND FACTOR': user.second_factor ? 'yes' : 'no',
    'LAST LOG-IN (CHILE)': time(user.last_log_in_at),
    'BEYOND THE ROLE': beyondRole(user).join(' ') || '—',
  }));
  print(options, { users }, listTable(rows, 'No user yet.'));
}

/** Names the first payment service that a user sees, and counts the others: a list is for a terminal. */
function seenBy(paymentServices: readonly string[] | null): string {
  if (paymentServices === null) return 'all';
  const [first = 'none', ...others] = paymentServices;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

/** Returns the permissions that a user has besides the permissions of its role, which docs/people.md lists. */
function beyondRole({ role, permissions }: { role: Role; permissions: readonly Permission[] }): Permission[] {
  const ofRole = permissionsOf(role, []);
  return permissions.filter((one) => !ofRole.has(one));
}

async function disable(user: string, options: ActingOptions): Promise<void> {
  const { outcome, webhooks } = await changeUser(user, options, disableUser);
  if (outcome === 'unknown') throw unknownUser(user);
  if (outcome === 'already') throw alreadyDone(`${user} is disabled already.`);
  print(options, { user, disabled: true, webhooks }, [
    `${user} is disabled.`,
    ...webhookLines(
      user,
      'Its webhooks get nothing while it is disabled; posts that wait end with their next attempt:',
      webhooks,
    ),
  ]);
}

async function enable(user: string, options: ActingOptions): Promise<void> {
  const { outcome, webhooks } = await changeUser(user, options, enableUser);
  if (outcome === 'unknown') throw unknownUser(user);
  if (outcome === 'already') throw alreadyDone(`${user} is enabled already.`);
  print(options, { user, disabled: false, webhooks }, [
    `${user} is enabled.`,
    ...webhookLines(user, 'Its webhooks get events again:', webhooks),
  ]);
}

/** Of a user whose credential was replaced. A thief of the old one may have set a webhook. */
const GO_ON = 'Its webhooks go on. Check that each is its own:';

async function renewPassword(user: string, options: ActingOptions): Promise<void> {
  const { outcome: renewed, webhooks } = await changeUser(user, options, resetPassword);
  if (renewed === null) throw unknownUser(user);
  print(options, { ...renewed, webhooks }, [
    `New password of ${renewed.email}, shown once:`,
    `  ${renewed.password}`,
    ...webhookLines(renewed.email, GO_ON, webhooks),
  ]);
}

async function renewApiToken(user: string, options: ActingOptions): Promise<void> {
  const { outcome: renewed, webhooks } = await changeUser(user, options, resetApiToken);
  if (renewed === null) throw unknownUser(user);
  print(options, { ...renewed, webhooks }, [
    `New API token of ${renewed.email}, shown once:`,
    `  ${renewed.api_token}`,
    ...webhookLines(renewed.email, GO_ON, webhooks),
  ]);
}
