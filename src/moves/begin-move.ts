import type { App } from '../app.ts';
import { type Actor, actorElsewhere } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { IDENTITY_KEY } from '../bank-validation/identity-hash.ts';
import type { Tx } from '../db/database.ts';
import { asMover } from '../db/guard-triggers.ts';
import { selectEpochs, selectStoreMark } from '../epochs/epoch-queries.ts';
import { prefixedId } from '../lib/ids.ts';
import { readKeptKey } from '../sealing/kept-key.ts';
import { closeCopied, deleteCopiedOpen } from './copied-row-queries.ts';
import { addressOf, MoveRefusal, type MoveRow, NO_PROGRESS } from './move.ts';
import {
  countAmong,
  deleteAllChanges,
  hasHashes,
  hasStrangersAmong,
  insertMove,
  selectEnvironmentIdsOf,
  selectEnvironmentOwners,
  selectIdSpan,
  selectLastMoves,
  selectMove,
  selectNextIds,
  selectStrangeEnvironments,
  updateMoveState,
} from './move-queries.ts';
import type { Scope } from './owner.ts';
import { TRANSACTIONS_PER_ENVIRONMENT } from './raise-ids.ts';
import { requireOwnSecrets } from './require-own-secrets.ts';
import { isElsewhere, setFences, setWatches } from './set-guards.ts';
import { takeBackHere } from './undo-move.ts';

/** The minimum distance between the ids of two databases: more than a database hands out in years. */
const ROOM = 100_000_000;
/** The same distance for environments. */
const ROOM_OF_ENVIRONMENTS = ROOM / TRANSACTIONS_PER_ENVIRONMENT;

/**
 * Begins a move in both databases: from now on this database records changes of the payment service, and the other
 * refuses writes to it. Throws `MoveRefusal`, and leaves nothing open, if the payment service cannot move. Returns the
 * id of the move.
 */
export async function beginMove(from: App, to: App, paymentServiceId: string, by: Actor): Promise<string> {
  const scope = await requireMovable(from, to, paymentServiceId);
  const addresses = { from: addressOf(from), to: addressOf(to) };
  const common = {
    id: prefixedId('move'),
    payment_service_id: paymentServiceId,
    state: 'copying',
    environment_ids: JSON.stringify(scope.environmentIds),
    began_by: by.name,
    paused_until: null,
    arrived_at: null,
    began_at: from.now(),
    changed_at: from.now(),
    progress: JSON.stringify({ mover: '', ...NO_PROGRESS }),
  } as const;
  await beginOut(from, { ...common, direction: 'out', address: addresses.to }, by);
  try {
    await beginIn(from, to, { ...common, direction: 'in', address: addresses.from }, scope, by);
  } catch (failure) {
    // Whatever the user may do now: what they began is not left open.
    const { requireStill: _, ...actor } = by;
    await takeBackHere(from, { id: common.id, state: 'copying' }, paymentServiceId, actor).catch(() => {});
    throw failure;
  }
  return common.id;
}

/** Commits first in the source: if two commands begin at once, this commit lets one through. */
async function beginOut(from: App, row: MoveRow, by: Actor): Promise<void> {
  const { id, payment_service_id: paymentServiceId, address } = row;
  await from.db.transaction(async (tx) => {
    const [last] = await selectLastMoves(tx, paymentServiceId);
    const began = Math.max(from.now(), (last?.began_at ?? 0) + 1);
    if (!(await insertMove(tx, { ...row, began_at: began, changed_at: began }))) throw underWay(paymentServiceId);
    await deleteAllChanges(tx);
    await setWatches(tx, from.db.engine);
    // Creating the watches makes two concurrent begins wait for each other: they share one list of changes, which the
    // second would delete.
    requireNoOther(await selectLastMoves(tx, null), paymentServiceId);
    await recordAudit(tx, { ...actOf(paymentServiceId), by, at: began, after: { move: id, to: address } });
  }, 'slow');
}

