import { Readable, Writable } from 'node:stream';
import type { App } from '../../app.ts';
import type { Language } from '../../bank-validation/check-messages.ts';
import type { CsvSummary } from '../../bank-validation/tables/csv-summary.ts';
import type { ValidationActor } from '../../bank-validation/validate-bank-account.ts';

/** The result of a file: its summary and the three tables, which are kept nowhere. */
export type ValidatedFile = { summary: CsvSummary; results: Buffer; repaired: Buffer; changes: Buffer };

/** More wait for one answer too long, and may ask a provider too much: the command line takes any file. */
export const MOST_ROWS = 5000;

/** Validates a file of accounts. Answers null when it has more than `MOST_ROWS` rows, and a text when it cannot be read; then nothing was validated. */
export async function validateAccountsFile(
  app: App,
  actor: ValidationActor,
  content: Buffer,
  language: Language,
): Promise<ValidatedFile | string | null> {
  // The reader of tables is loaded when the first file comes.
  const { CsvError, hasMoreRows, validateCsv } = await import('../../bank-validation/tables/validate-csv.ts');
  const source = () => Readable.from([content]);
  const [results, repaired, changes] = [collect(), collect(), collect()];
  try {
    if (await hasMoreRows(source(), MOST_ROWS, language)) return null;
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
