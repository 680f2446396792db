import type { Command } from 'commander';
import type { App } from '../../app.ts';
import { Problem } from '../../error-catalogue.ts';
import { beginSentence } from '../../lib/begin-sentence.ts';
import { selectMovements, selectPayouts } from '../../movements/movement-queries.ts';
import { listEnvironmentIds } from '../../payment-services/list-environments.ts';
import { ENVIRONMENTS } from '../../payment-services/payment-service.ts';
import {
  approvePayouts,
  cancelPayouts,
  hashOfShown,
  type PayoutDecision,
  rejectPayouts,
  submitPayouts,
} from '../../payouts/approval/decide-payouts.ts';
import { findBatch, findPayout, listBatches, listPayouts } from '../../payouts/find-payout.ts';
import { isPayoutState, PAYOUT_CURRENCY, PAYOUT_STATES, type Payout, statesBefore } from '../../payouts/payout.ts';
import { MOST_IN_BATCH } from '../../payouts/payout-wish.ts';
import { type ShownPayout, showPayouts } from '../../payouts/show-payouts.ts';
import { confirm, yesOption } from '../confirm.ts';
import { checkPaymentService, readAmount, readLimit, readReason, refuseEmpty } from '../options.ts';
import { orUnknown } from '../or-unknown.ts';
import { invalidOption, noteCut, print } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import { addMovementCommands, movementLines } from './movement-commands.ts';
import { addPayoutFileCommands } from './payout-file-commands.ts';
import { addPayoutLimitCommands } from './payout-limit-commands.ts';
import { addPayoutSenderCommands } from './payout-sender-commands.ts';
import { batchJson, batchLines, payoutDetail, payoutJson, payoutLines, sumOf, warningText } from './payout-view.ts';
import { addProposeCommand } from './propose-command.ts';

type DecideOptions = ActingOptions & { reason?: string; yes?: boolean };
type ListOptions = {
  state?: string;
  batch?: string;
  amount?: string;
  paymentService?: string;
  limit: string;
  json?: boolean;
};

/** The decisions about payouts, and their words in commands. */
const DECISIONS = {
  approve: {
    run: approvePayouts,
    to: 'approved',
    said: 'approved',
    about: 'approve payouts, so that the money can leave; never your own',
  },
  reject: { run: rejectPayouts, to: 'rejected', said: 'rejected', about: 'reject payouts that wait for approval' },
  cancel: { run: cancelPayouts, to: 'cancelled', said: 'cancelled', about: 'cancel payouts that have not left' },
  submit: {
    run: submitPayouts,
    to: 'awaiting_approval',
    said: 'waiting for an approval',
    about: 'submit a draft for approval',
  },
} as const;

type Decision = keyof typeof DECISIONS;

/** `payout propose | approve | reject | cancel | show | list | limits …`, `batch …`, and the commands of movements. */
export function addPayoutCommands(program: Command): void {
  const payout = addMovementCommands(program);
  addProposeCommand(payout);
  for (const name of ['approve', 'reject', 'cancel'] as const) {
    addDecision(payout, name)
      .argument('<id...>', 'IDs from `payout list`')
      .action((ids: string[], options: DecideOptions) => decide(name, ids, options));
  }
  payout
    .command('show')
    .description('show a payout, its recipient, the verdict of the account and warnings')
    .argument('<id>', 'ID from `payout list`')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(show);
  payout
    .command('list')
    .description('list the newest payouts to recipients and to merchants')
    .option('--state <state>', `only payouts to recipients that are ${Object.keys(PAYOUT_STATES).join(', ')}`)
    .option('--batch <id>', 'only payouts of this batch')
    .option('--amount <amount>', 'only payouts to recipients of this amount in CLP')
    .option('--payment-service <id>', 'only of this payment service')
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(list);
  addPayoutFileCommands(payout);
  addPayoutLimitCommands(payout);
  addPayoutSenderCommands(payout);
  addBatchCommands(program);
}