async function beginIn(from: App, to: App, row: MoveRow, { environmentIds }: Scope, by: Actor): Promise<void> {
  const { id, payment_service_id: paymentServiceId, address } = row;
  await to.db.transaction(async (tx) => {
    // The fences make this wait for another command that begins in this database.
    await setFences(tx, to.db.engine);
    if ((await selectMove(from.db, id))?.state !== 'copying') throw underWay(paymentServiceId);
    const [last] = await selectLastMoves(tx, paymentServiceId);
    requireNotServed(last, paymentServiceId);
    const began = Math.max(to.now(), (last?.began_at ?? 0) + 1);
    if (last?.state === 'copying') await updateMoveState(tx, last.id, { state: 'undone', changedAt: began });
    await insertMove(tx, { ...row, began_at: began, changed_at: began });
    await setFences(tx, to.db.engine);
    // Without an earlier move nothing was ever copied there, so all callbacks need not be searched.
    if (last !== undefined) await reopenCopy(tx, to, environmentIds);
    const act = { ...actOf(paymentServiceId), by: actorElsewhere(by) };
    await recordAudit(tx, { ...act, at: began, after: { move: id, from: address } });
  }, 'slow');
}

async function reopenCopy(tx: Tx, to: App, environmentIds: readonly number[]): Promise<void> {
  await asMover(tx, to.db.engine, () => closeCopied(tx, environmentIds));
  await deleteCopiedOpen(tx, environmentIds);
}

const actOf = (paymentServiceId: string) =>
  ({ action: 'payment_service.move_begun', subject: { kind: 'payment_service', id: paymentServiceId } }) as const;

function requireNotServed(last: MoveRow | undefined, paymentServiceId: string): void {
  if (last === undefined || isElsewhere(last)) return;
  throw new MoveRefusal('MOVE_ELSEWHERE', `${paymentServiceId} is served by the other database already.`);
}

async function requireMovable(from: App, to: App, paymentServiceId: string): Promise<Scope> {
  const [here, there] = [await selectStoreMark(from.db), await selectStoreMark(to.db)];
  if (from.config.databaseUrl === to.config.databaseUrl || (here.store_id !== null && here.store_id === there.store_id))
    throw new MoveRefusal('MOVE_TO_ITSELF', 'Both settings lead to the same database.');
  const environmentIds = await selectEnvironmentIdsOf(from.db, paymentServiceId);
  if (environmentIds.length === 0)
    throw new MoveRefusal(
      'MOVE_UNKNOWN',
      `There is no payment service ${paymentServiceId}: bin/rubrica payment-service list`,
    );
  const moves = await selectLastMoves(from.db, null);
  const [last] = moves.filter((move) => move.payment_service_id === paymentServiceId);
  if (last !== undefined && isElsewhere(last))
    throw new MoveRefusal('MOVE_ELSEWHERE', `${paymentServiceId} is not here: it belongs to ${last.address}.`);
  requireNoOther(moves, paymentServiceId);
  requireNotServed((await selectLastMoves(to.db, paymentServiceId))[0], paymentServiceId);
  const scope = { paymentServiceId, environmentIds };
  await requireRestoredNever(from, to);
  await requireRoom(from, to, scope);
  await requireSameHashes(from, to, scope);
  await requireOwnSecrets({ from, to, scope });
  return scope;
}

function requireNoOther(moves: readonly MoveRow[], paymentServiceId: string): void {
  const other = moves.find(
    (move) => move.direction === 'out' && move.state === 'copying' && move.payment_service_id !== paymentServiceId,
  );
  if (other === undefined) return;
  throw new MoveRefusal(
    'MOVE_UNDER_WAY',
    `One payment service moves at a time, and ${other.payment_service_id} does: end that move first.`,
  );
}

