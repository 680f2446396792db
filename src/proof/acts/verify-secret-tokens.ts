import type { App } from '../../app.ts';
import { addWrong, type Findings } from '../proof-finding.ts';
import { changesIn } from './compare-said.ts';
import { arrivalOf, readAct } from './read-acts.ts';
import { selectTokenParts, type TokenPart } from './route-check-queries.ts';

/** `at`: when it was made. `closes_at` null: it stays open. */
type Token = Pick<TokenPart, 'at' | 'closes_at'>;

/**
 * Compares how many Secret Tokens these payment services have and when they close with the acts that made new ones: a
 * token that was replaced because a stranger knew it signs again if somebody changes its row. Of the tokens from before
 * the audit log or an arrival from another database, it compares that they close with the first new one since.
 */
export async function verifySecretTokens(
  app: App,
  findings: Findings,
  services: readonly { id: string; created_at: number }[],
  { arrivals, since }: { arrivals: ReadonlyMap<string, number>; since: number },
): Promise<void> {
  const made = new Map(services.map(({ id, created_at }) => [id, created_at]));
  const parts = await selectTokenParts(app.db, [...made.keys()]);
  const byEnvironment = Map.groupBy(parts, (part) => {
    const environment = part.action === null ? part.environment : readAct(part.said)['environment'];
    return `${part.payment_service_id} in ${String(environment)}`;
  });
  for (const [name, of] of byEnvironment) {
    const { payment_service_id } = of[0] as TokenPart;
    const tokens = of.filter(({ action }) => action === null);
    const acts = of.filter(({ action }) => action !== null);
    const from = Math.max(since - 1, arrivalOf(arrivals, payment_service_id));
    const wrong = wrongIn(tokens, acts, { from, begun: made.get(payment_service_id) ?? 0 });
    const subject = `Secret Tokens of ${name}`;
    const environment_id = tokens[0]?.environment_id ?? null;
    const at = acts.at(-1)?.at ?? null;
    addWrong(findings, { finding: 'payment_service_changed', environment_id, subject, since: at }, wrong);
  }
}

type Time = { from: number; begun: number };

function wrongIn(tokens: readonly TokenPart[], acts: readonly TokenPart[], { from, begun }: Time): string[] {
  const known = [...expected(acts, begun)].filter(({ at }) => at > from);
  const least = leastOf(acts.filter(({ at }) => at > from));
  const older = tokens.filter(({ at }) => at <= from);
  const wrong = older.flatMap(({ closes_at }) =>
    least === null || (closes_at !== null && closes_at <= least) ? [] : changesIn([['closes_at', least, closes_at]]),
  );
  // Also those whose time somebody set to a text, which SQLite stores.
  const newer = Map.groupBy(
    tokens.filter(({ at }) => !(at <= from)),
    ({ at }) => at,
  );
  const said = Map.groupBy(known, ({ at }) => at);
  for (const at of new Set([...newer.keys(), ...said.keys()])) {
    const [is, was] = [inOrder(newer.get(at) ?? []), inOrder(said.get(at) ?? [])];
    if (is.length !== was.length) wrong.push(...changesIn([[`tokens made at ${at}`, was.length, is.length]]));
    else wrong.push(...was.flatMap((closes, place) => changesIn([['closes_at', closes, is[place]]])));
  }
  return wrong;
}

/** Returns the tokens that the acts made, after the first one, with the time at which each closes by the later acts. */
function expected(acts: readonly TokenPart[], begun: number): Token[] {
  return [begun, ...acts.map(({ at }) => at)].map((at, place) => ({ at, closes_at: leastOf(acts.slice(place)) }));
}

/** A new token closes the earlier ones, unless they close sooner. */
function leastOf(acts: readonly TokenPart[]): number | null {
  const times = acts.map(({ said }) => Date.parse(String(readAct(said)['closes_at'])));
  return times.length === 0 ? null : Math.min(...times);
}

/** Several tokens may be of the same millisecond. */
function inOrder(tokens: readonly Token[]): (number | null)[] {
  return tokens
    .map(({ closes_at }) => closes_at)
    .sort((one, other) => (one ?? Number.MAX_SAFE_INTEGER) - (other ?? Number.MAX_SAFE_INTEGER));
}
