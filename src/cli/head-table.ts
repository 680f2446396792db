import type { selectHeads } from '../books/journal-queries.ts';
import { table } from './print.ts';

/** Returns a table with the end of every chain of the books. */
export function headTable(heads: Awaited<ReturnType<typeof selectHeads>>): string[] {
  const rows = heads.map((one) => [String(one.environment_id), one.name, one.environment, String(one.link), one.hash]);
  return table([['ID', 'PAYMENT SERVICE', 'ENVIRONMENT', 'LINK', 'HASH'], ...rows]);
}
