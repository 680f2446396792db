import type { App } from '../../app.ts';
import { accountOf } from '../../audit/actor.ts';
import { clockOf } from '../../lib/calendar-day.ts';
import { formatMoney } from '../../lib/money.ts';
import type { IdPlace, OpenWalk, Walk } from '../../lib/walk.ts';
import { nameState } from '../../payouts/kept-texts.ts';
import { hashOfChangers, hashOfDetails, hashOfPayees, PAYOUT_CURRENCY } from '../../payouts/payout.ts';
import { addWrong, type Findings, stopping } from '../proof-finding.ts';
import type { ListedAct } from './act-check-queries.ts';
import { type ComparedColumn, changesIn } from './compare-said.ts';
import {
  type BatchSaid,
  DECISIONS,
  type Decision,
  isMadeBy,
  type Payee,
  type PayoutAct,
  type PayoutMade,
  selectActsAbout,
  selectActsAtOnce,
  selectBatchesSaid,
  selectPayeesOf,
  selectPayoutsAfter,
  selectPayoutsNamed,
} from './payout-act-queries.ts';
import { arrivalOf, pagesOfActs, readAct } from './read-acts.ts';

const PAGE = 2000;
/**
 * So many payouts wait for the acts that name several payouts in one text. All of these acts are read for them, so a
 * walk over millions of payouts reads them a few times.
 */
const WAITING = 50_000;

type Action = Parameters<typeof selectBatchesSaid>[1];

/**
 * Compares who proposed, approved, rejected and cancelled payouts, when, and whom they pay, with the acts of the audit
 * log in both directions: each payout with its acts, and each act with its payouts. Also finds payouts that one person
 * both made and approved. What was done before its payment service arrived from another database has its act there.
 * Reads only, in pages.
 */
export async function verifyPayoutActs(
  app: App,
  findings: Findings,
  arrivals: ReadonlyMap<string, number>,
  walks: OpenWalk,
): Promise<void> {
  const walk: Walk<IdPlace<string>> = walks('payouts', 'payouts and their acts');
  await verifyEach(app, stopping(findings, walk), arrivals, walk);
  for (const action of ['payout.proposed', ...DECISIONS] as const) {
    const acts: Walk<IdPlace> = walks(action, 'payouts and their acts');
    await verifyActsOf(app, stopping(findings, acts), action, acts);
  }
}

/** Compares each payout with its acts. Acts are read after their payouts, so none of a payout is missed. */
async function verifyEach(
  app: App,
  findings: Findings,
  arrivals: ReadonlyMap<string, number>,
  walk: Walk<IdPlace<string>>,
): Promise<void> {
  let waiting: Waiting[] = [];
  let place = walk.from ?? { rows: 0, id: '' };
  for (let page = walk.page; page === walk.page; ) {
    const payouts = await selectPayoutsAfter(app.db, place.id, walk.page);
    const subjects = new Set(payouts.flatMap(({ id, batch_id }) => (batch_id === null ? [id] : [id, batch_id])));
    const acts = Map.groupBy(await selectActsAbout(app.db, [...subjects]), ({ subject }) => subject);
    for (const payout of payouts) {
      const arrived = arrivalOf(arrivals, payout.payment_service_id);
      const own = [...(acts.get(payout.id) ?? []), ...(acts.get(payout.batch_id ?? '') ?? [])];
      const said = (acts.get(payout.batch_id ?? payout.id) ?? []).findLast(
        ({ action }) => action === 'payout.proposed',
      );
      const wrong = [...wrongProposal(payout, said, arrived), ...wrongApproval(payout), ...wrongEyes(payout, said)];
      report(findings, payout, wrong);
      const decided = decisionsOf(payout, own, arrived);
      // A copy takes a fraction of the memory of a row.
      if (decided.length > 0) waiting.push({ payout: { ...payout }, decided: new Set(decided) });
    }
    page = payouts.length;
    place = { rows: place.rows + page, id: payouts.at(-1)?.id ?? place.id };
    if (page === walk.page && waiting.length > 0 && waiting.length < WAITING) continue;
    await findTogether(app, findings, waiting);
    waiting = [];
    await walk.reached(place);
  }
}

