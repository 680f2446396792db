import type { App } from '../app.ts';
import { accountOf } from '../audit/actor.ts';
import { formatMoney } from '../lib/money.ts';
import { PAYOUT_CURRENCY } from '../payouts/payout-limits.ts';
import type { ListedAct } from './act-check-queries.ts';
import { type ComparedColumn, changesIn } from './compare-said.ts';
import {
  type BatchSaid,
  DECISIONS,
  type PayoutSaid,
  selectActsAtOnce,
  selectBatchesSaid,
  selectDecidedBy,
  selectPayoutsSaid,
} from './payout-act-queries.ts';
import type { Findings } from './proof-finding.ts';
import { pagesById, pagesOfActs, readAct } from './read-acts.ts';

const PAGE = 2000;
/** So many payouts wait for the acts that name several payouts in one text, and all of these acts are read for them. */
const WAITING = 10_000;

type Action = Parameters<typeof selectBatchesSaid>[1];

/**
 * Compares who proposed, approved, rejected and cancelled payouts, and when, with the acts of the audit log in both
 * directions: each payout with its acts, and each act with its payouts. Also finds payouts that one person both made
 * and approved. What was done before its payment service arrived from another database has its act there.
 */
export async function verifyPayoutActs(
  app: App,
  findings: Findings,
  arrivals: ReadonlyMap<string, number>,
): Promise<void> {
  let waiting: PayoutSaid[] = [];
  for await (const payouts of pagesById(PAGE, (after, limit) => selectPayoutsSaid(app.db, after, limit))) {
    for (const payout of payouts) {
      const arrived = arrivals.get(payout.payment_service_id) ?? -1;
      report(findings, payout, [...wrongProposal(payout, arrived), ...wrongApproval(payout), ...wrongEyes(payout)]);
      if (decisionsOf(payout, arrived).length > 0) waiting.push(payout);
    }
    if (waiting.length < WAITING) continue;
    await findTogether(app, findings, waiting, arrivals);
    waiting = [];
  }
  await findTogether(app, findings, waiting, arrivals);
  for (const action of ['payout.proposed', ...DECISIONS] as const) {
    for await (const acts of pagesOfActs(app, action)) {
      const byKind = Map.groupBy(acts, ({ subject_kind }) => subject_kind);
      await verifyBatches(app, findings, action, { acts: byKind.get('batch') ?? [], page: acts });
      await verifyNamed(app, findings, action, byKind.get('payout') ?? []);
    }
  }
}

type Payouts = { id: string; environment_id: number | null; since: number | null };

function reportAll(findings: Findings, { id, environment_id, since }: Payouts, wrong: readonly string[]): void {
  if (wrong.length === 0) return;
  const what = id.startsWith('pb_') ? 'batch' : 'payout';
  const says = `${what} ${id}: ${wrong.join('; ')}`;
  findings.add({ finding: 'payout_changed', environment_id, subject: id, since, says });
}

function report(findings: Findings, { id, environment_id, created_at }: PayoutSaid, wrong: readonly string[]): void {
  reportAll(findings, { id, environment_id, since: created_at }, wrong);
}

/** Compares a payout with the act that proposed it. The same act approved it where the limits allow that to a program. */
function wrongProposal(payout: PayoutSaid, arrived: number): string[] {
  const { created_at, proposed_by, proposed_by_id, proposed_kind, said, said_at } = payout;
  if (created_at <= arrived) return [];
  if (said_at === null) return ['it was never proposed by this service'];
  const columns: ComparedColumn[] = [
    ['created_at', said_at, created_at],
    ['proposed_by', payout.said_by, proposed_by],
    ['proposed_by_id', payout.said_by_id, proposed_by_id],
    ['proposed_kind', payout.said_kind, proposed_kind],
  ];
  if (readAct(said)['state'] === 'approved') {
    columns.push(
      ['approval', 'automatic', payout.approval],
      ['approved_at', said_at, payout.approved_at],
      ['approved_by', 'automatic', payout.approved_by],
      ['approved_by_id', null, payout.approved_by_id],
    );
  } else if (payout.approval === 'automatic') return [...changesIn(columns), 'no rule approved it'];
  return changesIn(columns);
}

const UNAPPROVED: readonly string[] = ['draft', 'awaiting_approval', 'rejected', 'cancelled'];

function wrongApproval({ approval, state }: PayoutSaid): string[] {
  return approval === null && !UNAPPROVED.includes(state) ? [`it is ${state}, and nobody approved it`] : [];
}

/** The database refuses this too, as long as nobody has removed its rule. */
function wrongEyes({ approved_by, approved_by_id, proposed_by, proposed_by_id, account_changed_by }: PayoutSaid) {
  if (approved_by_id === null) return [];
  const isSame = approved_by_id === proposed_by_id || accountOf(approved_by ?? '') === accountOf(proposed_by);
  return [
    ...(isSame ? ['who made it approved it'] : []),
    ...(approved_by_id === account_changed_by ? ['who changed its account approved it'] : []),
  ];
}

type Decided = { action: Action; at: number; says: string; isBy: (act: ListedAct) => boolean };

