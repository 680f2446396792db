import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { letOthersRun } from '../let-others-run.ts';
import { createOwnerTurns } from '../owner-turns.ts';
import { withinTime } from '../within-time.ts';
import type { OldWorkbook } from './old-workbook-thread.ts';
import { type Reading, TableError, type TableErrorCode } from './table.ts';

/** A sheet of this kind holds 65,536 rows, and a bank fills some twelve columns. */
const MOST_BYTES = 16 * 1024 * 1024;
const LONGEST_MS = 30_000;
/** In MiB, of the thread alone: a file that asks for more ends the thread and not the service. */
const MOST_MEMORY = 384;

/** A thread takes a whole core and its memory for as long as it reads, and payers need the cores. */
const turns = createOwnerTurns<'process'>(Number.MAX_SAFE_INTEGER);

/**
 * The ways to read an .xls (Excel 97 to 2003): one for each sheet that people see, in their order. Such a file cannot be read as a
 * stream, so a thread of its own reads it, in bounded memory and time, beside the payments, and one file after the other. Throws `TableError`.
 */
export async function oldWorkbookReadings(file: FileHandle): Promise<Reading[]> {
  const { size } = await file.stat();
  if (size > MOST_BYTES) throw errorOf('WORKBOOK_TOO_LARGE');
  const read = await turns('process', async () => {
    const bytes = new Uint8Array(size);
    await file.read(bytes, 0, size, 0);
    return readInThread(bytes);
  });
  if ('code' in read) throw errorOf(read.code);
  return read.sheets.map(({ name, rows }) => ({
    dialect: { format: 'xls', sheet: name },
    done: () => 1,
    rows: async function* () {
      const turn = letOthersRun();
      for (const row of rows) {
        await turn();
        yield row;
      }
    },
  }));
}

async function readInThread(bytes: Uint8Array): Promise<OldWorkbook> {
  // What the library writes about a file that it does not understand is nobody's business.
  const thread = new Worker(new URL('./old-workbook-thread.ts', import.meta.url), {
    workerData: bytes,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY },
    stdout: true,
    stderr: true,
  });
  try {
    const [answer] = await withinTime(once(thread, 'message'), LONGEST_MS);
    return answer as OldWorkbook;
  } catch {
    return { code: 'WORKBOOK_TOO_LARGE' };
  } finally {
    await thread.terminate();
  }
}

function errorOf(code: TableErrorCode): TableError {
  return new TableError(code, WORDS[code] ?? 'This .xls cannot be read. Open it in a spreadsheet and save it anew.');
}

const WORDS: Partial<Record<TableErrorCode, string>> = {
  LOCKED_WORKBOOK: 'This spreadsheet has a password. Save it without one.',
  WORKBOOK_TOO_LARGE: 'This .xls is too large to be read at once. Save it as .xlsx or CSV.',
  ROW_TOO_LONG: 'A row of this .xls is longer than any of a table. Save it as .xlsx or CSV.',
};
