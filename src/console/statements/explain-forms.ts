import type { App } from '../../app.ts';
import { mayAny, readWith } from '../../auth/permission.ts';
import type { User } from '../../auth/user.ts';
import { methodName } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import { findSecondLines, sayMissing } from '../../statements/find-second-lines.ts';
import { listExplanations } from '../../statements/list-explanations.ts';
import { canBeExplained, type KeptLine, type ListedStatement } from '../../statements/statement.ts';
import { actorText } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { choiceNames, listMerchants } from '../merchants/visible-merchants.ts';
import { type Fault, formField, reasonField } from '../notice.ts';

/** The typed fields of a form that was refused or waited for a new proof of identity. */
type Typed = Readonly<Record<string, string>>;

/** How `Fault` names the reason for all lines. */
export const REASON_OF_ALL = 'reason-all';

/**
 * Asks for the subject of a line in suspense, or of one that a person called unrelated; of another line, whether it is
 * matched wrongly.
 */
export async function explainForm(
  app: App,
  visit: ConsoleVisit,
  { id, payment_service_id, environment }: ListedStatement,
  { line, typed, fault }: { line: KeptLine; typed: Typed; fault: Fault },
): Promise<Html> {
  const { language, user } = visit;
  const { file_line, day, amount, currency, used_as, reason, resolved_by } = line;
  // The form of a line that somebody explained meanwhile has another use.
  if (!canBeExplained(line))
    return typed['use'] === used_as
      ? reopenForm(app, visit, line, { typed, fault })
      : html`<p class="notice">${tell(language, 'explain.gone')}</p>`;
  const second = (await findSecondLines(app)).find((one) => one.line === `${id}/${file_line}`);
  const missing = second === undefined ? null : sayMissing(second);
  const alike = await listExplanations(app, { environment, paymentServiceId: payment_service_id }, line);
  const merchants = payment_service_id === null ? [...choiceNames(await listMerchants(app, user))] : [];
  // Of several merchants none is chosen beforehand: money would be booked to the wrong one.
  const whose =
    merchants.length > 1 ? [['', tell(language, 'explain.choose_whose')] as const, ...merchants] : merchants;
  const isCredit = amount > 0;
  const choices = choicesFor(app, language, line);
  const option = (name: string, value: string, text: string) =>
    html`<option value="${value}"${typed[name] === value && html` selected`}>${text}</option>`;
  const list = alike.map(({ id: one, says }) => html`<option value="${one}">${says[language]}</option>`);
  return html`<form class="card pad narrow" id="explain" method="post" action="${publicPath(app)}/console/statements/${id}/uses">
<h2>${tell(language, 'explain.title', { line: file_line })}</h2>
<p>${day} · <strong>${formatMoney(amount, currency)}</strong></p>
${missing !== null && html`<p class="notice">${missing[language]}</p>`}
${used_as === 'other' && html`<p class="notice">${tell(language, 'explain.was_other', { name: actorText(language, resolved_by), reason: reason ?? '' })}</p>`}
<input type="hidden" name="line" value="${file_line}"><input type="hidden" name="use" value="${used_as}">
${formField(fault, 'is', (attributes) => html`<label>${tell(language, 'explain.use')}<select name="is" required${attributes}>${choices.map(([value, text]) => option('is', value, text))}</select></label>`)}
${formField(fault, 'subject', (attributes) => html`<label>${tell(language, 'explain.subject')}<input name="subject" maxlength="60" value="${typed['subject'] ?? ''}" list="alike" autocomplete="off"${attributes}></label>`, 'subject-hint')}
<datalist id="alike">${list}</datalist>
<p class="quiet" id="subject-hint">${tell(language, 'explain.subject_hint')}</p>
${isCredit && formField(fault, 'commission', (attributes) => html`<label>${tell(language, 'explain.commission')}<input name="commission" maxlength="12" value="${typed['commission'] ?? ''}" inputmode="numeric" autocomplete="off"${attributes}></label>`)}
${
  whose.length > 0 &&
  formField(
    fault,
    'merchant',
    (attributes) =>
      html`<label>${tell(language, 'explain.whose')}<select name="merchant"${attributes}>${whose.map(([one, name]) => option('merchant', one, name))}</select></label>`,
  )
}
${reasonField(language, fault, { value: typed['reason'] })}
<p class="actions"><button class="primary">${tell(language, 'explain.save')}</button></p></form>`;
}

