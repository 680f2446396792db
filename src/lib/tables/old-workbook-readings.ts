import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { letOthersRun } from '../let-others-run.ts';
import { createOwnerTurns } from '../owner-turns.ts';
import { withinTime } from '../within-time.ts';
import type { OldWorkbook } from './old-workbook-thread.ts';
import { type Reading, TableError, type TableErrorCode } from './table.ts';

/** The largest .xls. A sheet has at most 65,536 rows, and a bank fills some twelve columns. */
const MOST_BYTES = 16 * 1024 * 1024;
const LONGEST_MS = 30_000;
/** The memory of the thread in MiB. A file that needs more ends the thread, not the service. */
const MOST_MEMORY = 384;

/** One file at a time: a thread takes a whole core, which payments need. */
const turns = createOwnerTurns<'process'>(Number.MAX_SAFE_INTEGER);

/**
 * Returns the readings of an .xls (Excel 97 to 2003): one for each visible sheet, in order. The format cannot be
 * streamed, so a separate thread reads it, in bounded memory and time, one file after the other. Throws `TableError`.
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
  // The library's messages about a broken file are dropped.
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