function underWay(paymentServiceId: string): MoveRefusal {
  return new MoveRefusal(
    'MOVE_UNDER_WAY',
    `Another command began to move ${paymentServiceId} at the same moment: bin/rubrica payment-service moves`,
  );
}

/** Refuses a restored database. An event id contains the epoch of its database, so a copy would be another event. */
async function requireRestoredNever(from: App, to: App): Promise<void> {
  const epochs = [...(await selectEpochs(from.db)), ...(await selectEpochs(to.db))];
  if (epochs.length === 0) return;
  throw new MoveRefusal(
    'MOVE_AFTER_RESTORE',
    'One of the databases was restored from a backup once. Since then the ids of its events contain the number of the restore, and they would change: its payment services cannot move.',
  );
}

/** Refuses ids that the other database has given out, or would soon give out. */
async function requireRoom(from: App, to: App, { paymentServiceId, environmentIds }: Scope): Promise<void> {
  const refuse = (what: string) =>
    new MoveRefusal(
      'MOVE_IDS_TAKEN',
      `${what} Shops know the ids of its transactions, so the ids cannot change. Give each database its own range of ids before its first payment service: bin/rubrica ids --from 1000000000.`,
    );
  if ((await selectStrangeEnvironments(to.db, environmentIds, paymentServiceId)).length > 0)
    throw refuse('The other database has environments with the same numbers.');
  const wasThere = (await selectEnvironmentIdsOf(to.db, paymentServiceId)).length > 0;
  const { transaction: next, environment: nextEnvironment } = await selectNextIds(to.db);
  if (environmentIds.some((id) => id >= nextEnvironment && id - nextEnvironment < ROOM_OF_ENVIRONMENTS))
    throw refuse('The other database would soon give out the numbers that environments of this payment service have.');
  const below = await selectIdSpan(from.db, environmentIds, next, 'below');
  const shared = (await inBoth(from, to)).filter((id) => !environmentIds.includes(id));
  const isTaken = async (span: { low: number; high: number }) =>
    (await hasStrangersAmong(to.db, span, [...environmentIds, ...shared])) ||
    (shared.length > 0 && (await countAmong(to.db, span, shared)) > (await countAmong(from.db, span, shared)));
  if (!wasThere && below !== null && (await isTaken(below)))
    throw refuse('The other database has transactions with ids between the ids of this payment service.');
  const above = await selectIdSpan(from.db, environmentIds, next, 'above');
  if (above === null) return;
  if (above.low - next < ROOM)
    throw refuse('The other database would soon give out ids that this payment service has.');
  if (await isTaken(above))
    throw refuse('The other database has transactions with ids between the ids of this payment service.');
}

/**
 * Refuses a different hash key. Hashes of people and bank lines use a key from the first MASTER_KEY of a database and
 * cannot be recomputed.
 */
async function requireSameHashes(from: App, to: App, { paymentServiceId, environmentIds }: Scope): Promise<void> {
  const [one, other] = [await readKeptKey(from, IDENTITY_KEY), await readKeptKey(to, IDENTITY_KEY)];
  if (one === other || !(await hasHashes(from.db, paymentServiceId, environmentIds))) return;
  throw new MoveRefusal(
    'MOVE_KEYS_DIFFER',
    'It has recipients, payouts or bank statements. They are found by hashes, which depend on the first MASTER_KEY of a database. Create the other database with the first MASTER_KEY of this one.',
  );
}

/**
 * Returns the environments that moved between the two databases before. The ids that the source has of them are not the
 * ids of others there; the target may have given them more.
 */
async function inBoth(from: App, to: App): Promise<number[]> {
  const nameOf = ({ id, payment_service_id: owner }: { id: number; payment_service_id: string }) => `${id} ${owner}`;
  const source = new Set((await selectEnvironmentOwners(from.db)).map(nameOf));
  return (await selectEnvironmentOwners(to.db)).filter((one) => source.has(nameOf(one))).map(({ id }) => id);
}
