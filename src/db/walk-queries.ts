import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, SqlParameter, SqlRow } from './database.ts';
import { translateSql } from './dialect.ts';

/**
 * A table in the order of a unique key, the columns to read, and the text to search. No column of the key may be null:
 * the walk would pass over such rows. A word of `dialect.ts` can stand for columns of the key.
 */
export type TableWalk = { table: string; key: readonly [string, ...string[]]; columns: string; text: string };

/** The store that is searched. The key of a table can differ between the engines. */
export type WalkedStore = Pick<Database, 'engine' | 'query'>;

/** How many rows one statement searches. On SQLite a statement blocks the whole process, payments too. */
export const ROWS_OF_A_PART = 2_000;

/**
 * `isWanted` decides about each match, part by part: a short text matches most rows of a table, which no process could
 * hold. At most `limit` rows; default: all. `onRows` receives the number of rows searched, before each part.
 */
export type LikeOptions<Row> = {
  isWanted?: ((row: Row) => boolean) | undefined;
  limit?: number | undefined;
  onRows?: OnRows | undefined;
};

type OnRows = (rows: number) => void;

/**
 * Finds the rows whose lower-case text is `like … escape '!'`, in the order of the key. Searches the whole table part
 * by part and yields to other work in between.
 */
export async function selectLike<Row extends SqlRow>(
  db: WalkedStore,
  asked: TableWalk,
  like: string,
  { isWanted = () => true, limit = Number.POSITIVE_INFINITY, onRows = () => {} }: LikeOptions<Row> = {},
): Promise<Row[]> {
  const walk = { ...asked, key: keyOf(db, asked) };
  const found: Row[] = [];
  let after: readonly SqlParameter[] = [];
  let parts = 0;
  do {
    onRows(parts++ * ROWS_OF_A_PART);
    const last = await selectLastOfPart(db, walk, after);
    found.push(...(await selectPart<Row>(db, walk, like, after, last)).filter(isWanted));
    after = last;
    await nextTurn();
  } while (after.length > 0 && found.length < limit);
  return found.slice(0, limit);
}

/** Returns the columns of the key. */
function keyOf({ engine }: Pick<Database, 'engine'>, { key }: TableWalk): string[] {
  return translateSql(engine, key.join(', ')).split(', ');
}

type Walk = Omit<TableWalk, 'key'> & { key: readonly string[] };

/** Returns the key of the last row of the next part; empty if the table ends in this part. */
async function selectLastOfPart(
  db: WalkedStore,
  { table, key }: Walk,
  after: readonly SqlParameter[],
): Promise<SqlParameter[]> {
  const columns = key.join(', ');
  const [row] = await db.query<SqlRow>(
    `select ${columns} from ${table} where ${beyond(key, '>', after, 1)}
     order by ${columns} limit 1 offset ${ROWS_OF_A_PART - 1}`,
    after,
  );
  return row === undefined ? [] : key.map((column) => row[column] as SqlParameter);
}

function selectPart<Row extends SqlRow>(
  db: WalkedStore,
  { table, key, columns, text }: Walk,
  like: string,
  after: readonly SqlParameter[],
  last: readonly SqlParameter[],
): Promise<Row[]> {
  return db.query<Row>(
    `select ${columns} from ${table}
     where ${beyond(key, '>', after, 2)} and ${beyond(key, '<=', last, 2 + after.length)}
       and lower(${text}) like $1 escape '!'
     order by ${key.join(', ')}`,
    [like, ...after, ...last],
  );
}

/**
 * Bounds the first of several columns separately too: PostgreSQL estimates a part between two rows as a quarter of the
 * table, and would read ten million rows for two thousand.
 */
function beyond(key: readonly string[], than: '>' | '<=', values: readonly SqlParameter[], firstPlace: number): string {
  if (values.length === 0) return '1 = 1';
  const bound = `(${key.join(', ')}) ${than} (${values.map((_, at) => `$${firstPlace + at}`).join(', ')})`;
  return key.length === 1 ? bound : `${key[0]} ${than === '>' ? '>=' : than} $${firstPlace} and ${bound}`;
}
