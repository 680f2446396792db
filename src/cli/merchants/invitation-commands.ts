import { type Command, Option } from 'commander';
import { endInvitation, inviteUser, listInvitations } from '../../auth/invitations/invite-user.ts';
import { listUsers } from '../../auth/list-users.ts';
import type { Permission, Role } from '../../auth/permission.ts';
import { publicBase } from '../../checkout/pay-link.ts';
import { readValidity } from '../options.ts';
import { listTable, notFound, print, time } from '../print.ts';
import { type ActingOptions, acting, BEGINS, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
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
} from './user-options.ts';

const THREE_DAYS_MS = 3 * 24 * 60 * 60_000;

/** `user invite` and `user invitation list | end`: invited people set their own password and second factor. */
export function addInvitationCommands(users: Command): void {
  addScopeOptions(
    addAddress(acting(users.command('invite')), 'e-mail address; inviting again replaces an unused link')
      .description('create a person and a one-time link to set password and second factor in the browser')
      .addOption(
        new Option(
          '--role <role>',
          `role; without it a new person is like a program and may do nothing: ${roleChoices()}`,
        ).argParser(readRole),
      )
      .addOption(mayOption())
      .addOption(refundLimitOption())
      .addOption(
        new Option('--valid <duration>', 'how long the link works, from 15m to 14d')
          .argParser(readValidity)
          .default(THREE_DAYS_MS, '3d'),
      )
      .option('--json', 'print one JSON object'),
  ).action(invite);
  const group = users.command('invitation').description('list and end unused invitations');
  group.command('list').description('list unused invitations').option('--json', 'print one JSON object').action(list);
  acting(group.command('end'))
    .description('revoke an unused invitation')
    .argument('<id>', 'ID from the list')
    .option('--json', 'print one JSON object')
    .action(end);
}

type InviteOptions = ActingOptions &
  ScopeOptions & { email?: string; role?: Role; may: Permission[]; refundLimit: Record<string, number>; valid: number };

async function invite(address: string | undefined, options: InviteOptions): Promise<void> {
  const email = readAddress(address, options);
  const { role, may, refundLimit: refundLimits, valid } = options;
  const paymentServices = readScope(options);
  // For a person who was invited before, only the given options are compared with the existing rights.
  const wish = {
    email,
    ...(role !== undefined && { role }),
    ...(may.length > 0 && { may }),
    ...(paymentServices !== null && { paymentServices }),
    ...(Object.keys(refundLimits).length > 0 && { refundLimits }),
  };
  const { made, link, invited } = await withActor(
    options,
    async (app, by) => {
      const made = await inviteUser(app, wish, valid, by);
      const invited = (await listUsers(app)).filter(({ id }) => id === made.user);
      return { made, invited, link: `${publicBase(app)}/console/invitation/${made.token}` };
    },
    BEGINS,
  );
  const { id, user, expires_at } = made;
  print(options, { id, user, email: made.email, link, expires_at }, [
    `Send this link to ${made.email}. It works once, until ${time(expires_at)}:`,
    `  ${link}`,
    ...(made.ended === 0 ? [] : ['The earlier link no longer works: this one replaces it.']),
    'The person will have these rights:',
    ...invited.flatMap(describedRights),
  ]);
}

async function list(options: { json?: boolean }): Promise<void> {
  const { invitations, now } = await withApp(async (app) => ({
    invitations: await listInvitations(app),
    now: app.now(),
  }));
  const rows = invitations.map(({ id, email, role, created_by, created_at, expires_at }) => ({
    ID: id,
    'E-MAIL': email,
    ROLE: role,
    BY: created_by,
    'SINCE (CHILE)': time(created_at),
    'WORKS UNTIL (CHILE)': expires_at <= now ? 'over' : time(expires_at),
  }));
  print(options, { invitations }, listTable(rows, 'No invitation is open.'));
}

async function end(id: string, options: ActingOptions): Promise<void> {
  const ended = await withActor(options, (app, by) => endInvitation(app, id, by));
  if (!ended) throw notFound(`There is no open invitation ${id}: bin/rubrica user invitation list`);
  print(options, { id, ended: true }, [`${id} has ended.`]);
}