/** Compares each act of this action with its payouts. */
async function verifyActsOf(app: App, findings: Findings, action: Action, walk: Walk<IdPlace>): Promise<void> {
  let place = walk.from ?? { rows: 0, id: 0 };
  for await (const acts of pagesOfActs(app, action, place.id)) {
    const byKind = Map.groupBy(acts, ({ subject_kind }) => subject_kind);
    await verifyBatches(app, findings, action, { acts: byKind.get('batch') ?? [], page: acts });
    await verifyNamed(app, findings, action, byKind.get('payout') ?? []);
    place = { rows: place.rows + acts.length, id: acts.at(-1)?.link ?? place.id };
    await walk.reached(place);
  }
}

type Payouts = { id: string; environment_id: number | null; since: number | null };

function reportAll(findings: Findings, { id, environment_id, since }: Payouts, wrong: readonly string[]): void {
  const what = id.startsWith('pb_') ? 'batch' : 'payout';
  addWrong(findings, { finding: 'payout_changed', environment_id, subject: id, since }, wrong, `${what} ${id}`);
}

function report(findings: Findings, { id, environment_id, created_at }: PayoutMade, wrong: readonly string[]): void {
  reportAll(findings, { id, environment_id, since: created_at }, wrong);
}

/**
 * Compares a payout with the act that proposed it. The same act approved it where the limits allow that to a program.
 */
function wrongProposal(payout: PayoutMade, said: PayoutAct | undefined, arrived: number): string[] {
  const { created_at, proposed_by, proposed_by_id, proposed_kind } = payout;
  if (created_at <= arrived) return [];
  if (said === undefined) return ['it was never proposed by this service'];
  const columns: ComparedColumn[] = [
    ['created_at', said.created_at, created_at],
    ['proposed_by', said.actor, proposed_by],
    ['proposed_by_id', said.user_id, proposed_by_id],
    ['proposed_kind', said.actor_kind, proposed_kind],
  ];
  if (readAct(said.said_after)['state'] === 'approved') {
    columns.push(
      ['approval', 'automatic', payout.approval],
      ['approved_at', said.created_at, payout.approved_at],
      ['approved_by', 'automatic', payout.approved_by],
      ['approved_by_id', null, payout.approved_by_id],
    );
  } else if (payout.approval === 'automatic') return [...changesIn(columns), 'no rule approved it'];
  return changesIn(columns);
}

const UNAPPROVED: readonly string[] = ['draft', 'awaiting_approval', 'rejected', 'cancelled'];

function wrongApproval({ approval, state }: PayoutMade): string[] {
  return approval === null && !UNAPPROVED.includes(state) ? [`it is ${nameState(state)}, and nobody approved it`] : [];
}

/**
 * The database refuses a payout whose maker, or whose last changer, approved it, as long as nobody has removed its
 * rule. Earlier versions, whose acts do not say who changed an account, let everybody else approve.
 */
function wrongEyes(payout: PayoutMade, said: PayoutAct | undefined): string[] {
  const { approved_by, approved_by_id, proposed_by, proposed_by_id, account_changed_by } = payout;
  if (approved_by_id === null) return [];
  const isSame = approved_by_id === proposed_by_id || accountOf(approved_by ?? '') === accountOf(proposed_by);
  const isOfNow = readAct(said?.said_after ?? null)['changers_sha256'] !== undefined;
  const isAnyChanger = isOfNow && account_changed_by !== null && payout.changed_by_approver > 0;
  return [
    ...(isSame ? ['who made it approved it'] : []),
    ...(isAnyChanger || approved_by_id === account_changed_by ? ['who changed its account approved it'] : []),
  ];
}

type Decided = { action: Decision; says: string };
type Waiting = { payout: PayoutMade; decided: Set<Decided> };

/**
 * Returns the decisions in this payout that none of its own acts made here: those about it alone or about its batch.
 */
function decisionsOf(payout: PayoutMade, own: readonly PayoutAct[], arrived: number): Decided[] {
  const { approval, approved_by, approved_at, changed_at, created_at, state } = payout;
  const isUnsaid = (action: Decision, at: number) =>
    !(Math.max(at, created_at) <= arrived) &&
    !own.some((act) => act.action === action && isMadeBy(action, payout, act));
  const decided: Decided[] = [];
  if (approval === 'person' && isUnsaid('payout.approved', approved_at ?? 0)) {
    const says = `the audit log has no approval by ${approved_by} at ${clockOf(approved_at ?? 0)}`;
    decided.push({ action: 'payout.approved', says });
  }
  if (state !== 'rejected' && state !== 'cancelled') return decided;
  if (isUnsaid(`payout.${state}`, changed_at)) {
    decided.push({
      action: `payout.${state}`,
      says: `it is ${nameState(state)} with a time or a reason that no act has`,
    });
  }
  return decided;
}

