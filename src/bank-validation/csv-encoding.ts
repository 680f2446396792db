/** Spreadsheets on Windows still write Latin-1. Its numbers are the same; names would come out broken. */
export type CsvEncoding = 'utf8' | 'latin1';

/**
 * Reads all of a file, because the first accent may be in its last row. A byte order mark says UTF-8, and is believed
 * only where the rest is.
 */
export async function findEncoding(chunks: AsyncIterable<Buffer>): Promise<CsvEncoding> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of chunks) decoder.decode(chunk, { stream: true });
    decoder.decode();
    return 'utf8';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'latin1';
    throw error;
  }
}
