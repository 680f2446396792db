import { type Command, Option } from 'commander';
import type { App } from '../../app.ts';
import { listAttention } from '../../attention/list-attention.ts';
import type { Actor } from '../../audit/actor.ts';
import { decidePayment, rehearseDecision } from '../../checkout/decide-payment.ts';
import { findAttempt } from '../../checkout/find-payment.ts';
import type { DecidedOutcome, DecisionResult } from '../../checkout/payment-decision.ts';
import { selectDecisions } from '../../checkout/payment-decision-queries.ts';
import type { Evidence } from '../../lib/evidence-file.ts';
import { formatMoney } from '../../lib/money.ts';
import { confirm, yesOption } from '../confirm.ts';
import { evidenceOf } from '../evidence-option.ts';
import { readAmount, readLimit, readReason } from '../options.ts';
import { alreadyDone, CommandError, invalidOption, listTable, noteCut, notFound, print, time } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';
import { addImportCommand } from './payment-import-command.ts';

type SettleOptions = ActingOptions & {
  outcome: DecidedOutcome;
  evidence: string;
  reason: string;
  amount?: string;
  yes?: boolean;
};

/** `payment settle | decisions | import`. */
export function addPaymentCommands(program: Command): void {
  const group = program.command('payment').description('end payments that need a person');
  acting(group.command('settle'))
    .description('end a payment attempt that its payment method left open or contradicts')
    .argument('<attempt>', 'ID from `attention list`')
    .addOption(
      new Option('--outcome <outcome>', 'approved: the money was taken; the others: it was not')
        .choices(['approved', 'declined', 'aborted'])
        .makeOptionMandatory(),
    )
    .requiredOption(
      '--evidence <file>',
      'file that proves it, such as a page of the acquirer; the store keeps its name, hash and first bytes',
    )
    .requiredOption('--reason <text>', 'reason for the audit log; do not name people')
    .option('--amount <amount>', 'amount taken, if it differs from the amount of the transaction')
    .addOption(yesOption())
    .option('--json', 'print one JSON object')
    .action(settle);
  group
    .command('decisions')
    .description('list decisions about payments with author, reason and evidence, newest first')
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object; amounts in minor units, the beginning of each file in base64')
    .action(decisions);
  addImportCommand(group);
}

async function settle(attemptId: string, options: SettleOptions): Promise<void> {
  const evidence = evidenceOf(options.evidence);
  const reason = readReason(options.reason);
  const { state, transaction, amount, suspended } = await withActor(options, (app, by) =>
    decide(app, attemptId, options, { evidence, reason, by }),
  );
  const taken = amount === null ? '' : ` of ${amount}`;
  print(options, { attempt: attemptId, outcome: options.outcome, ...transaction, evidence: evidence.sha256 }, [
    `Attempt ${attemptId}${taken} is ${state}; transaction ${transaction.transaction} is ${transaction.state}.`,
    ...suspended,
  ]);
}

/** The most items in suspense that are searched for one transaction. */
const MOST_SUSPENSE = 10_000;

async function decide(
  app: App,
  attemptId: string,
  { outcome, amount, yes }: SettleOptions,
  { evidence, reason, by }: { evidence: Evidence; reason: string; by: Actor },
) {
  const found = await findAttempt(app, attemptId);
  if (found === null) throw unknownAttempt(attemptId);
  const { currency } = found.transaction;
  const taken = amount === undefined ? null : readAmount(amount, currency);
  if (taken !== null && outcome !== 'approved') throw invalidOption('--amount goes with --outcome approved alone.');
  if (taken === 0) throw invalidOption('The amount is above 0.');
  const wish = { outcome, taken, reason, evidence, by };
  const rehearsed = await rehearseDecision(app, attemptId, wish);
  if (rehearsed?.result !== 'decided') throw refusalOf(rehearsed?.result ?? 'unknown', attemptId);
  const said = formatMoney(taken ?? found.transaction.amount, currency);
  const money = outcome === 'approved' ? `${said} were taken` : 'no money was taken';
  await confirm(`Decide for transaction ${found.transaction.id} that ${money} (${outcome})? It stays.`, {
    yes: yes === true,
  });
  const result = await decidePayment(app, attemptId, { ...wish, effect: rehearsed.effect });
  if (result !== 'decided') throw refusalOf(result, attemptId);
  const after = await findAttempt(app, attemptId);
  if (after === null) throw unknownAttempt(attemptId);
  const { id, state } = after.transaction;
  const suspense = (await listAttention(app, 'suspense', MOST_SUSPENSE)).filter((one) => one.transaction === id);
  return {
    state: after.attempt.state,
    transaction: { transaction: id, state },
    amount: outcome === 'approved' ? said : null,
    suspended: suspense.map(
      (one) => `${formatMoney(one.amount ?? 0, currency)} of it belong to no order and wait: ${one.command}`,
    ),
  };
}

function refusalOf(result: Exclude<DecisionResult, 'decided'>, attemptId: string): CommandError {
  switch (result) {
    case 'unknown':
      return unknownAttempt(attemptId);
    case 'already':
      return alreadyDone(`Nothing of attempt ${attemptId} waits for a decision: bin/rubrica attention list`);
    case 'approved_stays':
      return new CommandError(
        `Attempt ${attemptId} is approved and in the books: confirm it with --outcome approved, or refund it: bin/rubrica refund create`,
        1,
        'ALREADY_DONE',
      );
  }
}

function unknownAttempt(id: string): CommandError {
  return notFound(`There is no payment attempt ${id}: bin/rubrica attention list`);
}

async function decisions(options: { limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const found = await withApp((app) => selectDecisions(app.db, limit));
  const rows = found.map((one) => ({
    'WHEN (CHILE)': time(one.decided_at),
    ATTEMPT: one.payment_attempt_id,
    TRANSACTION: String(one.transaction_id),
    OUTCOME: one.outcome,
    TAKEN: one.taken === null ? '—' : formatMoney(one.taken, one.currency),
    BY: one.decided_by,
    WHY: one.reason,
    EVIDENCE: `${one.evidence_name} ${one.evidence_sha256.slice(0, 12)}`,
  }));
  print(options, { decisions: found }, listTable(rows, 'Nothing was decided yet.'));
  noteCut(options, rows.length, limit);
}
