import type { selectHeads } from '../books/journal-queries.ts';
import { listTable } from './print.ts';

/** Returns a table with the end of every chain of the books. */
export function headTable(heads: Awaited<ReturnType<typeof selectHeads>>): string[] {
  const rows = heads.map((one) => ({
    ID: String(one.environment_id),
    'PAYMENT SERVICE': one.name,
    ENVIRONMENT: one.environment,
    LINK: String(one.link),
    HASH: one.hash,
  }));
  return listTable(rows, 'Nothing was posted yet.');
}