function addBatchCommands(program: Command): void {
  const batch = program.command('batch').description('approve payouts in batches');
  for (const name of Object.keys(DECISIONS) as Decision[]) {
    addDecision(batch, name)
      .argument('<id>', 'ID from `batch list`')
      .action((id: string, options: DecideOptions) => decideBatch(name, id, options));
  }
  batch
    .command('show')
    .description('show a batch and its payouts')
    .argument('<id>', 'ID from `batch list`')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(showBatch);
  batch
    .command('list')
    .description('list the newest batches')
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object; amounts in minor units')
    .action(listAll);
}

function addDecision(group: Command, name: Decision): Command {
  const needsReason = name === 'reject' || name === 'cancel';
  const command = acting(group.command(name)).description(DECISIONS[name].about);
  const why = ['--reason <text>', 'reason; do not name people'] as const;
  return (needsReason ? command.requiredOption(...why) : command.option(...why))
    .addOption(yesOption())
    .option('--json', 'print one JSON object; amounts in minor units');
}

async function decide(name: Decision, given: readonly string[], options: DecideOptions): Promise<void> {
  const ids = [...new Set(given)];
  const payouts = await withActor(options, async (app, by) => {
    const found = await Promise.all(ids.map((id) => orUnknown('payout', id, findPayout(app, null, id))));
    const [{ owner }] = found as [(typeof found)[number]];
    const named = found.map(({ payout }) => payout);
    const decision = { owner, named: { ids }, by, reason: reasonOf(options) };
    return carryOut(app, name, decision, named, options);
  });
  report(name, payouts, options);
}

async function decideBatch(name: Decision, id: string, options: DecideOptions): Promise<void> {
  const payouts = await withActor(options, async (app, by) => {
    const { owner, batch } = await orUnknown('batch', id, findBatch(app, null, id));
    const all = await listPayouts(app, new Set([owner.id]), { batchId: batch.id }, { limit: MOST_IN_BATCH });
    const decision = { owner, named: { batchId: id }, by, reason: reasonOf(options) };
    const before = statesBefore(DECISIONS[name].to);
    const ready = all.filter(({ state }) => before.includes(state));
    return carryOut(app, name, decision, ready, options);
  });
  report(name, payouts, options);
}

function reasonOf({ reason }: DecideOptions): string | null {
  return reason === undefined ? null : readReason(reason);
}

/**
 * Carries out a decision. Before an approval, a person sees the payouts' warnings. If the payouts that wait or the type
 * of an account change during the question, nothing is approved.
 */
async function carryOut(
  app: App,
  name: Decision,
  decision: PayoutDecision,
  payouts: readonly Payout[],
  options: DecideOptions,
): Promise<Payout[]> {
  const seen = name === 'approve' ? await showPayouts(app, payouts) : [];
  if (options.json !== true) {
    const odd = seen.flatMap(({ payout, warnings }) => warnings.map((one) => `! ${payout.id}: ${warningText(one)}`));
    if (odd.length > 0) process.stderr.write(`${odd.slice(0, 50).join('\n')}\n`);
  }
  // If there is nothing to decide, the decision itself throws the refusal.
  const question = [...typeLines(seen), `${beginSentence(name)} ${sumOf(payouts)}?`].join('\n');
  const isAsked = payouts.length > 0 && (await confirm(question, options));
  const shown = isAsked && name === 'approve' ? hashOfShown(seen) : undefined;
  return DECISIONS[name].run(app, { ...decision, shown }).catch((error: unknown) => {
    const isOwn = name === 'approve' && payouts.some((one) => one.proposed_by_id === decision.by.userId);
    throw isOwn && error instanceof Problem && error.code === 'PERMISSION_MISSING' ? ownPayout(error) : error;
  });
}

/** Says which account types people set, as `payout show` and the console do: the bank's file has them. */
function typeLines(seen: readonly ShownPayout[]): string[] {
  return [...Map.groupBy(seen, ({ accountType }) => accountType)].flatMap(([type, of]) => {
    const [named, more] = [of.slice(0, 20).map(({ payout }) => payout.reference), of.length - 20];
    const others = more > 0 ? ` and ${more} more` : '';
    return type === null ? [] : [`Account type ${type}: ${named.join(', ')}${others}`];
  });
}

