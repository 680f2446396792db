import { type Database, StorageError } from './database.ts';

/**
 * Says what is wrong with an embedded store, in a sentence; null: nothing is. It reads all of it: a damaged page that nobody
 * asks for is damaged all the same.
 */
export async function whyStoreIsUnusable(db: Database): Promise<string | null> {
  try {
    const findings = await db.query<{ integrity_check: string }>('pragma integrity_check');
    const damage = findings.find(({ integrity_check }) => integrity_check !== 'ok');
    if (damage !== undefined) return `it is damaged (${damage.integrity_check})`;
    const [broken] = await db.query<{ table: string; parent: string }>('pragma foreign_key_check');
    if (broken !== undefined) return `a row of ${broken.table} belongs to none of ${broken.parent}`;
    const tables = await db.query(`select 1 as found from sqlite_schema where name = 'schema_migrations'`);
    return tables.length === 0 ? 'it is no store of Rúbrica' : null;
  } catch (error) {
    const { cause } = error as Error;
    const reason = error instanceof StorageError && cause instanceof Error ? cause : (error as Error);
    return `it cannot be read (${reason.message})`;
  }
}