/** Looks for these decisions in the acts that name several payouts, and reports those without an act. */
async function findTogether(app: App, findings: Findings, waiting: readonly Waiting[]): Promise<void> {
  const open = new Map(waiting.map((one) => [one.payout.id, one]));
  for (const action of DECISIONS) {
    if (!waiting.some(({ decided }) => [...decided].some((one) => one.action === action))) continue;
    for await (const acts of pagesOfActs(app, action)) {
      for (const act of acts) {
        for (const id of act.subject.split(' ')) {
          const one = open.get(id);
          if (one === undefined || !isMadeBy(action, one.payout, act)) continue;
          for (const said of one.decided) if (said.action === action) one.decided.delete(said);
        }
      }
    }
  }
  for (const { payout, decided } of waiting) {
    const says = [...decided].map((one) => one.says);
    report(findings, payout, says);
  }
}

/** Compares the payouts that these acts name one by one with the acts. */
async function verifyNamed(app: App, findings: Findings, action: Action, acts: readonly ListedAct[]): Promise<void> {
  const named = acts.flatMap((act) => act.subject.split(' ').map((id) => ({ act, id })));
  for (let at = 0; at < named.length; at += PAGE) {
    const some = named.slice(at, at + PAGE);
    const ids = [...new Set(some.map(({ id }) => id))];
    const payouts = new Map((await selectPayoutsNamed(app.db, ids)).map((payout) => [payout.id, payout]));
    for (const { act, id } of some) {
      const payout = payouts.get(id);
      const isMade = payout !== undefined && (action === 'payout.proposed' || isMadeBy(action, payout, act));
      const wrong =
        payout === undefined ? ['it was deleted'] : isMade ? wrongPayees(action, act, [payout]) : [unlike(action, act)];
      reportAll(findings, { id, environment_id: payout?.environment_id ?? null, since: act.created_at }, wrong);
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
    const changes = changesIn([
      ['name', said['reference'], batch.name],
      ['created_at', act.created_at, batch.created_at],
      ['proposed_by', act.actor, batch.proposed_by],
      ['proposed_by_id', act.user_id, batch.proposed_by_id],
      ['payouts', said['payouts'], batch.held],
      ['total', said['total'], formatMoney(batch.held_total, PAYOUT_CURRENCY)],
    ]);
    // Acts of earlier versions do not have the file. The same one could be paid twice.
    const file = said['file_sha256'];
    if (file !== undefined) changes.push(...changesIn([['file_sha256', file, batch.file_sha256]]));
    if (changes.length > 0) return changes;
    const of = { id: act.subject, environment_id: batch.environment_id ?? 0 };
    return wrongPayees(action, act, await selectPayeesOf(app.db, of));
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

/**
 * Compares whom the payouts of a proposal pay, with which verdict, where their outcomes are posted, and who changed
 * their accounts, with its act. Acts of earlier versions do not say it.
 */
function wrongPayees(action: Action, { said_after }: ListedAct, payouts: readonly Payee[]): string[] {
  const { payees_sha256: payees, details_sha256: details, changers_sha256: changers } = readAct(said_after);
  if (action !== 'payout.proposed') return [];
  return [
    ...(payees === undefined || payees === hashOfPayees(payouts)
      ? []
      : ['the recipient, the account, the amount or the message of a payout was changed']),
    ...(details === undefined || details === hashOfDetails(payouts)
      ? []
      : ['the verdict about an account, its time, or the URL for the outcome of a payout was changed']),
    ...(changers === undefined || changers === hashOfChangers(payouts)
      ? []
      : ['who changed the account of a payout was changed']),
  ];
}

function unlike(action: Action, { actor, created_at }: ListedAct): string {
  return `the audit log has "${action}" by ${actor} at ${clockOf(created_at)}`;
}