/** Returns the decisions in this payout that no act about it alone or about its batch made here. */
function decisionsOf(payout: PayoutSaid, arrived: number): Decided[] {
  const { approval_unsaid, end_unsaid, approved_by, approved_by_id, state } = payout;
  const approvedAt = payout.approved_at ?? 0;
  const decided: Decided[] = [];
  if (approval_unsaid === 1 && Math.max(approvedAt, payout.created_at) > arrived) {
    const says = `the audit log has no approval by ${approved_by} at ${approvedAt}`;
    const isBy = (act: ListedAct) => act.actor === approved_by && act.user_id === approved_by_id;
    decided.push({ action: 'payout.approved', at: approvedAt, says, isBy });
  }
  if (end_unsaid === 1 && Math.max(payout.changed_at, payout.created_at) > arrived) {
    const says = `it is ${state} with a time or a reason that no act has`;
    const isBy = (act: ListedAct) => (act.reason ?? '') === (payout.reason ?? '');
    const action = state === 'rejected' ? 'payout.rejected' : 'payout.cancelled';
    decided.push({ action, at: payout.changed_at, says, isBy });
  }
  return decided;
}

/** Looks for the decisions about these payouts in the acts that name several payouts, and reports those without an act. */
async function findTogether(
  app: App,
  findings: Findings,
  payouts: readonly PayoutSaid[],
  arrivals: ReadonlyMap<string, number>,
): Promise<void> {
  const open = new Map(
    payouts.map((payout) => {
      const decided = decisionsOf(payout, arrivals.get(payout.payment_service_id) ?? -1);
      return [payout.id, { payout, decided: new Set(decided) }];
    }),
  );
  for (const action of DECISIONS) {
    if (![...open.values()].some(({ decided }) => [...decided].some((one) => one.action === action))) continue;
    for await (const acts of pagesOfActs(app, action)) {
      for (const act of acts) {
        for (const id of act.subject.split(' ')) {
          const decided = open.get(id)?.decided ?? new Set();
          for (const one of decided) {
            if (one.action === action && one.at === act.created_at && one.isBy(act)) decided.delete(one);
          }
        }
      }
    }
  }
  for (const { payout, decided } of open.values()) {
    const says = [...decided].map((one) => one.says);
    report(findings, payout, says);
  }
}

/** Compares the payouts that these acts name one by one with the acts. */
async function verifyNamed(app: App, findings: Findings, action: Action, acts: readonly ListedAct[]): Promise<void> {
  const byLink = new Map(acts.map((act) => [act.link, act]));
  const named = acts.flatMap(({ link, subject }) => subject.split(' ').map((id) => ({ link, id })));
  for (let at = 0; at < named.length; at += PAGE) {
    const some = named.slice(at, at + PAGE);
    const rows = await selectDecidedBy(app.db, action, some);
    const found = new Map(rows.map((row) => [`${row.link} ${row.id}`, row]));
    for (const { link, id } of some) {
      const act = byLink.get(link) as ListedAct;
      const row = found.get(`${link} ${id}`);
      const wrong = row === undefined ? ['it was deleted'] : row.decided === 1 ? [] : [unlike(action, act)];
      reportAll(findings, { id, environment_id: row?.environment_id ?? null, since: act.created_at }, wrong);
    }
  }
}

/** Compares the batches of these acts with them: their own columns, and how many payouts each act decided about. */
async function verifyBatches(
  app: App,
  findings: Findings,
  action: Action,
  { acts, page }: { acts: readonly ListedAct[]; page: readonly ListedAct[] },
): Promise<void> {
  // The acts at the same moment as the first or the last one of a page may be on other pages.
  const times = [page[0], ...page, page.at(-1)].flatMap((act) => act?.created_at ?? []);
  const atOnce = new Set(times.filter((time, at) => times.indexOf(time) !== at));
  const links = acts.map(({ link }) => link);
  const rows = new Map((await selectBatchesSaid(app.db, action, links)).map((row) => [row.link, row]));
  for (const act of acts) {
    const batch = rows.get(act.link);
    const isGone = batch === undefined || batch.environment_id === null;
    const wrong = isGone
      ? ['it was deleted']
      : await wrongBatch(app, action, { act, isAlone: !atOnce.has(act.created_at) }, batch);
    const environment_id = batch?.environment_id ?? null;
    reportAll(findings, { id: act.subject, environment_id, since: act.created_at }, wrong);
  }
}

async function wrongBatch(
  app: App,
  action: Action,
  { act, isAlone }: { act: ListedAct; isAlone: boolean },
  batch: BatchSaid,
): Promise<string[]> {
  const said = readAct(act.said_after);
  if (action === 'payout.proposed') {
    return changesIn([
      ['name', said['reference'], batch.name],
      ['created_at', act.created_at, batch.created_at],
      ['proposed_by', act.actor, batch.proposed_by],
      ['proposed_by_id', act.user_id, batch.proposed_by_id],
      ['payouts', said['payouts'], batch.held],
      ['total', said['total'], formatMoney(batch.held_total, PAYOUT_CURRENCY)],
    ]);
  }
  if (isAlone && said['payouts'] === batch.held) return [];
  // The same person may have decided about parts of the batch at the same moment.
  const atOnce = await selectActsAtOnce(app.db, action, act);
  const ids = atOnce.flatMap(({ subject, subject_kind }) => (subject_kind === 'payout' ? subject.split(' ') : []));
  const [others] = await selectBatchesSaid(app.db, action, [act.link], ids);
  const ofBatch = atOnce.filter(({ subject }) => subject === act.subject);
  const count = ofBatch.reduce((sum, one) => sum + Number(readAct(one.said_after)['payouts']), 0);
  return count === others?.held ? [] : [`${unlike(action, act)} for ${count} payouts, and ${others?.held} have it`];
}

function unlike(action: Action, { actor, created_at }: ListedAct): string {
  return `the audit log has "${action}" by ${actor} at ${created_at}`;
}
