import type { InsertTarget, Reader, SqlParameter, Tx } from '../db/database.ts';
import type { ChainEnd } from '../lib/hash-chain.ts';
import { AUDIT_ACTIONS } from './audit-action.ts';
import { AUDIT_COLUMNS, type AuditRow } from './audit-row.ts';

const AUDIT_LOG: InsertTarget = { name: 'audit_log', columns: [...AUDIT_COLUMNS, 'hash'] };

/**
 * Advances the end of the chain. Returns the next link's number and the hash that it follows; until the commit no other
 * caller gets them.
 */
export async function advanceAudit(tx: Tx): Promise<ChainEnd> {
  const [head] = await tx.query<ChainEnd>('update audit_head set link = link + 1 where id = 1 returning link, hash');
  if (head === undefined) throw new Error('The end of the audit log is gone: bin/rubrica audit verify');
  return head;
}

/** Inserts the row as the new end of the chain. */
export async function insertAudit(tx: Tx, row: AuditRow): Promise<void> {
  await tx.insertRows(AUDIT_LOG, [row]);
  await tx.query('update audit_head set hash = $1 where id = 1', [row.hash]);
}

/** Returns the end of the chain; null if its row is missing or invalid. */
export async function selectAuditHead(db: Reader): Promise<ChainEnd | null> {
  const [head] = await db.query<ChainEnd>('select link, hash from audit_head where id = 1');
  return head !== undefined && Number.isSafeInteger(head.link) ? head : null;
}

/** Returns what the acts of migrations say of them; null if the log has no act at all. */
export async function selectMigrationsSaid(db: Reader): Promise<string | null> {
  const [any] = await db.query('select link from audit_log limit 1');
  if (any === undefined) return null;
  const rows = await db.query<{ said_after: string | null }>(
    `select said_after from audit_log where action = 'store.migrated'`,
  );
  return rows.map(({ said_after }) => said_after).join();
}

/** Lists the rows after a link, in order. */
export function selectAuditAfter(db: Reader, link: number, limit: number): Promise<AuditRow[]> {
  return db.query<AuditRow>('select * from audit_log where link > $1 order by link limit $2', [link, limit]);
}

/**
 * `action` also matches actions that begin with it and a dot. `among`: the subject is a list, and this is one member.
 * `before` and `after`: only lower or higher links. `since` is inclusive and `until` exclusive, in UTC milliseconds.
 */
export type AuditFilter = {
  who?: string;
  action?: string;
  subject?: string;
  among?: string;
  since?: number;
  until?: number;
  before?: number;
  after?: number;
  /** Any of these names or users (by id), and any of these actions. */
  names?: { actors: readonly string[]; users: readonly string[] };
  actions?: readonly string[];
};

/** Lists the newest rows that match all given conditions, in one statement for any number of names and actions. */
export function selectAudit(db: Reader, filter: AuditFilter, limit: number): Promise<AuditRow[]> {
  const values: SqlParameter[] = [limit];
  const { lists, rest } = listsIn(filter);
  const conditions = conditionsOf(rest, values);
  if (lists.length === 0) {
    const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
    return db.query<AuditRow>(`select * from audit_log ${where} order by link desc limit $1`, values);
  }
  const newest = lists.map(([column, texts]) => {
    values.push(JSON.stringify(texts.map((text) => ({ text }))));
    const own = [`${column} = wanted.value ->> 'text'`, ...conditions].join(' and ');
    return `select act.link from {rows $${values.length}} wanted cross join audit_log act where act.link {chosen}
      select link from audit_log where ${own} order by link desc limit $1 {end_chosen}`;
  });
  return db.query<AuditRow>(
    `select * from audit_log where link {chosen} ${newest.join(' union all ')} {end_chosen} order by link desc limit $1`,
    values,
  );
}

type Lists = (readonly [column: 'actor' | 'user_id' | 'action', texts: readonly string[]])[];

/**
 * Returns the lists whose newest rows are found text by text, each in the order of its index, so that no log is
 * scanned. `rest`: the other conditions. Actions beside a name or a subject are such a condition.
 */
function listsIn(filter: AuditFilter): { lists: Lists; rest: AuditFilter } {
  const { names, actions, ...rest } = filter;
  if (names !== undefined) {
    const lists = [['actor', names.actors] as const, ['user_id', names.users] as const];
    return { lists, rest: { ...rest, ...(actions && { actions }) } };
  }
  if (actions === undefined || rest.who !== undefined || rest.subject !== undefined) return { lists: [], rest: filter };
  return { lists: [['action', actions]], rest };
}

/** Returns the conditions of a filter, and appends their values. */
function conditionsOf(filter: AuditFilter, values: SqlParameter[]): string[] {
  const conditions: string[] = [];
  const add = (condition: (place: string) => string, value: SqlParameter | undefined) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  // The names of an address with its API tokens sort between these two: `nameWithToken`.
  add(
    (who) => `(actor = ${who} or user_id = ${who} or (actor > ${who} || ' (token ' and actor < ${who} || ' (token!'))`,
    filter.who,
  );
  // A single action uses its index. The actions of a group sort between `refund.` and `refund/`.
  const isOne = Object.hasOwn(AUDIT_ACTIONS, filter.action ?? '');
  const inGroup = (action: string) =>
    `(action = ${action} or (action > ${action} || '.' and action < ${action} || '/'))`;
  add((action) => (isOne ? `action = ${action}` : inGroup(action)), filter.action);
  add((actions) => `{filter_by}action {named ${actions}}`, filter.actions);
  add((subject) => `subject = ${subject}`, filter.subject);
  add((among) => `subject <> ${among} and ' ' || subject || ' ' like '% ' || ${among} || ' %'`, filter.among);
  add((since) => `created_at >= ${since}`, filter.since);
  add((until) => `created_at < ${until}`, filter.until);
  add((before) => `link < ${before}`, filter.before);
  add((after) => `link > ${after}`, filter.after);
  return conditions;
}

/** Whether there is an act under this name, or of the user with this id. */
export async function hasActsOf(db: Reader, who: string): Promise<boolean> {
  const sql = `select 1 from audit_log where actor = $1 union all select 1 from audit_log where user_id = $1 limit 1`;
  return (await db.query(sql, [who])).length > 0;
}

/**
 * The names under which commands were run, at most 1000: each is one step along the index, in the order of the
 * database. That order is often a language's, which has the semicolon before the colon, but `f` after `e`.
 */
export async function selectCommandLines(db: Reader): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `with recursive names (name, n) as (
       select min(actor), 1 from audit_log where actor > 'command line: ' and actor < 'command linf'
       union all
       select (select min(actor) from audit_log where actor > names.name and actor < 'command linf'), n + 1
       from names where names.name is not null and n < 1000)
     select name from names where name like 'command line: %'`,
    [],
  );
  return rows.map(({ name }) => name);
}
