import type { App } from '../app.ts';
import type { MoveRow } from '../moves/move.ts';
import { selectEnvironmentsElsewhere } from '../payment-services/payment-service-queries.ts';
import { changesIn } from './acts/compare-said.ts';
import { readAct } from './acts/read-acts.ts';
import { type MoveAct, selectMoveActs, selectMoves } from './move-check-queries.ts';
import type { Finding } from './proof-finding.ts';

/**
 * Compares the moves of payment services with the acts about them. `wrong`: a row that somebody wrote sends shops and
 * payers to a stranger, or makes a payment service look like an incomplete copy, which is not compared.
 * `incomplete`: the environments of incomplete copies, as far as the audit log has them.
 */
export async function readMoves({ db }: App): Promise<{ wrong: Finding[]; incomplete: Set<number> }> {
  // Acts are read before and after: a move that goes on meanwhile contradicts neither.
  const before = movesOf(await selectMoveActs(db));
  const rows = new Map((await selectMoves(db)).map((row) => [row.id, row]));
  const elsewhere = await selectEnvironmentsElsewhere(db);
  const acts = await selectMoveActs(db);
  const [after, replaced] = [movesOf(acts), replacedIn(acts)];
  const wrong: Finding[] = [];
  const changed = new Set<string>();
  for (const id of new Set([...rows.keys(), ...before.keys()])) {
    const says = rows.has(id)
      ? wrongMove(rows.get(id) as MoveRow, before.get(id) ?? [], after.get(id) ?? [], replaced.has(id))
      : ['it was deleted'];
    if (says.length === 0) continue;
    const act = before.get(id)?.[0];
    changed.add(rows.get(id)?.payment_service_id ?? '');
    // Not of an environment: findings in incomplete copies are left out.
    const since = act?.created_at ?? rows.get(id)?.began_at ?? null;
    const subject = `move ${id}`;
    const text = `${subject} of ${rows.get(id)?.payment_service_id ?? act?.subject}: ${says.join('; ')}`;
    wrong.push({ finding: 'payment_service_changed', environment_id: null, subject, since, says: text });
  }
  const copies = elsewhere.filter((one) => one.direction === 'in' && !changed.has(one.payment_service_id));
  return { wrong, incomplete: new Set(copies.map(({ id }) => id)) };
}

/** Returns a text that changes when a move begins or ends. */
export async function readMoveStates({ db }: App): Promise<string> {
  const states = (await selectMoves(db)).map(({ id, state }) => `${id} ${state}`);
  return states.join();
}

const STATES: Readonly<Record<string, MoveRow['state']>> = {
  'payment_service.move_begun': 'copying',
  'payment_service.moved_away': 'moved',
  'payment_service.moved_here': 'moved',
  'payment_service.move_undone': 'undone',
};

/** Returns the copies to here that a later one of the same payment service ended, without an act about them. */
function replacedIn(acts: readonly MoveAct[]): Set<string> {
  const copies = acts.filter(({ said }) => readAct(said)['from'] !== undefined);
  const last = new Map(copies.map(({ subject, said }) => [subject, readAct(said)['move']]));
  const ids = copies.filter(({ subject, said }) => readAct(said)['move'] !== last.get(subject));
  return new Set(ids.map(({ said }) => String(readAct(said)['move'])));
}

/** Returns the acts about each move, in order. */
function movesOf(acts: readonly MoveAct[]): Map<string, MoveAct[]> {
  return Map.groupBy(acts, ({ said }) => String(readAct(said)['move']));
}

function wrongMove(row: MoveRow, before: readonly MoveAct[], after: readonly MoveAct[], isReplaced: boolean): string[] {
  const begun = after.find(({ said }) => readAct(said)['to'] !== undefined || readAct(said)['from'] !== undefined);
  if (begun === undefined) return ['it was never begun by this service'];
  const { to, from } = readAct(begun.said);
  const states = [before.at(-1), after.at(-1)].flatMap((act) => (act === undefined ? [] : [STATES[act.action]]));
  return [
    ...changesIn([
      ['payment_service', begun.subject, row.payment_service_id],
      ['direction', to === undefined ? 'in' : 'out', row.direction],
      ['address', to ?? from, row.address],
      // A source that was restored from a backup that is older than the move learns of it when it has arrived.
      ...(begun.action === 'payment_service.move_begun' ? [['began_at', begun.created_at, row.began_at] as const] : []),
    ]),
    ...(states.includes(row.state) || (isReplaced && row.state === 'undone')
      ? []
      : changesIn([['state', states.at(-1), row.state]])),
  ];
}
