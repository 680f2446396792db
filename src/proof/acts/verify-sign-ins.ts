import type { App } from '../../app.ts';
import { addWrong, type Findings, GONE } from '../proof-finding.ts';
import {
  type FactorSaid,
  type HandoverSaid,
  type InvitationSaid,
  type RevivedSession,
  selectFactorsGone,
  selectFactorsSaid,
  selectHandoversSaid,
  selectInvitationsSaid,
  selectSessionsRevived,
} from './access-check-queries.ts';
import { type ComparedColumn, changesIn } from './compare-said.ts';
import { pagesById, readAct } from './read-acts.ts';

const PAGE = 500;

/**
 * Compares second factors, links that set a password, links to tokens, and open sessions, with the acts about them: who
 * deletes a factor needs the password alone, and a link or a session that ended opens again if somebody changes its
 * row.
 */
export async function verifySignIns(app: App, findings: Findings): Promise<void> {
  const add = (subject: string, since: number | null, wrong: readonly string[]) =>
    addWrong(findings, { finding: 'rights_changed', environment_id: null, subject, since }, wrong);
  for await (const factors of pagesById(PAGE, (after, limit) => selectFactorsSaid(app.db, after, limit))) {
    for (const factor of factors) {
      const { id, said_at, removed_at, created_at } = factor;
      add(`second factor ${id}`, removed_at ?? said_at ?? created_at, wrongFactor(factor));
    }
  }
  for (const { subject, said_at, said } of await selectFactorsGone(app.db, GONE)) {
    add(`second factor ${subject}`, said_at, [`it was deleted, of user ${String(readAct(said)['user'])}`]);
  }
  for await (const links of pagesById(PAGE, (after, limit) => selectInvitationsSaid(app.db, after, limit))) {
    for (const link of links) {
      const wrong = link.said_at === null ? ['it was never made by this service'] : changesIn(comparedLink(link));
      add(`invitation ${link.id}`, link.said_at ?? link.created_at, wrong);
    }
  }
  for await (const links of pagesById(PAGE, (after, limit) => selectHandoversSaid(app.db, after, limit))) {
    for (const link of links) add(`link to tokens ${link.id}`, link.made_at, changesIn(comparedHandover(link)));
  }
  for (const { id, since } of revivedOf(await selectSessionsRevived(app.db, app.now()))) {
    add(`session ${id}`, since, ['it was ended, and is open again']);
  }
}

/**
 * A factor that was removed, for example because its phone was stolen, proves its user again if its row is put back.
 */
function wrongFactor({ user_id, kind, created_at, said, said_at, removed_at }: FactorSaid): string[] {
  if (said === null) return ['it was never added by this service'];
  const act = readAct(said);
  const changes = changesIn([
    ['user', act['user'], user_id],
    ['kind', act['kind'], kind],
    ['created_at', said_at, created_at],
  ]);
  return removed_at === null ? changes : [...changes, 'it was removed, and is there again'];
}

/** A person who ends all other sessions keeps one: only a second one that is as old was opened again. */
function revivedOf(sessions: readonly RevivedSession[]): { id: string; since: number | null }[] {
  const others = Map.groupBy(
    sessions.filter(({ others_said_at }) => others_said_at !== null),
    ({ user_id }) => user_id,
  );
  return sessions
    .filter(({ user_id, end_said_at }) => end_said_at !== null || (others.get(user_id)?.length ?? 0) > 1)
    .map(({ id, end_said_at, others_said_at }) => ({ id, since: end_said_at ?? others_said_at }));
}

/** A link cannot be invented: its proof is keyed. A new Secret Token ends it without an act about it. */
function comparedHandover({ opened_at, ended_at, opened_said_at, end_said_at }: HandoverSaid): ComparedColumn[] {
  return [
    ...(opened_said_at === null ? [] : [['opened_at', opened_said_at, opened_at] as const]),
    ...(end_said_at === null ? [] : [['ended_at', end_said_at, ended_at] as const]),
  ];
}

/**
 * Only a link that was not used is ended. Earlier versions, whose acts do not say when a link expires, did not end
 * every open one when the user was disabled or got a new password.
 */
function comparedLink(link: InvitationSaid): ComparedColumn[] {
  const said = readAct(link.said);
  const { expires_at, used_at, ended_at, used_said_at, end_said_at } = link;
  const columns: ComparedColumn[] = [
    ['user', said['user'], link.user_id],
    ['created_at', link.said_at, link.created_at],
    ['created_by', link.said_by, link.created_by],
    ['used_at', used_said_at, used_at],
  ];
  if (said['expires_at'] === undefined) return columns;
  columns.push(['expires_at', said['expires_at'], expires_at]);
  if (used_said_at === null && end_said_at !== null && ended_at === null) columns.push(['ended_at', end_said_at, null]);
  return columns;
}
