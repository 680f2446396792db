import type { Readable } from 'node:stream';
import type { Settlement } from '../books/settlement-row.ts';
import { countOf, unusableFile } from './print.ts';

/** Reads an acquirer's settlement from its file, and names the lines it skips. Throws `CommandError` FILE_UNUSABLE. */
export async function readSettlementFile(file: string | Readable): Promise<Settlement> {
  // Loaded only when needed: the start of every other command stays fast.
  const { readSettlement } = await import('../books/read-settlement.ts');
  const { SettlementError } = await import('../books/settlement-row.ts');
  try {
    const settlement = await readSettlement(file);
    tellDeclined(settlement);
    return settlement;
  } catch (error) {
    if (error instanceof SettlementError) throw unusableFile(error.message);
    const { code } = error as NodeJS.ErrnoException;
    if (typeof file !== 'string' || code === undefined) throw error;
    throw unusableFile(code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read (${code}).`);
  }
}

function tellDeclined({ declined }: Settlement): void {
  if (declined.length === 0) return;
  const [lines, more] = [declined.slice(0, 20).join(', '), declined.length > 20 ? ', …' : ''];
  const payments = countOf(declined.length, 'payment');
  process.stderr.write(`${payments} not made, by the state in the file; not compared: line ${lines}${more}.\n`);
}
