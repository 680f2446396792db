import type { Payment } from '../checkout/find-payment.ts';
import { formatAmount, formatTime } from '../checkout/format-for-payer.ts';
import { linkSubject } from '../checkout/order-lines.ts';
import { methodName, say, type TextKey } from '../checkout/texts.ts';
import { type Html, html } from '../http/html.ts';
import type { Language } from '../lib/language.ts';

export type Icon = 'good' | 'bad' | 'neutral' | 'waiting';

const DRAWINGS: Record<Icon, Html> = {
  good: html`<path d="m20 33 9 9 16-19"/>`,
  bad: html`<path d="m23 23 18 18m0-18L23 41"/>`,
  neutral: html`<path d="M21 32h22"/>`,
  waiting: html`<path d="M32 20v13l8 5"/>`,
};

/** Returns the heading of a page that shows a payment's state: icon, title and text. */
export function outcome(icon: Icon, title: string, text: string): Html {
  return html`<div role="status" class="outcome ${icon}">
<svg viewBox="0 0 64 64" width="64" height="64" aria-hidden="true"><circle cx="32" cy="32" r="30"/>${DRAWINGS[icon]}</svg>
<h1>${title}</h1>
<p>${text}</p>
</div>`;
}

/** Returns the heading with the amount to pay. A number never breaks across lines, so a longer one is set smaller. */
export function amountHeading(amount: string, language: Language): Html {
  const { length } = amount;
  const size = length <= 10 ? 'amount' : length <= 16 ? 'amount long' : 'amount longest';
  return html`<h1><span class="to">${say(language, 'payable.total')}</span> <span class="${size}">${amount}</span></h1>`;
}

/** Returns the details by which payer and shop can find the payment again. */
export function summary(payment: Payment, language: Language): Html {
  const rows = summaryRows(payment, language);
  return html`<dl>${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Returns the same details as plain texts. */
export function summaryRows(payment: Payment, language: Language): [name: string, value: string][] {
  const { transaction, environment, attempt, method, refunded } = payment;
  const detail = JSON.parse(attempt?.detail ?? '{}') as { authorization_code?: string };
  const subject = linkSubject(transaction);
  const paidAt = payment.stage === 'completed' ? transaction.settled_at : null;
  const rows: [TextKey, string | undefined][] = [
    ['summary.amount', amountOf(payment, language)],
    ['summary.refunded', refunded === 0 ? undefined : formatAmount(language, refunded, transaction.currency)],
    ['summary.merchant', environment.paymentServiceName],
    subject === null ? ['summary.reference', transaction.reference] : ['summary.subject', subject],
    ['summary.method', method === null ? undefined : methodName(language, method)],
    // Some banks send a code with a decline too, and it authorises nothing.
    ['summary.authorization', attempt?.state === 'approved' ? detail.authorization_code : undefined],
    ['summary.time', paidAt === null ? undefined : formatTime(language, paidAt)],
    ['summary.transaction', String(transaction.id)],
  ];
  return rows.flatMap(([key, value]) => (value === undefined ? [] : [[say(language, key), value]]));
}

/** Returns the amount as the payer reads it. */
export function amountOf({ transaction }: Payment, language: Language): string {
  return formatAmount(language, transaction.amount, transaction.currency);
}
