import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createOwnerTurns } from '../owner-turns.ts';
import { withinTime } from '../within-time.ts';
import { type WorkbookWish, workbookBytes } from './workbook-bytes.ts';

/** The library makes all rows at once. More rows than these take longer than starting a thread. */
const MOST_HERE = 500;
const LONGEST_MS = 60_000;

/** One workbook at a time: a thread takes a whole core, which payments need. */
const turns = createOwnerTurns<'process'>(Number.MAX_SAFE_INTEGER);

/**
 * Writes rows of cells as an .xlsx with one sheet. With a heading, the first row is bold and stays in view. A text
 * stays text, with its leading zeros: a spreadsheet does not compute it. A separate thread writes a large one.
 */
export async function writeWorkbook(
  name: string,
  rows: WorkbookWish['rows'],
  { heading }: { heading: boolean } = { heading: true },
): Promise<Buffer> {
  // A sheet name has at most 31 characters and none of these signs.
  const wish: WorkbookWish = { sheet: name.replace(/[[\]:*?/\\]/g, ' ').slice(0, 31), rows, heading };
  return rows.length <= MOST_HERE ? workbookBytes(wish) : turns('process', () => writeInThread(wish));
}

async function writeInThread(wish: WorkbookWish): Promise<Buffer> {
  const thread = new Worker(new URL('./workbook-bytes-thread.ts', import.meta.url), { workerData: wish });
  try {
    const [bytes] = await withinTime(once(thread, 'message'), LONGEST_MS);
    return Buffer.from(bytes as Uint8Array);
  } finally {
    await thread.terminate();
  }
}
