import type { listHeads } from '../books/list-books.ts';
import { table } from './print.ts';

/** Returns a table with the end of every chain of the books. */
export function headTable(heads: Awaited<ReturnType<typeof listHeads>>): string[] {
  const rows = heads.map((one) => [String(one.environment_id), one.name, one.environment, String(one.link), one.hash]);
  return table([['ID', 'PAYMENT SERVICE', 'ENVIRONMENT', 'LINK', 'HASH'], ...rows]);
}
