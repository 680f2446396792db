import type { Database, Tx } from './database.ts';

type Engine = Database['engine'];

/** The rows of a table whose `column` has one of these values. */
export type GuardedRows = {
  readonly table: string;
  readonly column: string;
  readonly values: readonly (number | string)[];
};

/** `updates`: a change of these columns is refused, or of any; deleting never is. */
export type Fence = GuardedRows & { readonly updates: 'any' | readonly string[] };

/** Changes are written into `move_changes` as `name`, with the text of their `key`. */
export type Watch = GuardedRows & { readonly name: string; readonly key: string };

/**
 * Lets nothing be written for these rows but by `asMover`, from the commit of `tx` on: it waits for those that write into the
 * table. Without values the fence is gone. A row of others costs one comparison.
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

/** From the commit of `tx` on what changes of these rows is written down, in the commit of the change. Without values: no more. */
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

/** The fences let through whatever `work` writes in this commit. */
export async function asMover<Result>(tx: Tx, engine: Engine, work: () => Promise<Result>): Promise<Result> {
  await tx.query(
    engine === 'postgres' ? `select set_config('rubrica.mover', 'yes', true)` : 'insert into movers (id) values (1)',
  );
  const result = await work();
  await tx.query(engine === 'postgres' ? `select set_config('rubrica.mover', '', true)` : 'delete from movers');
  return result;
}

/** The words of SQLite where a fence refuses. */
export const FENCED = 'the payment service is moving';

/** PostgreSQL's own code for it, of `refuse_moving` in the migrations. */
export const FENCED_CODE = 'RB503';

/** Replaced and never dropped: a drop would wait for everybody who reads the table, such as pg_dump. */
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
