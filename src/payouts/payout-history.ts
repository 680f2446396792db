import type { App } from '../app.ts';
import { selectAudit } from '../audit/audit-queries.ts';
import type { AuditRow } from '../audit/audit-row.ts';
import type { JournalEntry } from '../books/journal-entry.ts';
import { selectEntriesOfPayout } from '../books/journal-queries.ts';
import type { Payout, PayoutState } from './payout.ts';

/**
 * One line of the history of a payout. `at` is UTC milliseconds. `state`: a new state. `entry`: an entry of the books.
 * `act`: another act of a person. `contradiction`: a reported outcome that the state does not allow.
 */
export type HistoryLine = {
  readonly at: number;
  readonly by: string | null;
  readonly reason: string | null;
} & (
  | { readonly kind: 'state'; readonly what: PayoutState | 'proposed' }
  | { readonly kind: 'entry'; readonly what: string; readonly debit: string; readonly credit: string }
  | { readonly kind: 'act' | 'contradiction'; readonly what: string }
);

/** The state that each action of the audit log leads to. */
export const ACTS: Readonly<Record<string, PayoutState | 'proposed'>> = {
  'payout.proposed': 'proposed',
  'payout.submitted': 'awaiting_approval',
  'payout.approved': 'approved',
  'payout.rejected': 'rejected',
  'payout.cancelled': 'cancelled',
  'payout.filed': 'sent',
};

const MOST_ACTS = 200;

/**
 * Returns the history of a payout, oldest first: from its row, the books, and the audit log of the payout, its batch
 * and its file. `statements`: the ids of the bank statements with a line of the payout, which may have confirmed it.
 */
export async function tellPayout(app: App, payout: Payout, statements: readonly string[] = []): Promise<HistoryLine[]> {
  const subjects = [payout.id, payout.batch_id, payout.file_id].filter((subject) => subject !== null);
  const own = await Promise.all(subjects.map((subject) => selectAudit(app.db, { subject }, MOST_ACTS)));
  const together = await Promise.all([
    findActs(app, own.flat(), 'payout.submitted', payout.id, [
      payout.created_at,
      payout.approved_at ?? payout.changed_at,
    ]),
    findActs(app, own.flat(), 'payout.approved', payout.id, [payout.approved_at]),
    findActs(app, own.flat(), 'payout.filed', payout.file_id, [payout.sent_at]),
    findActs(app, own.flat(), TOGETHER[payout.state], payout.id, [payout.changed_at]),
    ...[...new Set(statements)].map((subject) => {
      const [since, until] = [payout.changed_at, payout.changed_at + 1];
      return selectAudit(app.db, { subject, action: 'statement', since, until }, MOST_ACTS);
    }),
  ]);
  // Order matters: submitting the rest of a batch comes after submitting payouts by name.
  const found = [...together, ...own];
  const acts = found.flatMap((rows) => rows.toReversed());
  const states = statesOf(payout, acts);
  const others = acts.filter(({ action }) => !Object.hasOwn(ACTS, action) && !isOutcome(action));
  const lines = [
    ...states,
    ...(await selectEntriesOfPayout(app.db, payout)).map(lineOfEntry),
    ...others.map(({ created_at: at, action, actor: by, reason }) => ({
      at,
      kind: 'act' as const,
      what: action,
      by,
      reason,
    })),
    ...contradictionOf(payout),
  ];
  // The sort is stable: at the same time, the state comes before its entries.
  return lines.sort((one, other) => one.at - other.at);
}

/** A result, or a line of a bank statement: the outcome of a payout that changed at the same time. */
function isOutcome(action: string): boolean {
  return action === 'payout.settled' || action.startsWith('statement.');
}

/** The actions that can end several payouts at once, by the state they lead to. */
const TOGETHER: Partial<Record<PayoutState, string>> = { rejected: 'payout.rejected', cancelled: 'payout.cancelled' };

/**
 * Finds acts whose subject names several payouts, or all files made at once, in one text: searches by their time, or
 * between two times. `own`: the acts on this payout, its batch or its file alone. Searches nothing if `own` already has
 * the act, and nothing before the proposal. An act on the batch between two times may have excluded this payout.
 */
async function findActs(
  app: App,
  own: readonly AuditRow[],
  action: string | undefined,
  among: string | null,
  [since, until]: readonly [since: number | null, until?: number],
): Promise<AuditRow[]> {
  if (action === undefined || among === null || since === null) return [];
  const end = (until ?? since) + 1;
  const mayBeIt = own.filter(({ subject }) => subject === among || until === undefined);
  if (mayBeIt.some((act) => act.action === action && act.created_at >= since && act.created_at < end)) return [];
  const after = own.find((act) => act.action === 'payout.proposed')?.link;
  const filter = { action, among, since, until: end, ...(after !== undefined && { after }) };
  return selectAudit(app.db, filter, MOST_ACTS);
}

/** The row has the times of approval, sending and end. The audit log has who decided and why, with the same times. */
function statesOf(payout: Payout, acts: readonly AuditRow[]): HistoryLine[] {
  const { state, reason: why, proposed_by, approved_by } = payout;
  const stayed = hasStayed(payout);
  const known: [at: number | null, what: PayoutState | 'proposed', by: string | null, reason: string | null][] = [
    [payout.created_at, 'proposed', proposed_by, stayed ? why : null],
    [payout.approved_at, 'approved', approved_by, null],
    [payout.sent_at, 'sent', null, null],
    [payout.changed_at, state, state === 'approved' ? approved_by : null, why],
  ];
  const lines = new Map<string, HistoryLine>();
  for (const [at, what, by, reason] of known) {
    if (at !== null && !(what === state && stayed)) lines.set(what, { at, kind: 'state', what, by, reason });
  }
  for (const { action, created_at, actor, reason } of acts) {
    const what = isOutcome(action) ? payout.state : ACTS[action];
    if (what === undefined) continue;
    const line = lines.get(what);
    // An act on a batch may have excluded this payout.
    if (line !== undefined ? line.at !== created_at : what !== 'awaiting_approval') continue;
    lines.set(what, { at: created_at, kind: 'state', what, by: actor, reason: reason ?? line?.reason ?? null });
  }
  return [...lines.values()];
}

/** Returns whether a payout still has its first state, so that the history lists it once only. */
function hasStayed({ changed_at, created_at, state }: Payout): boolean {
  return changed_at === created_at && (state === 'draft' || state === 'awaiting_approval');
}

function lineOfEntry({ created_at: at, kind: what, debit_account, credit_account }: JournalEntry): HistoryLine {
  return { at, kind: 'entry', what, debit: debit_account, credit: credit_account, by: null, reason: null };
}

function contradictionOf({ contradiction, contradicted_at }: Payout): HistoryLine[] {
  if (contradiction === null || contradicted_at === null) return [];
  return [{ at: contradicted_at, kind: 'contradiction', what: contradiction, by: null, reason: null }];
}
