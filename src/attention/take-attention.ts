import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/database.ts';
import { invalidParameter, notFound } from '../error-catalogue.ts';
import type { AttentionName, AttentionRow } from './attention.ts';
import { type AttentionKey, deleteOwner, insertOwner, lockOwner, upsertOwner } from './attention-owner-queries.ts';
import { listAttention } from './list-attention.ts';

/** Identifies an item by its id, and by further members if several items have the same id. */
export type AttentionNamed = Pick<AttentionKey, 'id'> & Partial<Omit<AttentionKey, 'id'>>;

type CheckWaiting = (row: AttentionRow) => void;

/** Far more items than a person looks at. */
const MOST = 100_000;

/**
 * Records that a person looks after a waiting item, also if another person did before. It ends with the item. `check`
 * throws what refuses this person. Throws `Problem` NOT_FOUND if no item with this id waits, and INVALID_PARAMETER if
 * several do.
 */
export async function takeAttention(
  app: App,
  named: AttentionNamed,
  by: Actor,
  check: CheckWaiting = () => {},
): Promise<AttentionRow> {
  const row = await findWaiting(app, named);
  check(row);
  const at = app.now();
  await app.db.transaction(async (tx) => {
    // Of two people at the same moment one inserts; the other waits for the commit, and then sees whom they replace.
    const isFirst = await insertOwner(tx, row, by.name, at);
    const before = isFirst ? null : await lockOwner(tx, row);
    if (!isFirst) await upsertOwner(tx, row, by.name, at);
    const was = before === null ? null : { taken_by: before.taken_by };
    await record(tx, row, { at, by, action: 'attention.taken', before: was, after: { taken_by: by.name } });
  });
  return { ...row, taken_by: by.name, taken_at: at };
}

/** Removes the owner of an item and returns the item. Changes nothing if it has no owner. Throws the same errors. */
export async function giveUpAttention(
  app: App,
  named: AttentionNamed,
  by: Actor,
  check: CheckWaiting = () => {},
): Promise<AttentionRow> {
  const row = await findWaiting(app, named);
  check(row);
  await app.db.transaction(async (tx) => {
    const before = await lockOwner(tx, row);
    if (before === null) return;
    await deleteOwner(tx, row);
    const was = { taken_by: before.taken_by };
    await record(tx, row, { at: app.now(), by, action: 'attention.given_up', before: was, after: null });
  });
  return { ...row, taken_by: null, taken_at: null };
}

async function findWaiting(app: App, named: AttentionNamed): Promise<AttentionRow> {
  const { id, kind = null, payment_service, environment } = named;
  const rows = (await listAttention(app, kind, MOST)).filter(
    (row) =>
      row.id === id &&
      (payment_service ?? row.payment_service) === row.payment_service &&
      (environment ?? row.environment) === row.environment,
  );
  const [only, ...others] = rows;
  if (only === undefined) {
    throw notFound(`Nothing with the id ${id} waits for a person.`, `Nada con el id ${id} espera a una persona.`);
  }
  if (others.length === 0) return only;
  const said = rows.map((row) => `${row.kind} ${row.payment_service} ${row.environment}`).join('; ');
  throw invalidParameter(
    `Several have the id ${id}: ${said}. Name its kind, payment service or environment too.`,
    `Varios tienen el id ${id}: ${said}. Nombra también su tipo, servicio de pago o ambiente.`,
  );
}

type Said = { taken_by: string } | null;
type Change = { at: number; by: Actor; action: 'attention.taken' | 'attention.given_up'; before: Said; after: Said };

function record(tx: Tx, { kind, id }: { kind: AttentionName; id: string }, change: Change): Promise<void> {
  return recordAudit(tx, { ...change, subject: { kind, id } });
}
