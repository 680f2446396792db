import type { Database, Tx } from './database.ts';

type Engine = Database['engine'];

/** The rows of a table whose `column` has one of these values. */
export type GuardedRows = {
  readonly table: string;
  readonly column: string;
  readonly values: readonly (number | string)[];
};

/** `updates`: the columns whose changes are refused, or `any`. Inserts are always refused, deletes never. */
export type Fence = GuardedRows & { readonly updates: 'any' | readonly string[] };

/** Changes are recorded in `move_changes` as `name`, with the text of their `key`. */
export type Watch = GuardedRows & { readonly name: string; readonly key: string };

/**
 * Refuses all writes to these rows except by `asMover`, from the commit of `tx` on. On PostgreSQL it waits for running
 * writers of the table. Empty `values` remove the fence. Rows of other payment services cost one comparison.
 */
export async function setFence(tx: Tx, engine: Engine, { table, column, values, updates }: Fence): Promise<void> {
  const among = amongValues(`new.${column}`, values);
  const of = updates === 'any' ? '' : ` of ${updates.join(', ')}`;
  if (engine === 'postgres') {
    const acts = updates === 'any' || updates.length > 0 ? `insert or update${of}` : 'insert';
    const stranger = `coalesce(current_setting('rubrica.mover', true), '') <> 'yes'`;
    await setTrigger(tx, `fence_${table}`, `before ${acts} on ${table}`, `${among} and ${stranger}`, 'refuse_moving()');
    return;
  }
  const acts = updates === 'any' || updates.length > 0 ? ['insert', `update${of}`] : ['insert'];
  for (const act of acts) {
    const name = `fence_${table}_${act.slice(0, 6)}`;
    await tx.query(`drop trigger if exists ${name}`);
    if (values.length === 0) continue;
    await tx.query(
      `create trigger ${name} before ${act} on ${table} when ${among} and not exists (select 1 from movers)
       begin select raise(abort, '${FENCED}'); end`,
    );
  }
}

/**
 * Records changes of these rows, each in the commit of the change, from the commit of `tx` on. Empty `values` end it.
 */
export async function setWatch(tx: Tx, engine: Engine, { table, column, values, name, key }: Watch): Promise<void> {
  for (const act of ['insert', 'update', 'delete'] as const) {
    const row = act === 'delete' ? 'old' : 'new';
    const trigger = `watch_${table}_${act}`;
    const among = amongValues(`${row}.${column}`, values);
    if (engine === 'postgres') {
      await setTrigger(tx, trigger, `after ${act} on ${table}`, among, `note_change('${name}', '${key}')`);
      continue;
    }
    await tx.query(`drop trigger if exists ${trigger}`);
    if (values.length === 0) continue;
    await tx.query(
      `create trigger ${trigger} after ${act} on ${table} when ${among}
       begin insert into move_changes (table_name, row_key) values ('${name}', cast(${row}.${key} as text)); end`,
    );
  }
}

/** Lets `work` write through the fences in this commit. */
export async function asMover<Result>(tx: Tx, engine: Engine, work: () => Promise<Result>): Promise<Result> {
  await tx.query(
    engine === 'postgres' ? `select set_config('rubrica.mover', 'yes', true)` : 'insert into movers (id) values (1)',
  );
  const result = await work();
  await tx.query(engine === 'postgres' ? `select set_config('rubrica.mover', '', true)` : 'delete from movers');
  return result;
}

/** SQLite's error text of a fence. */
export const FENCED = 'the payment service is moving';

/** PostgreSQL's error code of a fence, from `refuse_moving` in the migrations. */
export const FENCED_CODE = 'RB503';

/** Replaces the trigger. A drop would wait for all readers of the table, such as pg_dump. */
async function setTrigger(tx: Tx, name: string, acts: string, condition: string, calls: string): Promise<void> {
  await tx.query(
    `create or replace trigger ${name} ${acts} for each row when (${condition}) execute function ${calls}`,
  );
}

function amongValues(column: string, values: readonly (number | string)[]): string {
  if (values.length === 0) return 'false';
  const texts = values.map((value) => (typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`));
  return `${column} in (${texts.join(', ')})`;
}
