import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import type { Tx } from '../../db/database.ts';
import { selectStoreMark } from '../../epochs/epoch-queries.ts';
import { dayOf } from '../../lib/calendar-day.ts';
import { type Acceptance, type Anchor, type AnchorHead, anchorKey, macOf } from './anchor.ts';
import {
  type AnchorRow,
  insertAnchor,
  selectAllHeads,
  selectAnchorsOfDay,
  selectLastAnchor,
} from './anchor-queries.ts';

const HOUR_MS = 3_600_000;
/** Keeps every anchor less than a day apart, also without changes. */
const LONGEST_PAUSE_MS = 23 * HOUR_MS;

/**
 * Seals the ends of all chains if due: on the first call of a day in Chile, when the chains have grown and the last
 * anchor is an hour old, or when it is nearly a day old. `moved`: as soon as they have grown. `now`: in any case.
 * Returns the new anchor, or null. Concurrent processes make only one, but with `now` each makes its own. `accepted`: a
 * restore that a person accepts with it. `by`: the person who asked for it, if any. `after`: the anchor that it must
 * follow, or none is made; otherwise the last one.
 */
export async function makeAnchor(
  app: App,
  when: 'due' | 'moved' | 'now',
  asked: { accepted?: Acceptance; by?: Actor; after?: AnchorRow | null } = {},
): Promise<AnchorRow | null> {
  const { accepted, by, after } = asked;
  const last = after === undefined ? await selectLastAnchor(app.db) : after;
  const now = app.now();
  const day = dayOf(now);
  const age = now - (last?.made_at ?? 0);
  const isOwed = last === null || last.day !== day || age >= LONGEST_PAUSE_MS;
  if (when === 'due' && !isOwed && age < HOUR_MS) return null;
  const known = headsOf(last?.day === day ? await selectAnchorsOfDay(app.db, day) : []);
  const heads = await selectAllHeads(app.db);
  const moved = heads.filter((head) => known.get(chainOf(head)) !== `${head.link} ${head.hash}`);
  if (accepted === undefined && heads.length === 0) return null;
  if (moved.length === 0 && when !== 'now' && !isOwed) return null;
  const key = await anchorKey(app);
  const made = await app.db.transaction((tx) => seal(tx, key, last, { day, now, heads: moved, accepted, by }));
  // Another process took the number, and this anchor gets the next one.
  return made === null && when === 'now' && after === undefined ? makeAnchor(app, when, asked) : made;
}

type NewAnchor = {
  day: string;
  now: number;
  heads: AnchorHead[];
  accepted: Acceptance | undefined;
  by: Actor | undefined;
};

async function seal(
  tx: Tx,
  key: string,
  last: AnchorRow | null,
  { day, now, heads, accepted, by }: NewAnchor,
): Promise<AnchorRow | null> {
  const { epoch } = await selectStoreMark(tx);
  const anchor: Anchor = {
    number: (last?.number ?? 0) + 1,
    day,
    made_at: new Date(now).toISOString(),
    ...(epoch === 0 ? {} : { epoch }),
    ...(accepted === undefined ? {} : { accepted }),
    previous: last?.mac ?? '',
    heads: heads.map(({ chain, environment_id, link, hash }) => ({ chain, environment_id, link, hash })),
  };
  const content = JSON.stringify(anchor);
  const row = { number: anchor.number, day, made_at: now, content, mac: macOf(key, content) };
  if (!(await insertAnchor(tx, row))) return null;
  const subject = { kind: 'anchor', id: String(row.number) };
  if (by !== undefined) await recordAudit(tx, { at: now, by, action: 'books.anchored', subject });
  return row;
}

/** Names the chain of a head. */
export function chainOf({ chain, environment_id }: Pick<AnchorHead, 'chain' | 'environment_id'>): string {
  return `${chain} ${environment_id}`;
}

/** Reads the last end of each chain from the anchors of a day. */
function headsOf(rows: readonly AnchorRow[]): Map<string, string> {
  const heads = rows.flatMap(({ content }) => (JSON.parse(content) as Anchor).heads);
  return new Map(heads.map((head) => [chainOf(head), `${head.link} ${head.hash}`]));
}
