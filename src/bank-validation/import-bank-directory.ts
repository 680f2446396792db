import type { App } from '../app.ts';
import type { BankDirectory, BankList } from './bank-directory.ts';
import { insertDirectory } from './bank-validation-queries.ts';
import { currentDirectory } from './current-directory.ts';
import { type BankListProblem, readBankDirectory } from './read-bank-directory.ts';

export type ImportOutcome =
  | { problems: BankListProblem[] }
  | {
      version: string;
      asOf: string;
      /** Codes, compared with the list that served until now. */
      added: string[];
      removed: string[];
      changed: string[];
    };

/** Makes a bank list the one that serves, when it can be believed; otherwise changes nothing and says why. */
export async function importBankDirectory(app: App, json: unknown): Promise<ImportOutcome> {
  const reading = readBankDirectory(json);
  if ('problems' in reading) return reading;
  const { directory } = reading;
  const before = await currentDirectory(app);
  const content = JSON.stringify(listOf(directory));
  await app.db.transaction((tx) =>
    insertDirectory(tx, { imported_at: app.now(), version: directory.version, content }),
  );
  const codes = [...directory.banks.keys()];
  return {
    version: directory.version,
    asOf: directory.asOf,
    added: codes.filter((code) => !before.banks.has(code)),
    removed: [...before.banks.keys()].filter((code) => !directory.banks.has(code)),
    changed: codes.filter((code) => before.banks.has(code) && entryOf(before, code) !== entryOf(directory, code)),
  };
}

function listOf({ asOf, banks, rejected }: BankDirectory): BankList {
  const entries = [...banks.values()].map((bank) => ({ ...bank, aliases: [...bank.aliases] }));
  return { meta: { asOf }, banks: entries, rejectedCodes: [...rejected.values()] };
}

function entryOf(directory: BankDirectory, code: string): string {
  return JSON.stringify(directory.banks.get(code));
}
