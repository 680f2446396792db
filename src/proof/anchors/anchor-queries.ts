import type { InsertTarget, Reader, SqlRow, Tx } from '../../db/database.ts';
import type { AnchorHead } from './anchor.ts';

/** A row of `anchors`. `content` is the sealed text, `made_at` in UTC milliseconds. */
export type AnchorRow = SqlRow & { number: number; day: string; made_at: number; content: string; mac: string };

const ANCHORS: InsertTarget = { name: 'anchors', columns: ['number', 'day', 'made_at', 'content', 'mac'] };

/** Inserts an anchor. Returns false if another process has taken its number. */
export async function insertAnchor(tx: Tx, row: AnchorRow): Promise<boolean> {
  const rows = await tx.insertRows(ANCHORS, [row], 'on conflict (number) do nothing returning number');
  return rows.length === 1;
}

export async function selectLastAnchor(db: Reader): Promise<AnchorRow | null> {
  const [row] = await db.query<AnchorRow>('select * from anchors order by number desc limit 1');
  return row ?? null;
}

export function selectAnchorsOfDay(db: Reader, day: string): Promise<AnchorRow[]> {
  return db.query<AnchorRow>('select * from anchors where day = $1 order by number', [day]);
}

/** Reads the next anchors in order. */
export function selectAnchorsAfter(db: Reader, number: number, limit: number): Promise<AnchorRow[]> {
  return db.query<AnchorRow>('select * from anchors where number > $1 order by number limit $2', [number, limit]);
}

/** Reads the end of every chain: of the books and the facts of each environment, of the feed, and of the audit log. */
export function selectAllHeads(db: Reader): Promise<(SqlRow & AnchorHead)[]> {
  return db.query(
    `select 'books' as chain, environment_id, link, hash from journal_heads
     union all select 'facts', environment_id, link, hash from book_fact_heads
     union all select 'feed', 0, link, hash from (select link, hash from feed_links order by link desc limit 1) as last
     union all select 'audit', 0, link, hash from audit_head where link > 0
     order by 1, 2`,
  );
}

const LINKS: Record<AnchorHead['chain'], string> = {
  books: 'select link, hash from journal_entries where environment_id = $2 and line = 0 and link {among $1}',
  facts: 'select link, hash from book_facts where environment_id = $2 and link {among $1}',
  feed: 'select link, hash from feed_links where $2 = 0 and link {among $1}',
  audit: 'select link, hash from audit_log where $2 = 0 and link {among $1}',
};

/** Reads the current hashes of these links of a chain. */
export function selectLinkHashes(
  db: Reader,
  chain: AnchorHead['chain'],
  environmentId: number,
  links: readonly number[],
): Promise<(SqlRow & { link: number; hash: string })[]> {
  return db.query(LINKS[chain], [links, environmentId]);
}

export type AnchorsTold = { made: string | null; posted: number; has_key: number };

/**
 * Returns the highest number that the rest of the store has of an anchor: in the last act that made one by hand, and of
 * the last one that was posted. `has_key`: whether the key that seals anchors is stored, which the first anchor does.
 */
export async function selectAnchorsTold(db: Reader, keyName: string): Promise<AnchorsTold> {
  const [row] = await db.query<{ made: string | null; posted: number | null; has_key: number }>(
    `select (select subject from audit_log where action = 'books.anchored' order by link desc limit 1) as made,
       (select number from anchor_posts) as posted, (select count(*) from kept_keys where name = $1) as has_key`,
    [keyName],
  );
  return { made: row?.made ?? null, posted: row?.posted ?? 0, has_key: row?.has_key ?? 0 };
}

export type PostPlace = SqlRow & { number: number; attempts: number };

/** Claims the next anchor to post until `until`; null if none is due or another process has claimed it. */
export async function claimPost(tx: Tx, now: number, until: number): Promise<PostPlace | null> {
  const [row] = await tx.query<PostPlace>(
    `update anchor_posts set attempts = attempts + 1, next_attempt_at = $2
     where id = 1 and next_attempt_at <= $1 and exists (select 1 from anchors a where a.number > anchor_posts.number)
     returning number, attempts`,
    [now, until],
  );
  return row ?? null;
}

/** Returns whether a post is due, without a commit. */
export async function hasDuePost(db: Reader, now: number): Promise<boolean> {
  const rows = await db.query(
    `select 1 as due from anchor_posts p
     where p.next_attempt_at <= $1 and exists (select 1 from anchors a where a.number > p.number)`,
    [now],
  );
  return rows.length > 0;
}

export async function notePosted(tx: Tx, before: number, number: number): Promise<void> {
  await tx.query(
    'update anchor_posts set number = $2, attempts = 0, next_attempt_at = 0 where id = 1 and number = $1',
    [before, number],
  );
}

export async function postponePost(tx: Tx, number: number, at: number): Promise<void> {
  await tx.query('update anchor_posts set next_attempt_at = $2 where id = 1 and number = $1', [number, at]);
}

/** Returns when the oldest unposted anchor was made; null if all are posted. */
export async function selectOldestUnposted(db: Reader): Promise<number | null> {
  const [row] = await db.query<{ oldest: number | null }>(
    'select min(made_at) as oldest from anchors where number > (select number from anchor_posts)',
  );
  return row?.oldest ?? null;
}
