import { isReason } from '../../audit/reason.ts';
import type { Language } from '../../checkout/texts.ts';
import { type Html, html } from '../../http/html.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';

/** Shows a form for a decision; its reason is kept. */
export function decisionForm(language: Language, action: string, text: 'decide.reject' | 'decide.cancel'): Html {
  return html`<h2>${tell(language, text)}</h2>
<form class="card pad" method="post" action="${action}">
<label>${tell(language, 'refund.reason')}<input name="reason" required maxlength="200"></label>
<p class="quiet">${tell(language, 'refund.reason_hint')}</p>
<button>${tell(language, text)}</button></form>`;
}

/** The result of the previous form, by `done` in the address. */
const DONE: Readonly<Record<string, ConsoleText>> = {
  approved: 'decide.done_approved',
  rejected: 'decide.done_rejected',
  cancelled: 'decide.done_cancelled',
  submitted: 'decide.done_submitted',
  proposed: 'decide.done_proposed',
  replayed: 'decide.done_replayed',
  kept: 'recipient.done',
  settled: 'settle.done',
};

/** Shows that result, if the address has one. */
export function doneNotice({ request, language }: ConsoleVisit): Html | false {
  const { done } = request.query as Record<string, unknown>;
  const text = typeof done === 'string' && Object.hasOwn(DONE, done) ? DONE[done] : undefined;
  return text !== undefined && html`<p class="notice done" role="status">${tell(language, text)}</p>`;
}

/** Returns the trimmed reason; null if it is not valid. */
export function reasonOf(text: string | undefined): string | null {
  const reason = (text ?? '').trim();
  return isReason(reason) ? reason : null;
}