/** Replaces the advice of a missing permission, which would not help: nobody approves a payout of their own. */
function ownPayout({ code, extras }: Problem): Problem {
  return new Problem(code, {
    ...extras,
    detail: {
      en: 'You proposed it yourself, and no permission changes that: another person approves it, whose role in bin/rubrica user list is approver or owner.',
      es: 'Lo propusiste tú, y ningún permiso cambia eso: lo aprueba otra persona, cuyo rol en bin/rubrica user list es approver u owner.',
    },
  });
}

function report(name: Decision, payouts: readonly Payout[], options: DecideOptions): void {
  const total = payouts.reduce((sum, { amount }) => sum + amount, 0);
  const ids = payouts.map(({ id }) => id);
  const [{ state } = { state: name }] = payouts;
  print(options, { payouts: ids, state, total }, [`${sumOf(payouts)}, ${DECISIONS[name].said}.`]);
}

async function show(id: string, options: { json?: boolean }): Promise<void> {
  const [shown] = await withApp(async (app) => {
    const { payout } = await orUnknown('payout', id, findPayout(app, null, id));
    return showPayouts(app, [payout]);
  });
  if (shown !== undefined) print(options, payoutJson(shown), payoutDetail(shown));
}

async function list(options: ListOptions): Promise<void> {
  const { state, batch, paymentService } = options;
  if (state !== undefined && !isPayoutState(state)) {
    throw invalidOption(`--state is one of ${Object.keys(PAYOUT_STATES).join(', ')}.`);
  }
  const limit = readLimit(options.limit);
  refuseEmpty(options);
  const filter = {
    ...(state !== undefined && { state }),
    ...(batch !== undefined && { batchId: batch }),
    ...(options.amount !== undefined && { amount: readAmount(options.amount, PAYOUT_CURRENCY) }),
  };
  const isFiltered = Object.keys(filter).length > 0;
  const isNarrow = isFiltered || paymentService !== undefined;
  const { shown, recorded } = await withApp(async (app) => {
    await checkPaymentService(app, paymentService);
    const scope = paymentService === undefined ? null : await environmentsOf(app, paymentService);
    return {
      shown: await showPayouts(app, await listPayouts(app, scope, filter, { limit })),
      recorded: isFiltered ? [] : await recordedIn(app, scope, limit),
    };
  });
  const settled = movementLines('payout', recorded);
  const between = shown.length > 0 && settled.length > 0 ? [''] : [];
  const lines = [...payoutLines(shown), ...between, ...settled];
  const nothing = isNarrow
    ? 'There is no such payout.'
    : 'No payout yet: bin/rubrica payout propose FILE makes some, payout create records what was sent to a merchant.';
  const payouts = [...shown.map(payoutJson), ...recorded];
  print(options, { payouts }, lines.length === 0 ? [nothing] : lines);
  noteCut(options, Math.max(shown.length, recorded.length), limit);
}

async function environmentsOf(app: App, paymentService: string): Promise<ReadonlySet<number>> {
  const each = await Promise.all(ENVIRONMENTS.map((one) => listEnvironmentIds(app, one, paymentService, null)));
  return new Set(each.flat());
}

function recordedIn(app: App, scope: ReadonlySet<number> | null, limit: number) {
  if (scope === null) return selectMovements(app.db, 'payout', limit);
  return selectPayouts(app.db, { environmentIds: [...scope], from: 0, to: Number.MAX_SAFE_INTEGER }, limit);
}

async function showBatch(id: string, options: { json?: boolean }): Promise<void> {
  const { listed, shown } = await withApp(async (app) => {
    const found = await orUnknown('batch', id, findBatch(app, null, id));
    const payouts = await listPayouts(app, new Set([found.owner.id]), { batchId: id }, { limit: MOST_IN_BATCH });
    return { listed: found, shown: await showPayouts(app, payouts) };
  });
  const lines = [...batchLines([listed]), '', ...payoutLines(shown)];
  print(options, { ...batchJson(listed), items: shown.map(payoutJson) }, lines);
}

async function listAll(options: { limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const batches = await withApp((app) => listBatches(app, null, { limit }));
  print(options, { batches: batches.map(batchJson) }, batchLines(batches));
  noteCut(options, batches.length, limit);
}
