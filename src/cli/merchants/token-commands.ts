import type { Command } from 'commander';
import { endSession, endSessionsOf } from '../../auth/sign-in/end-sessions.ts';
import { listSessions } from '../../auth/sign-in/list-sessions.ts';
import { endApiToken } from '../../auth/tokens/end-api-token.ts';
import { findApiTokenOwner, listApiTokens } from '../../auth/tokens/list-api-tokens.ts';
import { makeApiToken } from '../../auth/tokens/make-api-token.ts';
import { readDuration } from '../options.ts';
import { alreadyDone, countOf, invalidOption, listTable, missingOption, notFound, print, time } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import { unknownUser } from './user-options.ts';
import { webhookLines, webhooksLeft } from './webhooks-left.ts';

/** `user token list | create | end`: the API tokens that programs log in with. */
export function addTokenCommands(users: Command): void {
  const add = adder(users.command('token').description('manage API tokens of programs'));
  add('list', 'list the API tokens of a user, with their last use')
    .argument('<user>', 'e-mail address of the user')
    .action(listTokens);
  acting(add('create', 'create another API token and show it once'))
    .argument('<user>', 'e-mail address of the user')
    .requiredOption('--name <name>', 'purpose, such as the program that uses it')
    .option('--expires <duration>', 'lifetime, such as 90d or 24h', readLifetime)
    .action(createToken);
  acting(add('end', 'revoke an API token; access tokens made with it fail within a second'))
    .argument('<id>', 'ID from `user token list`')
    .action(endToken);
}

/** `user session list | end`: the logged-in sessions. */
export function addSessionCommands(users: Command): void {
  const add = adder(users.command('session').description('list and end sessions (access tokens)'));
  add('list', 'list the valid sessions of a user').argument('<user>', 'e-mail address of the user').action(list);
  acting(add('end', 'end a session, or all sessions of a user, within a second'))
    .argument('[id]', 'ID from the list')
    .option('--all <user>', 'all sessions of this user')
    .action(end);
}

function adder(group: Command) {
  return (name: string, description: string) =>
    group.command(name).description(description).option('--json', 'print one JSON object');
}

async function listTokens(user: string, options: { json?: boolean }): Promise<void> {
  const tokens = await withApp((app) => listApiTokens(app, user));
  if (tokens === null) throw unknownUser(user);
  const rows = tokens.map((token) => ({
    ID: token.id,
    NAME: token.name,
    'MADE (CHILE)': time(token.created_at),
    'MADE BY': token.created_by ?? '',
    'LAST USE (CHILE)': time(token.last_used_at),
    'EXPIRES (CHILE)': time(token.expires_at),
    'ENDED (CHILE)': time(token.ended_at),
  }));
  print(options, { tokens }, listTable(rows, 'No API token.'));
}

function readLifetime(text: string): number {
  const lasts = readDuration(text);
  if (lasts === 0) throw invalidOption('--expires is more than 0, such as 90d.');
  return lasts;
}

async function createToken(user: string, options: ActingOptions & { name: string; expires?: number }): Promise<void> {
  const { name, expires } = options;
  const made = await withActor(options, (app, by) =>
    makeApiToken(app, user, { name, expiresAt: expires === undefined ? null : app.now() + expires }, by),
  );
  if (made === null) throw unknownUser(user);
  print(options, made, [
    `API token ${made.id} (${made.name}) of ${made.email}, shown once:`,
    `  ${made.api_token}`,
    ...(made.expires_at === null ? [] : [`  expires ${time(made.expires_at)}`]),
  ]);
}

async function endToken(id: string, options: ActingOptions): Promise<void> {
  const { outcome, owner, webhooks } = await withActor(options, async (app, by) => {
    const ended = await endApiToken(app, id, by);
    const user = (await findApiTokenOwner(app, id)) ?? '';
    return { outcome: ended, owner: user, webhooks: await webhooksLeft(app, user) };
  });
  if (outcome === 'unknown') throw notFound(`There is no API token ${id}: bin/rubrica user token list USER`);
  if (outcome === 'already') throw alreadyDone(`${id} has ended already.`);
  print(options, { id, ended: true, webhooks }, [
    `${id} has ended, and every access token made with it.`,
    ...webhookLines(owner, 'The webhooks of its user go on. Check who set each:', webhooks),
  ]);
}

async function list(user: string, options: { json?: boolean }): Promise<void> {
  const sessions = await withApp((app) => listSessions(app, user));
  if (sessions === null) throw unknownUser(user);
  const rows = sessions.map((session) => ({
    ID: session.id,
    BY: session.api_token_id ?? session.kind,
    FROM: session.origin ?? '—',
    'BEGAN (CHILE)': time(session.created_at),
    'LAST USE (CHILE)': time(session.last_used_at),
    'ENDS (CHILE)': time(session.expires_at),
  }));
  print(options, { sessions }, listTable(rows, 'Nobody is logged in.'));
}

async function end(id: string | undefined, options: ActingOptions & { all?: string }): Promise<void> {
  const { all } = options;
  if ((id === undefined) === (all === undefined)) throw missingOption('Give the id of a session, or --all USER.');
  if (all !== undefined) {
    const ended = await withActor(options, (app, by) => endSessionsOf(app, all, by));
    if (ended === null) throw unknownUser(all);
    print(options, { user: all, ended }, [
      `${countOf(ended, 'session')} of ${all} ${ended === 1 ? 'has' : 'have'} ended.`,
    ]);
    return;
  }
  const outcome = await withActor(options, (app, by) => endSession(app, id as string, by));
  if (outcome === 'unknown') throw notFound(`There is no session ${id}: bin/rubrica user session list USER`);
  if (outcome === 'already') throw alreadyDone(`${id} has ended already.`);
  print(options, { id, ended: true }, [`${id} has ended.`]);
}
