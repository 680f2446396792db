import { type Command, Option } from 'commander';
import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import type { Evidence } from '../../lib/evidence-file.ts';
import { formatMoney } from '../../lib/money.ts';
import { decideRefund, rehearseRefundDecision } from '../../refunds/decide-refund.ts';
import { findAnyRefund } from '../../refunds/find-refund.ts';
import type { RefundDecisionOutcome, RefundDecisionResult } from '../../refunds/refund-decision.ts';
import { selectRefundDecisions } from '../../refunds/refund-decision-queries.ts';
import { confirm, yesOption } from '../confirm.ts';
import { evidenceOf } from '../evidence-option.ts';
import { readLimit, readReason } from '../options.ts';
import { alreadyDone, CommandError, listTable, noteCut, notFound, print, time } from '../print.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';

type Options = ActingOptions & { reason: string; evidence?: string; yes?: boolean };

/** `refund settle | retry | decisions`. */
export function addRefundDecisionCommands(group: Command): void {
  addDecision(group, 'settle', 'end a refund that its payment method left open or contradicts')
    .addOption(
      new Option('--outcome <outcome>', 'completed: the money went back; failed: it did not')
        .choices(['completed', 'failed'])
        .makeOptionMandatory(),
    )
    .requiredOption('--evidence <file>', 'file that proves it; the store keeps its name, hash and first bytes')
    .action((id: string, options: Options & { outcome: 'completed' | 'failed' }) =>
      decide(id, options.outcome, options),
    );
  addDecision(group, 'retry', 'request the refund from the payment method again, if the balance there allows it')
    .option('--evidence <file>', 'file that proves that the request of the last 24 hours did nothing')
    .action((id: string, options: Options) => decide(id, 'retry', options));
  group
    .command('decisions')
    .description('list decisions about refunds with author, reason and evidence, newest first')
    .option('--limit <number>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object; amounts in minor units, the beginning of each file in base64')
    .action(decisions);
}

function addDecision(group: Command, name: string, description: string): Command {
  return acting(group.command(name))
    .description(description)
    .argument('<refund>', 'ID from `attention list`')
    .requiredOption('--reason <text>', 'reason for the audit log; do not name people')
    .addOption(yesOption())
    .option('--json', 'print one JSON object');
}

async function decide(id: string, outcome: RefundDecisionOutcome, options: Options): Promise<void> {
  const evidence = options.evidence === undefined ? null : evidenceOf(options.evidence);
  const reason = readReason(options.reason);
  const { amount, ...refund } = await withActor(options, (app, by) =>
    decideIn(app, id, outcome, { evidence, reason, by, options }),
  );
  const said = outcome === 'retry' ? 'is asked for again if the payment’s balance allows it' : `is ${refund.state}`;
  print(options, { refund: id, outcome, ...refund, evidence: evidence?.sha256 ?? null }, [
    `Refund ${id} of ${amount} ${said}.`,
  ]);
}

const ASKS: Record<RefundDecisionOutcome, string> = {
  completed: 'went back to the payer (completed)',
  failed: 'did not go back (failed)',
  retry: 'did not go back, so that the method is asked for it again',
};

async function decideIn(
  app: App,
  id: string,
  outcome: RefundDecisionOutcome,
  { evidence, reason, by, options }: { evidence: Evidence | null; reason: string; by: Actor; options: Options },
) {
  const found = await findAnyRefund(app, id);
  if (found === null) throw unknownRefund(id);
  const wish = { outcome, reason, evidence, by };
  const rehearsed = await rehearseRefundDecision(app, id, wish);
  if (rehearsed?.result !== 'decided') throw refusalOf(rehearsed?.result ?? 'unknown', id);
  const amount = formatMoney(found.refund.amount, found.currency);
  const { transaction_id } = found.refund;
  await confirm(`Decide for transaction ${transaction_id} that ${amount} ${ASKS[outcome]}? It stays.`, options);
  const result = await decideRefund(app, id, { ...wish, effect: rehearsed.effect });
  if (result !== 'decided') throw refusalOf(result, id);
  const after = await findAnyRefund(app, id);
  return { transaction: transaction_id, state: after?.refund.state ?? 'processing', amount };
}

function refusalOf(result: Exclude<RefundDecisionResult, 'decided'>, id: string): CommandError {
  switch (result) {
    case 'unknown':
      return unknownRefund(id);
    case 'already':
      return alreadyDone(`Nothing of refund ${id} waits for this decision: bin/rubrica attention list`);
    case 'completed_stays':
      return alreadyDone(`Refund ${id} is completed and in the books: confirm it with --outcome completed.`);
    case 'too_early':
      return new CommandError(
        `Refund ${id} was asked for less than a day ago, and the balance may be late: wait, or give --evidence that it did nothing.`,
        1,
        'REFUND_TOO_EARLY',
      );
  }
}

function unknownRefund(id: string): CommandError {
  return notFound(`There is no refund ${id}: bin/rubrica refund list`);
}

async function decisions(options: { limit: string; json?: boolean }): Promise<void> {
  const limit = readLimit(options.limit);
  const found = await withApp((app) => selectRefundDecisions(app.db, limit));
  const rows = found.map((one) => ({
    'WHEN (CHILE)': time(one.decided_at),
    REFUND: one.refund_id,
    TRANSACTION: String(one.transaction_id),
    OUTCOME: one.outcome,
    AMOUNT: formatMoney(one.amount, one.currency),
    BY: one.decided_by,
    WHY: one.reason,
    EVIDENCE: one.evidence_name === null ? '—' : `${one.evidence_name} ${one.evidence_sha256?.slice(0, 12)}`,
  }));
  print(options, { decisions: found }, listTable(rows, 'Nothing was decided yet.'));
  noteCut(options, rows.length, limit);
}
