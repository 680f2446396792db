import { isReason } from '../../audit/reason.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { type ConsoleText, tell } from '../console-texts.ts';

/** Shows a form for a decision; its reason is kept. */
export function decisionForm(language: Language, action: string, text: 'decide.reject' | 'decide.cancel'): Html {
  return html`<h2>${tell(language, text)}</h2>
<form class="card pad" method="post" action="${action}">
<label>${tell(language, 'refund.reason')}<input name="reason" required maxlength="200"></label>
<p class="quiet">${tell(language, 'refund.reason_hint')}</p>
<button>${tell(language, text)}</button></form>`;
}

/** The results of the forms of payouts, batches and recipients, for `resultNotice`. */
export const DONE_WITH_PAYOUTS: Readonly<Record<string, ConsoleText>> = {
  approved: 'decide.done_approved',
  rejected: 'decide.done_rejected',
  cancelled: 'decide.done_cancelled',
  submitted: 'decide.done_submitted',
  proposed: 'decide.done_proposed',
  replayed: 'decide.done_replayed',
  kept: 'recipient.done',
  settled: 'settle.done',
};

/** Returns the trimmed reason; null if it is not valid. */
export function reasonOf(text: string | undefined): string | null {
  const reason = (text ?? '').trim();
  return isReason(reason) ? reason : null;
}
