import type { Readable } from 'node:stream';
import { LONGEST_ROW, TableError } from './table.ts';
import { readXml } from './xml-events.ts';

/** The shared texts of a workbook. Its cells refer to them by number. */
export type SharedTexts = { at(index: number): string };

const CHUNK_BYTES = 1024 * 1024;
/** Enough for a sheet of a million rows with twenty different texts each. */
const MOST_BYTES = 512 * 1024 * 1024;

/**
 * Reads the texts into a few large buffers: a million short strings would take four times the memory. Throws
 * `TableError` WORKBOOK_TOO_LARGE for an archive that unpacks to more.
 */
export async function readSharedTexts(part: Readable | null): Promise<SharedTexts> {
  const chunks: Buffer[] = [];
  let free = 0;
  // Three numbers for each text: its chunk, its offset there, its length.
  let places = new Uint32Array(3 * 1024);
  let count = 0;
  const keep = (text: string) => {
    const bytes = Buffer.byteLength(text);
    if (chunks.length * CHUNK_BYTES + bytes + places.byteLength > MOST_BYTES) throw tooLarge();
    if (bytes > free) {
      chunks.push(Buffer.allocUnsafe(Math.max(CHUNK_BYTES, bytes)));
      free = (chunks.at(-1) as Buffer).length;
    }
    const chunk = chunks.at(-1);
    const start = chunk === undefined ? 0 : chunk.length - free;
    chunk?.write(text, start);
    free -= bytes;
    if (3 * count === places.length) places = grown(places);
    places.set([Math.max(0, chunks.length - 1), start, bytes], 3 * count);
    count++;
  };
  const collector = collectTexts('si', keep);
  await readXml(part, collector);
  return {
    at: (index) => {
      const [chunk = 0, start = 0, bytes = 0] = index < count ? places.subarray(3 * index, 3 * index + 3) : [];
      return chunks[chunk]?.toString('utf8', start, start + bytes) ?? '';
    },
  };
}

/** Joins the texts of each element: the content of `t`, without the phonetic text (`rPh`). */
function collectTexts(element: string, onText: (text: string) => void) {
  let text = '';
  let inText = false;
  let inPhonetic = false;
  return {
    onOpen: (name: string) => {
      if (name === element) text = '';
      if (name === 'rPh') inPhonetic = true;
      if (name === 't') inText = !inPhonetic;
    },
    onText: (part: string) => {
      if (!inText) return;
      text += part;
      if (text.length > LONGEST_ROW) throw tooLarge();
    },
    onClose: (name: string) => {
      if (name === 't') inText = false;
      if (name === 'rPh') inPhonetic = false;
      if (name === element) onText(text);
    },
  };
}

function grown(places: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * places.length);
  larger.set(places);
  return larger;
}

function tooLarge(): TableError {
  return new TableError(
    'WORKBOOK_TOO_LARGE',
    'This .xlsx unpacks to more than 512 MB of texts, or to a text that is longer than a row. Save the sheet as CSV.',
  );
}
