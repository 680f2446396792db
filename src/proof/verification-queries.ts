import type { Reader, SqlRow, Tx } from '../db/database.ts';

/** The row of `books_verification`. Times are in UTC milliseconds; `progress` and `report` are JSON. */
export type VerificationRow = SqlRow & {
  asked_at: number | null;
  asked_by: string | null;
  begun_at: number | null;
  tries: number;
  held_until: number | null;
  progress: string | null;
  failed_at: number | null;
  ended_at: number | null;
  report: string | null;
};

export async function selectVerification(db: Reader): Promise<VerificationRow | null> {
  const [row] = await db.query<VerificationRow>(
    `select asked_at, asked_by, begun_at, tries, held_until, progress, failed_at, ended_at, report
     from books_verification where id = 1`,
  );
  return row ?? null;
}

/** Asks for a verification. Returns false if one waits or runs. */
export async function insertAsked(tx: Tx, at: number, by: string): Promise<boolean> {
  const rows = await tx.query(
    `insert into books_verification (id, asked_at, asked_by) values (1, $1, $2)
     on conflict (id) do update set asked_at = excluded.asked_at, asked_by = excluded.asked_by, begun_at = null,
       tries = 0, holder = null, held_until = null, progress = null, failed_at = null
     where books_verification.asked_at is null
     returning id`,
    [at, by],
  );
  return rows.length === 1;
}

/** A claim ends at `now`; one until after `furthest` was made before the clock was set back. */
type ClaimTime = { now: number; furthest: number };

/** Claims the verification that was asked for until `until`. Returns false if another process has claimed it. */
export async function claimAsked(
  tx: Tx,
  holder: string,
  { now, furthest, until }: ClaimTime & { until: number },
): Promise<boolean> {
  const rows = await tx.query(
    `update books_verification set holder = $1, held_until = $3, begun_at = coalesce(begun_at, $2), tries = tries + 1
     where id = 1 and asked_at is not null and (held_until is null or held_until <= $2 or held_until > $4)
     returning id`,
    [holder, now, until, furthest],
  );
  return rows.length === 1;
}

/** Renews a claim and stores the progress. Returns false if the claim has passed to another process. */
export async function renewClaim(tx: Tx, holder: string, until: number, progress: string | null): Promise<boolean> {
  const rows = await tx.query(
    'update books_verification set held_until = $2, progress = $3 where id = 1 and holder = $1 returning id',
    [holder, until, progress],
  );
  return rows.length === 1;
}

/** Releases a claim before its end, so that the next process goes on at once. It does not count as a try. */
export async function releaseClaim(tx: Tx, holder: string): Promise<void> {
  await tx.query(
    'update books_verification set holder = null, held_until = null, tries = tries - 1 where id = 1 and holder = $1',
    [holder],
  );
}

const ENDED = 'asked_at = null, begun_at = null, holder = null, held_until = null, progress = null';

/** Ends a verification that was tried too often and that no process holds. Returns false if nothing had to end. */
export async function endTries(tx: Tx, { now, furthest, most }: ClaimTime & { most: number }): Promise<boolean> {
  const rows = await tx.query(
    `update books_verification set ${ENDED}, failed_at = $1
     where id = 1 and asked_at is not null and tries >= $2 and (held_until <= $1 or held_until > $3) returning id`,
    [now, most, furthest],
  );
  return rows.length === 1;
}

/**
 * Stores the result of a claimed verification and ends it. Returns false if the claim has passed to another process.
 */
export async function endClaim(tx: Tx, holder: string, at: number, report: string): Promise<boolean> {
  const rows = await tx.query(
    `update books_verification set ${ENDED}, failed_at = null, ended_at = $2, report = $3
     where id = 1 and holder = $1 returning id`,
    [holder, at, report],
  );
  return rows.length === 1;
}

/** Stores the result of a verification that nobody asked for here. One that waits or runs goes on. */
export async function upsertReport(tx: Tx, at: number, report: string): Promise<void> {
  await tx.query(
    `insert into books_verification (id, ended_at, report) values (1, $1, $2)
     on conflict (id) do update set ended_at = excluded.ended_at, report = excluded.report`,
    [at, report],
  );
}
