import { createHash, hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { isDay } from '../../lib/calendar-day.ts';
import type { Bank, BankDirectory, BankList } from './bank-directory.ts';
import { insertDirectory, lockDirectories, selectNewestDirectoryId } from './bank-directory-queries.ts';
import { storedDirectory } from './current-directory.ts';
import { mergeRegulatorList } from './merge-regulator-list.ts';
import { type BankListProblem, readBankDirectory } from './read-bank-directory.ts';
import { RegulatorListError, readRegulatorList } from './regulator-list.ts';

export type ImportOutcome = { problems: BankListProblem[] } | ImportedList;

export type ImportedList = {
  version: string;
  asOf: string;
  source: string | null;
  /** Codes, compared with the previous list. */
  added: string[];
  removed: string[];
  changed: string[];
  /** The changed members of each institution; for added or removed ones, only the name. */
  changes: { code: string; member: string; before: string | null; after: string | null }[];
  /** Banks that operate according to the current list but are not in the regulator's. */
  missing: string[];
};

/**
 * Makes a bank list the current one, and returns what changed. If the list has problems, returns them and changes
 * nothing. The imported list that is current already, with its date, is not stored again.
 */
export function importBankDirectory(app: App, json: unknown, by: Actor): Promise<ImportOutcome> {
  return importList(app, () => ({ list: json, missing: [] }), by);
}

/** A list to import, made from the current one. `missing` as in `ImportedList`. */
type MadeList = { list: unknown; missing: readonly string[] } | { problems: BankListProblem[] };

function importList(app: App, make: (current: BankDirectory) => MadeList, by: Actor): Promise<ImportOutcome> {
  return app.db.transaction(async (tx) => {
    // The later of two concurrent imports is made from the list of the earlier, and compared with it.
    await lockDirectories(tx);
    const before = await storedDirectory(tx);
    const made = make(before);
    if ('problems' in made) return made;
    const reading = readBankDirectory(made.list);
    if ('problems' in reading) return reading;
    const { directory } = reading;
    const problem = dateProblem(app, directory);
    if (problem !== null) return { problems: [problem] };
    const missing = [...made.missing];
    if ((await selectNewestDirectoryId(tx)) !== null && factsOf(before) === factsOf(directory))
      return { ...differencesOf(before, before), missing };
    const at = app.now();
    const content = JSON.stringify(listOf(directory));
    const { version, asOf, source } = directory;
    await insertDirectory(tx, { imported_at: at, version, content });
    await recordAudit(tx, {
      at,
      by,
      action: 'bank_list.imported',
      subject: { kind: 'bank_list', id: version },
      before: { version: before.version, as_of: before.asOf },
      after: { version, as_of: asOf, source, list_sha256: hash('sha256', content) },
    });
    return { ...differencesOf(before, directory), missing };
  });
}

/** Writes a list with its date as a text, without where it came from. */
function factsOf(directory: BankDirectory): string {
  return JSON.stringify(listOf({ ...directory, source: null }));
}

/** Compares a list with the previous one. */
function differencesOf(before: BankDirectory, directory: BankDirectory): Omit<ImportedList, 'missing'> {
  const { version, asOf, source } = directory;
  const codes = [...directory.banks.keys()];
  const changes = [...new Set([...before.banks.keys(), ...codes])].flatMap((code) =>
    changesOf(before, directory, code),
  );
  return {
    version,
    asOf,
    source,
    added: codes.filter((code) => !before.banks.has(code)),
    removed: [...before.banks.keys()].filter((code) => !directory.banks.has(code)),
    changed: [...new Set(changes.map(({ code }) => code))].filter(
      (code) => before.banks.has(code) && directory.banks.has(code),
    ),
    changes,
  };
}

/** Rejects a date in the future: until then the list would not age, and every genuine list would be older. */
function dateProblem(app: App, { asOf }: BankDirectory): BankListProblem | null {
  // A year or a month counts from its first day.
  const isDate = isDay(`${asOf}-01-01`.slice(0, 10));
  if (isDate && asOf <= todayOf(app).slice(0, asOf.length)) return null;
  const message = `The list is of ${asOf}, ${isDate ? 'which is still to come' : 'which is not a date'}. Say its date with --as-of; in a list in JSON mend meta.asOf.`;
  return { pointer: '/meta/asOf', code: 'BANK_LIST_INVALID', message };
}

function todayOf(app: App): string {
  return new Date(app.now()).toISOString().slice(0, 10);
}

/** `file`: the name for the record. `asOf`: the date of the list if the list has none, or a wrong one. */
export type RegulatorImport = {
  readonly file: string;
  readonly bytes: Buffer;
  readonly asOf: string | null;
  readonly accepted: readonly string[];
};

/**
 * Merges the regulator's list into the current one. `bytes` is the downloaded file: .xlsx, CSV or HTML. Facts that the
 * regulator's list does not mention stay. A list without a date gets the day of the import.
 */
export async function importRegulatorList(app: App, told: RegulatorImport, by: Actor): Promise<ImportOutcome> {
  const read = await readRegulatorList(Readable.from([told.bytes])).catch((error: unknown) => {
    if (error instanceof RegulatorListError) return error.message;
    throw error;
  });
  if (typeof read === 'string') return { problems: [{ pointer: '', code: 'BANK_LIST_INVALID', message: read }] };
  if (read === null) return { problems: [{ pointer: '', code: 'BANK_LIST_INVALID', message: NO_COLUMNS }] };
  const today = todayOf(app);
  const digest = createHash('sha256').update(told.bytes).digest('hex');
  const about = {
    asOf: told.asOf ?? read.asOf ?? today,
    source: `list of the regulator, ${told.file} (SHA-256 ${digest.slice(0, 16)}), imported on ${today}`,
    accepted: told.accepted,
  };
  return importList(app, (current) => mergeRegulatorList(current, read, about), by);
}

const NO_COLUMNS =
  'No row names a column of codes and one of institutions, such as "Código" and "Institución". A list in JSON begins with {.';

function listOf({ asOf, source, banks, rejected }: BankDirectory): BankList {
  const entries = [...banks.values()].map((bank) => ({ ...bank, aliases: [...bank.aliases] }));
  return { meta: { asOf, ...(source !== null && { source }) }, banks: entries, rejectedCodes: [...rejected.values()] };
}

function changesOf(before: BankDirectory, after: BankDirectory, code: string): ImportedList['changes'] {
  const [old, now] = [before.banks.get(code), after.banks.get(code)];
  if (old === undefined || now === undefined) {
    return [{ code, member: 'name', before: old?.name ?? null, after: now?.name ?? null }];
  }
  const members = Object.keys(old) as (keyof Bank)[];
  return members
    .map((member) => ({ code, member, before: textOf(old[member]), after: textOf(now[member]) }))
    .filter((change) => change.before !== change.after);
}

function textOf(value: Bank[keyof Bank]): string | null {
  return value === null || typeof value === 'string' ? value : value.join(', ');
}
