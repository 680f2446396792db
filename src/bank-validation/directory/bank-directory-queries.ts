import type { Reader, Tx } from '../../db/database.ts';

export async function selectNewestDirectoryId(db: Reader): Promise<number | null> {
  const [row] = await db.query<{ id: number | null }>('select max(id) as id from bank_directories');
  return row?.id ?? null;
}

export async function selectDirectoryContent(db: Reader, id: number): Promise<string> {
  const [row] = await db.query<{ content: string }>('select content from bank_directories where id = $1', [id]);
  return (row as { content: string }).content;
}

/**
 * Makes concurrent imports of lists wait until the commit. Locks the head of the audit log, because the table of lists
 * is empty before the first import.
 */
export async function lockDirectories(tx: Tx): Promise<void> {
  await tx.query('select id from audit_head where id = 1 {for_update}');
}

export async function insertDirectory(
  tx: Tx,
  row: { imported_at: number; version: string; content: string },
): Promise<void> {
  await tx.query('insert into bank_directories (imported_at, version, content) values ($1, $2, $3)', [
    row.imported_at,
    row.version,
    row.content,
  ]);
}
