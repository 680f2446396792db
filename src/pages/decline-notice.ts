import type { Payment } from '../checkout/find-payment.ts';
import { linkSubject } from '../checkout/order-lines.ts';
import { methodName, say, type TextKey } from '../checkout/texts.ts';
import { type Html, html } from '../http/html.ts';
import type { Language } from '../lib/language.ts';
import { DECLINE_REASONS } from '../payment-methods/payment-method.ts';

/**
 * Tells a payer why the last attempt took no money, and how to try again. Returns false unless the last attempt was
 * declined or aborted.
 */
export function declineNotice(payment: Payment, language: Language): Html | false {
  const { attempt, methods, isLastTry } = payment;
  if (attempt?.state !== 'declined' && attempt?.state !== 'aborted') return false;
  const several = methods.length > 1 ? 'declined.otherwise' : 'declined.again';
  const next = say(language, isLastTry ? 'declined.last' : several);
  return html`<div class="declined" role="alert"><strong>${declineTitle(payment, language)}</strong>
<p>${declineText(payment, language)} ${next}</p></div>`;
}

/** Says that the payment was refused only when the bank says so; otherwise it was not completed. */
function declineTitle({ attempt }: Payment, language: Language): string {
  const { reason } = detailOf(attempt);
  const isUnfinished = attempt?.state === 'aborted' || reason === 'time_out' || reason === 'cancelled_at_bank';
  return say(language, isUnfinished ? 'declined.title_unfinished' : 'declined.title');
}

/** Returns the method's reason in words for the payer. */
export function declineText({ transaction, attempt, method }: Payment, language: Language): string {
  const { reason, card_last_digits } = detailOf(attempt);
  if (attempt?.state === 'aborted') {
    const name = method === null ? '' : methodName(language, method);
    const known = reason === 'turned_back' || reason === 'not_finished';
    return say(language, known ? `declined.${reason}` : 'declined.aborted', { method: name });
  }
  return knownDecline(language, transaction, { reason, card_last_digits }) ?? say(language, 'declined.other');
}

/** Returns the sentence of the pay page for the method's reason of a decline; null: the page has none for it. */
export function knownDecline(
  language: Language,
  transaction: Payment['transaction'],
  { reason, card_last_digits }: DeclineDetail,
): string | null {
  const known = DECLINE_REASONS.find((one) => one === reason);
  if (known === undefined) return null;
  // Two payers of a link may share this page.
  const isShown = linkSubject(transaction) === null && /^\d{4}$/.test(String(card_last_digits));
  const card = isShown ? say(language, 'declined.card', { digits: String(card_last_digits) }) : '';
  return say(language, `declined.${known}` satisfies TextKey, { card });
}

type DeclineDetail = { reason?: unknown; card_last_digits?: unknown };

function detailOf(attempt: Payment['attempt']): DeclineDetail {
  return JSON.parse(attempt?.detail ?? '{}') as DeclineDetail;
}
