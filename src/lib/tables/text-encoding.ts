import type { FileHandle } from 'node:fs/promises';
import { TableError, type TextEncoding } from './table.ts';

export type FoundEncoding = { encoding: TextEncoding; byteOrderMark: boolean };

const MARKS: readonly [encoding: TextEncoding, bytes: readonly number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * Detects the encoding of a file. A UTF-16 mark is trusted, a UTF-8 mark only if the rest is UTF-8. If every second
 * byte is 0, the text is UTF-16. Any other file that is not UTF-8 to its last byte is windows-1252: the first accent
 * may be in the last row. Throws `TableError` NOT_TEXT.
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

/** Yields the text of a file as UTF-8, without its byte order mark. */
export async function* decodeFile(
  file: FileHandle,
  encoding: TextEncoding,
  onBytes: (count: number) => void = () => {},
): AsyncGenerator<Buffer | string> {
  const decoder = new TextDecoder(encoding);
  let first = true;
  for await (const chunk of chunksOf(file)) {
    onBytes(chunk.length);
    // A mark before windows-1252 comes from a program that joined two files.
    const isMarked = first && MARKS[0]?.[1].every((byte, at) => chunk[at] === byte) === true;
    const bytes = isMarked ? chunk.subarray(3) : chunk;
    first = false;
    yield encoding === 'utf-8' ? bytes : decoder.decode(bytes, { stream: true });
  }
  if (encoding !== 'utf-8') yield decoder.decode();
}

/** The byte of each character in windows-1252. */
const BYTES_OF_1252: ReadonlyMap<string, number> = new Map(
  Array.from(
    new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte)),
    (character, byte) => [character, byte],
  ),
);

/** Encodes a text. In windows-1252 a question mark replaces a missing character. */
export function encodeText(text: string, encoding: TextEncoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'windows-1252') {
    return Buffer.from(Array.from(text, (character) => BYTES_OF_1252.get(character) ?? 0x3f));
  }
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16le' ? bytes : bytes.swap16();
}

/** Detects UTF-16 without a mark: letters, digits and separators have a zero byte, nearly always on the same side. */
function withoutMark(bytes: Buffer): TextEncoding {
  const zeros = [0, 0];
  bytes.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const most = bytes.length / 2;
  if (odd > most * 0.7 && even < most * 0.05) return 'utf-16le';
  if (even > most * 0.7 && odd < most * 0.05) return 'utf-16be';
  throw new TableError('NOT_TEXT', 'This is neither text nor an .xlsx. Save it as CSV in UTF-8, or as .xlsx.');
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

/** The rows of a chunk are parsed at once, while nothing else runs. A row may have one character. */
const CHUNK_BYTES = 16 * 1024;

/** Yields the bytes of a file from its beginning. */
export async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
