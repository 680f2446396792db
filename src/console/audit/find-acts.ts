import type { App } from '../../app.ts';
import { type AuditFilter, hasActsOf, selectCommandLines } from '../../audit/audit-queries.ts';
import { type ListedAct, listAudit } from '../../audit/list-audit.ts';
import { selectUserByIdOrEmail, selectUsersLike } from '../../auth/user-queries.ts';

/** The most names, and the most actions, that a search looks for. The screen says when it leaves out more. */
export const MOST_FOUND = 20;

type Found = { acts: ListedAct[]; next: number | null; isCut: boolean };

/**
 * Lists the newest acts by the person or program `who` and of any of `actions`. `who` is a whole name or address; if
 * nobody has it, a part of one. The names are found first; one statement then finds the acts of all of them.
 */
export async function findActs(
  app: App,
  asked: { filter: AuditFilter; who: string; actions: readonly string[] },
  limit: number,
): Promise<Found> {
  const { who } = asked;
  const named = who === '' ? { filter: {}, count: 1 } : await namesOf(app, who);
  const isCut = named.count > MOST_FOUND || asked.actions.length > MOST_FOUND;
  if (named.count === 0) return { acts: [], next: null, isCut };
  // Words of a sentence are no action: the actions with such a sentence replace them.
  const { action: _words, ...others } = asked.filter;
  const filter = asked.actions.length === 0 ? asked.filter : { ...others, actions: asked.actions.slice(0, MOST_FOUND) };
  return { ...(await listAudit(app, { ...filter, ...named.filter }, limit)), isCut };
}

/** Returns a filter for the names, and how many there are. If a name equals the typed text, it is the only one. */
async function namesOf(app: App, typed: string): Promise<{ filter: AuditFilter; count: number }> {
  const who = typed.toLowerCase();
  const user = await selectUserByIdOrEmail(app.db, who);
  if (user !== null) return { filter: { who: user.id === who ? user.id : user.email }, count: 1 };
  if (await hasActsOf(app.db, typed)) return { filter: { who: typed }, count: 1 };
  const people = await selectUsersLike(app.db, who, MOST_FOUND + 1);
  const lines = (await selectCommandLines(app.db)).filter((name) => name.toLowerCase().includes(who));
  const users = people.slice(0, MOST_FOUND).map(({ id }) => id);
  const actors = lines.slice(0, MOST_FOUND - users.length);
  return { filter: { names: { users, actors } }, count: people.length + lines.length };
}