/** Shows what a line is of, as a link if the person may open its screen. */
export function subjectCell(app: App, { subject }: KeptLine, { may }: User): Html | string {
  if (subject === null) return '—';
  const [, kind] = /^(po|pf|mv)_/.exec(subject) ?? [];
  const mayOpen = kind === 'mv' ? mayAny(may, readWith('movements:record')) : may.has('recipients:read');
  if (kind === undefined || !mayOpen) return html`<span class="code whole">${subject}</span>`;
  const place = PLACES[kind as keyof typeof PLACES];
  return html`<a class="code" href="${publicPath(app)}/console/${place}${subject}">${subject}</a>`;
}

const PLACES = { po: 'payouts/', pf: 'payout-files/', mv: 'movements/' } as const;

/** Returns what a person may say that a line is. */
export function choicesFor(app: App, language: Language, { amount, used_as }: KeptLine): (readonly [string, string])[] {
  // Nothing is chosen beforehand: a person in a hurry would leave the first choice, and the line would be unrelated.
  const none = ['', tell(language, 'explain.choose')] as const;
  const others = used_as === 'other' ? [] : [['other', tell(language, 'explain.other')] as const];
  if (amount <= 0)
    return [
      none,
      ...others,
      ['payout', tell(language, 'explain.payout')],
      ['to-merchant', tell(language, 'explain.to_merchant')],
    ];
  const methods = app.paymentMethods.map((method) => {
    const text = tell(language, 'explain.method', { method: methodName(language, method) });
    return [`method ${method.code}`, text] as const;
  });
  return [
    none,
    ...others,
    ['return', tell(language, 'explain.return')],
    ['deposit', tell(language, 'explain.deposit')],
    ['merchant', tell(language, 'explain.merchant')],
    ...methods,
  ];
}

/** Asks why a line is not the payout or deposit that it was matched with, to put it into suspense again. */
function reopenForm(
  app: App,
  { language, user }: ConsoleVisit,
  line: KeptLine,
  { typed, fault }: { typed: Typed; fault: Fault },
) {
  const { statement_id: id, file_line, day, amount, currency, used_as } = line;
  return html`<form class="card pad narrow" id="explain" method="post" action="${publicPath(app)}/console/statements/${id}/uses">
<h2>${tell(language, 'explain.wrong_title', { line: file_line })}</h2>
<p>${day} · <strong>${formatMoney(amount, currency)}</strong> · ${tell(language, `use.${used_as}`)} ${subjectCell(app, line, user)}</p>
<p>${tell(language, used_as === 'return' ? 'explain.wrong_return' : 'explain.wrong_text')}</p>
<input type="hidden" name="line" value="${file_line}"><input type="hidden" name="use" value="${used_as}"><input type="hidden" name="is" value="suspense">
${reasonField(language, fault, { value: typed['reason'] })}
<p class="actions"><button class="primary">${tell(language, 'explain.wrong_do')}</button></p></form>`;
}

/** Offers to mark all unexplained lines in suspense as unrelated to this installation. */
export function allOtherForm(
  app: App,
  { language }: ConsoleVisit,
  { id }: ListedStatement,
  { unknown, typed, fault }: { unknown: number; typed: Typed; fault: Fault },
): Html {
  return html`<h2>${tell(language, 'statements.all_other')}</h2>
<form class="card pad" method="post" action="${publicPath(app)}/console/statements/${id}/uses">
<p class="quiet">${tell(language, 'statements.all_other_text')}</p><input type="hidden" name="is" value="other">
${reasonField(language, fault, { value: typed['reason'], as: REASON_OF_ALL })}
<p class="actions"><button>${tell(language, 'statements.all_other_do', { n: unknown })}…</button></p></form>`;
}
