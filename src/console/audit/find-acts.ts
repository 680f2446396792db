import type { App } from '../../app.ts';
import { type AuditFilter, hasActsOf, selectCommandLines } from '../../audit/audit-queries.ts';
import { type ListedAct, listAudit } from '../../audit/list-audit.ts';
import { selectUserByIdOrEmail, selectUsersLike } from '../../auth/user-queries.ts';

/** The most names, and the most actions, that a search looks for. The screen says when it leaves out more. */
export const MOST_FOUND = 20;

type Found = { acts: ListedAct[]; next: number | null; isCut: boolean };

/**
 * Lists the newest acts by the person or program `who` and of any of `actions`. `who` is a whole name or address; if
 * nobody has it, a part of one. The names are found first, then the acts of each by their index, so a log of millions
 * of acts is never scanned.
 */
export async function findActs(
  app: App,
  asked: { filter: AuditFilter; who: string; actions: readonly string[] },
  limit: number,
): Promise<Found> {
  const { filter, who } = asked;
  const names = who === '' ? [filter] : await namesOf(app, filter, who);
  const actions = asked.actions.slice(0, MOST_FOUND);
  const isCut = names.length > MOST_FOUND || asked.actions.length > MOST_FOUND;
  const filters = names
    .slice(0, MOST_FOUND)
    .flatMap((one) => (actions.length === 0 ? [one] : actions.map((action) => ({ ...one, action }))));
  const [only, ...others] = filters;
  if (only === undefined) return { acts: [], next: null, isCut };
  if (others.length === 0) return { ...(await listAudit(app, only, limit)), isCut };
  let acts: ListedAct[] = [];
  let isMore = false;
  for (const one of filters) {
    const found = await listAudit(app, one, limit);
    acts = [...acts, ...found.acts].sort((a, b) => b.id - a.id);
    isMore ||= found.next !== null || acts.length > limit;
    acts = acts.slice(0, limit);
  }
  return { acts, next: isMore ? (acts.at(-1)?.id ?? null) : null, isCut };
}

/** Returns one filter for each name. If a name equals the typed text, it is the only one. */
async function namesOf(app: App, filter: AuditFilter, typed: string): Promise<AuditFilter[]> {
  const who = typed.toLowerCase();
  const user = await selectUserByIdOrEmail(app.db, who);
  if (user !== null) return [{ ...filter, who: user.id === who ? user.id : user.email }];
  if (await hasActsOf(app.db, typed)) return [{ ...filter, who: typed }];
  const users = await selectUsersLike(app.db, who, MOST_FOUND + 1);
  const lines = (await selectCommandLines(app.db)).filter((name) => name.toLowerCase().includes(who));
  return [...users.map(({ id }) => ({ ...filter, user: id })), ...lines.map((name) => ({ ...filter, actor: name }))];
}
