import { isReason } from '../../audit/reason.ts';
import { type Html, html } from '../../http/html.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { type Fault, isAtFault, reasonField } from '../notice.ts';
import { fieldsOf } from '../sign-in.ts';

type Decision = { at: string; act: 'reject' | 'cancel'; refused: string | Fault };

/** Shows a form for a decision below the path `at`; its reason is kept. */
export function decisionForm({ language, request }: ConsoleVisit, { at, act, refused }: Decision): Html {
  const as = reasonFor(act);
  const value = isAtFault(refused, as) ? fieldsOf(request)['reason'] : undefined;
  const text = tell(language, `decide.${act}`);
  return html`<h2>${text}</h2>
<form class="card pad" method="post" action="${at}/${act}">
<p>${tell(language, `decide.${act}_text`)}</p>
${reasonField(language, refused, { as, value })}
<button>${text}</button></form>`;
}

/** Returns how `Fault` names the reason of this decision. */
export function reasonFor(act: Decision['act']): string {
  return `reason-${act}`;
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
  account_type: 'account_type.done',
};

/** Returns the trimmed reason; null if it is not valid. */
export function reasonOf(text: string | undefined): string | null {
  const reason = (text ?? '').trim();
  return isReason(reason) ? reason : null;
}
