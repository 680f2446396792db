import type { Database } from '../../../src/db/database.ts';
import { openDatabase } from '../../../src/db/open-database.ts';
import type { Journal } from './load.ts';

export type Audit = { problems: string[]; rows: number };

/**
 * Compares the store with the responses to clients: no acknowledged transaction is missing, doubled or under another
 * id; no refused or unrequested one exists; and every transaction has exactly one `created` event.
 */
export async function auditStore(databaseUrl: string, journal: Journal): Promise<Audit> {
  const db = openDatabase(databaseUrl, { connections: 1, pooler: false, onFatal: () => {} });
  try {
    const rows = await db.query<{ id: number; reference: string; events: number }>(
      `select t.id, t.reference,
         (select count(*) from events e where e.transaction_id = t.id and e.type = 'transaction.created') as events
       from transactions t`,
    );
    return {
      rows: rows.length,
      problems: [...(await checkFile(db)), ...(await checkOrphans(db)), ...compare(rows, journal)],
    };
  } finally {
    await db.close();
  }
}

function compare(rows: readonly { id: number; reference: string; events: number }[], journal: Journal): string[] {
  const stored = Map.groupBy(rows, (row) => row.reference);
  const problems = [...journal.contradictions];
  for (const [reference, id] of journal.acknowledged) {
    const found = stored.get(reference)?.[0];
    if (found === undefined) problems.push(`lost: ${reference} was acknowledged as ${id}`);
    else if (found.id !== id) problems.push(`other id: ${reference} was acknowledged as ${id} and is ${found.id}`);
  }
  for (const [reference, found] of stored) {
    if (found.length > 1) problems.push(`double: ${reference} is stored ${found.length} times`);
    if (journal.refused.has(reference)) problems.push(`refused and stored: ${reference}`);
    if (!journal.acknowledged.has(reference) && !journal.open.has(reference))
      problems.push(`never asked for: ${reference}`);
    if (found.some((row) => row.events !== 1))
      problems.push(`events: ${reference} has ${found[0]?.events} of its creation`);
  }
  return problems;
}

/** Uses Node's own SQLite, which also wrote the file. */
async function checkFile(db: Database): Promise<string[]> {
  if (db.engine !== 'sqlite') return [];
  const findings = await db.query<{ integrity_check: string }>('pragma integrity_check');
  return findings.map((row) => row.integrity_check).filter((finding) => finding !== 'ok');
}

async function checkOrphans(db: Database): Promise<string[]> {
  const [row] = await db.query<{ orphans: number }>(
    `select count(*) as orphans from events e
     where e.transaction_id is not null and not exists (select 1 from transactions t where t.id = e.transaction_id)`,
  );
  return row?.orphans === 0 ? [] : [`${row?.orphans} events of transactions that do not exist`];
}
