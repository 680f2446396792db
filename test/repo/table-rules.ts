import { translateSql } from '../../src/db/dialect.ts';
import { codeOf, type SourceFile } from '../support/source-tree.ts';
import { areaOf, mayReach, type TidyRule } from './tidy-rules.ts';

/** Rooms that change a table of another room, and the reasons. */
const ALSO_WRITES: Readonly<Record<string, string>> = {
  'epochs id_blocks': 'a new epoch raises the counter above all that was handed out',
  'payment-services id_blocks': 'the ids of environments are counted there too',
  'moves id_blocks': 'a database is given a stretch of ids of its own',
  'epochs sessions': 'a new epoch ends the sign-ins that a restore brought back',
  'epochs invitations': 'a new epoch ends the links that a restore brought back',
  'epochs token_handovers': 'a new epoch ends the links that a restore brought back',
};

/** Rooms that read a table against the arrows of the imports, and the reasons. */
const ALSO_READS: Readonly<Record<string, string>> = {
  'auth environments': 'what a user may reach is a set of environments',
  'auth payment_services': 'what a user may reach is a set of environments',
  'mail environments': 'a list of mails says whose they are',
  'mail payment_services': 'a list of mails says whose they are',
  'books environments': 'the name of who owns the books',
  'books payment_services': 'the name of who owns the books',
  'books transactions': 'a link names the records behind it, and its hash covers them',
  'books payment_attempts': 'a link names the records behind it, and its hash covers them',
  'books refunds': 'a link names the records behind it, and its hash covers them',
  'books movements': 'a link names the records behind it, and its hash covers them',
  'books payouts': 'a link names the records behind it, and its hash covers them',
  'books imported_payments': 'a link names the records behind it, and its hash covers them',
  'books payment_decisions': 'a link names the records behind it, and its hash covers them',
  'checkout refunds': 'what a payment may still refund is a sum over its refunds',
  'epochs callbacks': 'a new epoch raises the counter above all that was handed out',
  'epochs events': 'a new epoch raises the counter above all that was handed out',
  'epochs id_blocks': 'a new epoch raises the counter above all that was handed out',
  'payment-services moves': 'the environment of a request says where it is served',
  'payment-services id_blocks': 'the ids of environments are counted there too',
  'outbox transactions': 'a callback shows its transaction',
  'transactions payment_attempts': 'a transaction expires only where no attempt of it is open',
};

/** Only one room of `src/` writes to a table. A room is a folder; `db/` only migrates data. */
export const writesItsOwnTables: TidyRule = (files) => {
  const writers = new Map<string, Set<string>>();
  for (const { table, room } of writesIn(files)) writers.set(table, (writers.get(table) ?? new Set()).add(room));
  return [...writers]
    .map(([table, rooms]) => ({
      table,
      rooms: [...rooms].filter((room) => !(`${room} ${table}` in ALSO_WRITES)).sort(),
    }))
    .filter(({ rooms }) => rooms.length > 1)
    .map(({ table, rooms }) => `${table} is written by ${rooms.join(' and ')}`);
};

/** A room reads only tables of rooms that it may import. */
export const readsTablesAlongArrows: TidyRule = (files) => {
  const owners = new Map(
    writesIn(files)
      .filter(({ table, room }) => !(`${room} ${table}` in ALSO_WRITES))
      .map(({ table, room }) => [table, room]),
  );
  const found = statementsIn(files, /\b(?:from|join)\s+(\w+)/g).flatMap(({ table, room, path }) => {
    const owner = owners.get(table);
    const along = owner === undefined || mayReach(room, owner) || `${room} ${table}` in ALSO_READS;
    return along ? [] : [`${path} reads ${table}, which ${owner} writes`];
  });
  return [...new Set(found)];
};

/** Every `{word}` in a statement is a word of the dialect. */
export const speaksKnownWords: TidyRule = (files) =>
  files
    .filter(({ path }) => path.endsWith('-queries.ts'))
    .flatMap((file) =>
      [...codeOf(file).matchAll(/(?<!\$)\{[a-z_]+(?: \$\d+)?\}/g)]
        .filter(([word]) => !isKnown(word))
        .map(([word]) => `${file.path} says ${word}`),
    );

function isKnown(word: string): boolean {
  try {
    translateSql('sqlite', word);
    return true;
  } catch {
    return false;
  }
}

type Statement = { table: string; room: string; path: string };

function writesIn(files: readonly SourceFile[]): Statement[] {
  return statementsIn(files, /\b(?:insert into|update|delete from)\s+(\w+)|\bname: '(\w+)'/g);
}

/** Returns the statements on tables of the migrations, because other words follow `from` too. */
function statementsIn(files: readonly SourceFile[], pattern: RegExp): Statement[] {
  const tables = new Set(
    files
      .filter(({ path }) => path.startsWith('migrations/'))
      .flatMap(({ text }) => [...text.matchAll(/\bcreate table (\w+)/g)].map(([, table = '']) => table)),
  );
  return files
    .filter(({ path }) => path.startsWith('src/') && path.endsWith('.ts') && !path.startsWith('src/db/'))
    .flatMap((file) =>
      [...codeOf(file).matchAll(pattern)].flatMap(([, one, other]) => {
        const table = one ?? other ?? '';
        return tables.has(table) ? [{ table, room: areaOf(file.path), path: file.path }] : [];
      }),
    );
}
