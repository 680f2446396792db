import { dayOf } from '../../lib/calendar-day.ts';
import { addUp } from '../../lib/exact-sum.ts';
import { isoTime } from '../../lib/iso-time.ts';
import { sayIn } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import type { ListedPayoutFile } from '../../payouts/files/payout-file-queries.ts';
import type { ListedBatch } from '../../payouts/find-payout.ts';
import { contradictingLines } from '../../payouts/payout.ts';
import type { PayoutWarning, ShownPayout } from '../../payouts/show-payouts.ts';
import { countOf, inWords, listTable, table, time } from '../print.ts';
import { terminalLanguage } from '../terminal-language.ts';

/** Returns a payout as commands print it: amounts in minor units, times in ISO 8601. */
export function payoutJson({ payout, recipient, accountType, verdictDays, warnings }: ShownPayout) {
  return {
    id: payout.id,
    reference: payout.reference,
    batch: payout.batch_id,
    state: payout.state,
    amount: payout.amount,
    currency: payout.currency,
    recipient,
    bank: payout.bank_code,
    account: payout.account_masked,
    account_type: accountType,
    verdict: payout.verdict,
    verdict_days: verdictDays,
    warnings: warnings.map(warningJson),
    message: payout.message,
    proposed_by: payout.proposed_by,
    created_at: isoTime(payout.created_at),
    approval: payout.approval,
    approved_by: payout.approved_by,
    approved_at: isoTime(payout.approved_at),
    file: payout.file_id,
    file_line: payout.file_line,
    sender: payout.sender_id,
    sent_at: isoTime(payout.sent_at),
    settled_at: isoTime(payout.settled_at),
    reason: payout.reason,
    contradiction: payout.contradiction,
    contradicted_by: contradictingLines(payout)[0] ?? null,
    contradicting_lines: contradictingLines(payout),
    next_look_at: isoTime(payout.next_look_at),
  };
}

/** Returns the number of payouts and their sum. An item stands for `count` payouts, 1 by default. */
export function sumOf(payouts: readonly { count?: number; amount: number }[]): string {
  const count = payouts.reduce((sum, one) => sum + (one.count ?? 1), 0);
  const total = addUp(payouts.map(({ amount }) => amount));
  return `${countOf(count, 'payout')} of ${formatMoney(total, 'CLP')} in all`;
}

/** Returns payouts as a table, with their warnings below it. */
export function payoutLines(shown: readonly ShownPayout[]): string[] {
  const rows = shown.map(({ payout, recipient, verdictDays, warnings }) => ({
    PAYOUT: payout.id,
    STATE: payout.state,
    AMOUNT: formatMoney(payout.amount, payout.currency),
    NAME: recipient?.name ?? 'erased',
    RUT: recipient?.rut ?? '—',
    ACCOUNT: `${payout.bank_code} ${payout.account_masked}`,
    VERDICT: `${payout.verdict}, ${countOf(verdictDays, 'day')}`,
    ID: payout.reference,
    BY: payout.proposed_by,
    'APPROVED BY': payout.approved_by ?? '—',
    '': warnings.length === 0 ? '' : '!',
  }));
  const notes = shown.flatMap(({ payout, warnings }) => warnings.map((one) => `! ${payout.id}: ${warningText(one)}`));
  return [...listTable(rows), ...notes];
}

/** Returns a batch as commands print it. */
export function batchJson({ batch, sums }: ListedBatch) {
  return {
    id: batch.id,
    name: batch.name,
    created_at: isoTime(batch.created_at),
    proposed_by: batch.proposed_by,
    payouts: sums.reduce((sum, { count }) => sum + count, 0),
    amount: sums.reduce((sum, { amount }) => sum + amount, 0),
    states: Object.fromEntries(sums.map(({ state, count }) => [state, count])),
  };
}

/** Returns a bank file as commands print it since 0.1.0, without its bytes: `--out` writes them. */
export function payoutFileJson(file: ListedPayoutFile) {
  const { id, environment_id, format, name, created_at, made_by, payouts, total, sha256 } = file;
  return { id, environment_id, format, name, created_at, made_by, payouts, total, sha256 };
}

/** Returns batches as a table. */
export function batchLines(batches: readonly ListedBatch[]): string[] {
  const rows = batches.map((listed) => ({
    BATCH: listed.batch.id,
    DAY: dayOf(listed.batch.created_at),
    NAME: listed.batch.name,
    AMOUNT: formatMoney(batchJson(listed).amount, 'CLP'),
    PAYOUTS: listed.sums.map(({ state, count }) => `${count} ${inWords(state)}`).join(', '),
    BY: listed.batch.proposed_by,
  }));
  return listTable(rows, 'No batch yet: create one with bin/rubrica payout propose FILE.');
}

/** Returns the details of one payout as lines. */
export function payoutDetail(shown: ShownPayout): string[] {
  const { payout, recipient, accountType, verdictDays, warnings } = shown;
  const contradicting = contradictingLines(payout);
  const line = contradicting.length === 0 ? '' : `, in line ${contradicting.join(' and ')}`;
  const lines = table([
    ['  state', inWords(payout.state)],
    ['  amount', formatMoney(payout.amount, payout.currency)],
    ['  to', recipient === null ? 'erased' : `${recipient.name}, ${recipient.rut}`],
    ['  account', `${payout.account_masked} at ${payout.bank_code}${accountType === null ? '' : `, ${accountType}`}`],
    ['  verdict', `${payout.verdict}, ${countOf(verdictDays, 'day')} old`],
    ['  message', payout.message],
    ['  id', payout.reference],
    ['  batch', payout.batch_id ?? '—'],
    ['  made', `${time(payout.created_at)} by ${payout.proposed_by}`],
    ['  approved', payout.approved_at === null ? '—' : `${time(payout.approved_at)} by ${payout.approved_by}`],
    ['  sent', payout.sent_at === null ? '—' : `${time(payout.sent_at)}${fileOf(payout)}`],
    ['  ended', time(payout.settled_at)],
    ['  reason', payout.reason ?? '—'],
    ['  contradicted', `${payout.contradiction ?? '—'}${line}`],
  ]);
  return [`Payout ${payout.id}.`, ...lines, ...warnings.map((one) => `  ! ${warningText(one)}`)];
}

/** Returns a warning as commands print it in JSON. */
export function warningJson({ code, text }: PayoutWarning) {
  return { code, text: text.en };
}

/** Returns a warning in the terminal's language. */
export function warningText({ text }: PayoutWarning): string {
  return sayIn(text, terminalLanguage());
}

function fileOf({ file_id, file_line, sender_id }: ShownPayout['payout']): string {
  if (sender_id !== null) return ` by ${sender_id}`;
  return file_id === null ? '' : ` in ${file_id}, line ${file_line}`;
}
