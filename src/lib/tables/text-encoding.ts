import type { FileHandle } from 'node:fs/promises';
import { TableError, type TextEncoding } from './table.ts';

export type FoundEncoding = { encoding: TextEncoding; byteOrderMark: boolean };

const MARKS: readonly [encoding: TextEncoding, bytes: readonly number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * Tells the encoding of a file. A byte order mark is believed, of UTF-8 only where the rest is; so is every second byte
 * being 0. Everything else that is not UTF-8 to its last byte is windows-1252, because the first accent may be in the last
 * row. Throws `TableError` NOT_TEXT.
 */
export async function findTextEncoding(file: FileHandle): Promise<FoundEncoding> {
  const start = Buffer.alloc(4096);
  const { bytesRead } = await file.read(start, 0, start.length, 0);
  const bytes = start.subarray(0, bytesRead);
  const [marked = null] = MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte)) ?? [];
  if (marked === 'utf-16le' || marked === 'utf-16be') return { encoding: marked, byteOrderMark: true };
  if (bytes.includes(0)) return { encoding: withoutMark(bytes), byteOrderMark: false };
  if (await isUtf8(file)) return { encoding: 'utf-8', byteOrderMark: marked !== null };
  return { encoding: 'windows-1252', byteOrderMark: false };
}

/** The text of a file from its beginning, without its byte order mark. UTF-8 comes as the bytes that it is. */
export async function* decodeFile(
  file: FileHandle,
  encoding: TextEncoding,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<Buffer | string> {
  const decoder = new TextDecoder(encoding);
  let first = true;
  for await (const chunk of chunksOf(file)) {
    onBytes(chunk.length);
    // A mark before windows-1252 is the work of a program that joined two files.
    const isMarked = first && MARKS[0]?.[1].every((byte, at) => chunk[at] === byte) === true;
    const bytes = isMarked ? chunk.subarray(3) : chunk;
    first = false;
    yield encoding === 'utf-8' ? bytes : decoder.decode(bytes, { stream: true });
  }
  if (encoding !== 'utf-8') yield decoder.decode();
}

/** The bytes of the decoder's characters. */
const BYTES_OF_1252: ReadonlyMap<string, number> = new Map(
  Array.from(
    new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte)),
    (character, byte) => [character, byte],
  ),
);

/** The bytes of a text; in windows-1252 a question mark stands for a character that it lacks. */
export function encodeText(text: string, encoding: TextEncoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'windows-1252') {
    return Buffer.from(Array.from(text, (character) => BYTES_OF_1252.get(character) ?? 0x3f));
  }
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}

/** Letters, digits and separators have a byte that is 0 on one side, and it is nearly always the same. */
function withoutMark(bytes: Buffer): TextEncoding {
  const zeros = [0, 0];
  bytes.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const most = bytes.length / 2;
  if (odd > most * 0.7 && even < most * 0.05) return 'utf-16le';
  if (even > most * 0.7 && odd < most * 0.05) return 'utf-16be';
  throw new TableError('NOT_TEXT', 'This is no text and no .xlsx. Save it as CSV in UTF-8, or as .xlsx.');
}

async function isUtf8(file: FileHandle): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunksOf(file)) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return false;
    throw error;
  }
}

const CHUNK_BYTES = 256 * 1024;

/** The bytes of a file from its beginning. */
export async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
