import { Readable, Writable } from 'node:stream';
import type { App } from '../../app.ts';
import type { CsvSummary } from '../../bank-validation/tables/csv-summary.ts';
import type { ValidationActor } from '../../bank-validation/validate-bank-account.ts';
import { readInTurn } from '../../http/read-in-turn.ts';
import type { Language } from '../../lib/language.ts';

/** The result of a file: its summary and three tables. The service does not store them. */
export type ValidatedFile = { summary: CsvSummary; results: Buffer; repaired: Buffer; changes: Buffer };

/**
 * The most rows of a file here: more would delay the response too long and could exceed a provider's limit. The command
 * line has no limit.
 */
export const MOST_ROWS = 5000;

/**
 * Validates a file of accounts. Returns null if it has more than `MOST_ROWS` rows, and a text with the reason if it
 * cannot be read; nothing is validated then.
 */
export async function validateAccountsFile(
  app: App,
  actor: ValidationActor,
  content: Buffer,
  language: Language,
): Promise<ValidatedFile | string | null> {
  // The table reader is loaded with the first file.
  const { CsvError, hasMoreRows, validateCsv } = await import('../../bank-validation/tables/validate-csv.ts');
  const source = () => Readable.from([content]);
  const [results, repaired, changes] = [collect(), collect(), collect()];
  try {
    // Only this reading waits for its turn: the validation asks a provider, and others do not wait for that.
    if (await readInTurn(app, actor, () => hasMoreRows(source(), MOST_ROWS, language))) return null;
    const outputs = { repaired: repaired.sink, changes: changes.sink };
    const summary = await validateCsv(app, source(), results.sink, { language, actor, ...outputs });
    return { summary, results: results.bytes(), repaired: repaired.bytes(), changes: changes.bytes() };
  } catch (error) {
    if (error instanceof CsvError) return error.message;
    throw error;
  }
}

function collect(): { sink: Writable; bytes: () => Buffer } {
  const chunks: Buffer[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { sink, bytes: () => Buffer.concat(chunks) };
}
