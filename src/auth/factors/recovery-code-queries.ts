import type { Reader, Tx } from '../../db/database.ts';

/** Replaces all recovery codes of a user. */
export async function replaceRecoveryCodes(
  tx: Tx,
  userId: string,
  hashes: readonly string[],
  createdAt: number,
): Promise<void> {
  await deleteRecoveryCodes(tx, userId);
  for (const hash of hashes) {
    await tx.query('insert into recovery_codes (user_id, hash, created_at) values ($1, $2, $3)', [
      userId,
      hash,
      createdAt,
    ]);
  }
}

export async function deleteRecoveryCodes(tx: Tx, userId: string): Promise<void> {
  await tx.query('delete from recovery_codes where user_id = $1', [userId]);
}

/** Uses up an unused code. Returns false otherwise, also for the later of two concurrent requests. */
export async function updateRecoveryCodeUsed(tx: Tx, userId: string, hash: string, usedAt: number): Promise<boolean> {
  const rows = await tx.query(
    'update recovery_codes set used_at = $3 where user_id = $1 and hash = $2 and used_at is null returning hash',
    [userId, hash, usedAt],
  );
  return rows.length === 1;
}

/** Returns the number of unused codes. */
export async function countRecoveryCodes(db: Reader, userId: string): Promise<number> {
  const [row] = await db.query<{ unused: number }>(
    'select count(*) as unused from recovery_codes where user_id = $1 and used_at is null',
    [userId],
  );
  return row?.unused ?? 0;
}
