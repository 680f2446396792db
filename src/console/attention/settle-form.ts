import type { App } from '../../app.ts';
import { isReason } from '../../audit/reason.ts';
import type { JournalEntry } from '../../books/journal-entry.ts';
import { methodName } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import type { Upload } from '../../http/read-upload.ts';
import { describeEvidence, type Evidence } from '../../lib/evidence-file.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import { tableOf } from '../console-format.ts';
import { type ConsoleText, tell, tellKind } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { typedQuery } from '../kept-typing.ts';
import { alertNotice, type Fault, formField, radioField, reasonField } from '../notice.ts';
import { carriedFile, MOST_FILE_BYTES, type SentFile, sayUnusable } from '../payouts/kept-upload.ts';

/** The outcomes that a person may choose, each with its meaning. */
export type Choices<Outcome extends string> = Partial<Readonly<Record<Outcome, ConsoleText>>>;

/** A form as it was sent. `effect`: the effect in the preview, empty before it. */
export type Sent = Upload & { isConfirmed: boolean; effect: string };

/** The outcome that a person names, with the reason and the evidence. */
export type Said<Outcome> = { outcome: Outcome; reason: string; evidence: Evidence; file: SentFile };

/** The same without evidence. */
export type SaidBare<Outcome> = { outcome: Outcome; reason: string; evidence: null; file: null };

/** Returns the path of the form at `at` with what was typed. The file is too large for an address. */
export function typedPath(visit: ConsoleVisit, at: string, { fields, file }: Pick<Sent, 'fields' | 'file'>): string {
  const { outcome = '', reason = '', amount = '' } = fields;
  const typed = { outcome, reason, amount, ...(file !== null && { file: 'again' }) };
  return `${at}?${typedQuery(visit, typed)}`;
}

/** `at`: where the form is sent, `back`: the page before it; both below `/console`. */
export type Place = { at: string; back: string };

/** Why a form is refused. */
export type Refused = { refusal: Fault };

/** Refuses a form because of one field. */
export function refusedField(field: string, said: string): Refused {
  return { refusal: { said, field } };
}

/** Checks the outcome, the evidence and the reason of the form. */
export function readSaid<Outcome extends string>(
  visit: ConsoleVisit,
  sent: Sent,
  choices: Choices<Outcome>,
): Said<Outcome> | Refused {
  const { language } = visit;
  const { file } = sent;
  const said = readBare(visit, sent, choices);
  if ('refusal' in said) return said;
  if (file === null || file.content.length > MOST_FILE_BYTES) return refusedField('file', sayUnusable(language, sent));
  return { ...said, evidence: describeEvidence(file.name, file.content), file };
}

/** Checks the outcome and the reason alone. */
export function readBare<Outcome extends string>(
  { language }: ConsoleVisit,
  { fields }: Sent,
  choices: Choices<Outcome>,
): SaidBare<Outcome> | Refused {
  const { outcome = '', reason: why = '' } = fields;
  const reason = why.trim();
  if (!Object.hasOwn(choices, outcome)) return refusedField('outcome', tell(language, 'settle.choose'));
  if (!isReason(reason)) return refusedField('reason', tell(language, 'refund.no_reason'));
  return { outcome: outcome as Outcome, reason, evidence: null, file: null };
}

/** `more`: fields after the outcomes. `mayLackFile`: one of the outcomes needs no evidence. */
export type SettleQuestion = {
  title: string;
  text: Html;
  choices: Choices<string>;
  more?: (fault: Fault) => Html;
  mayLackFile?: boolean;
};

/** `fault`: the text at the top, `sent`: the form that was refused or is asked again. */
export type SettleAnswer = { status?: number; fault: Fault; sent: Sent };

/** Sends the form with the fields that were typed before. */
export function sendSettleForm(
  app: App,
  visit: ConsoleVisit,
  { at, back }: Place,
  { title, text, choices, more = () => html``, mayLackFile = false }: SettleQuestion,
  { status = 200, fault, sent }: SettleAnswer,
) {
  const { language, send } = visit;
  const { outcome = '', reason = '' } = sent.fields;
  const { file } = sent;
  const kept = file !== null && file.content.length <= MOST_FILE_BYTES ? file : null;
  const all = Object.entries(choices).filter((choice): choice is [string, ConsoleText] => choice[1] !== undefined);
  const path = `${publicPath(app)}/console`;
  const main = html`${alertNotice(fault)}
<h1>${title}</h1>
${text}
<form class="card pad narrow" method="post" enctype="multipart/form-data" action="${path}${at}">
${radioField(
  fault,
  'outcome',
  tell(language, 'settle.outcome'),
  all.map(
    ([name, means]) =>
      html`<label class="inline"><input type="radio" name="outcome" value="${name}" required${(name === outcome || all.length === 1) && html` checked`}> ${tell(language, means)}</label>`,
  ),
)}
${more(fault)}
${formField(fault, 'file', (attributes) => html`<label>${tell(language, 'settle.evidence')}<input type="file" name="file"${kept === null && !mayLackFile && html` required`}${attributes}></label>`, 'evidence-hint')}
${kept !== null && html`<p>${tell(language, 'settle.chosen', { name: kept.name })}</p>${carriedFile(kept)}`}
<p class="quiet" id="evidence-hint">${tell(language, 'settle.evidence_hint')}</p>
${reasonField(language, fault, { value: reason })}
<p class="actions"><button class="primary">${tell(language, 'settle.look')}</button> <a class="button" href="${path}${back}">${tell(language, 'refund.back')}</a></p>
</form>`;
  return send(status, { title, main, again: typedPath(visit, at, sent) });
}

/** `effect`: the states afterwards and the entries. `kept`: fields that the confirmation carries. */
export type SettlePreview = Place & {
  text: Html;
  said: Said<string> | SaidBare<string>;
  means: string;
  effect: Html;
  kept: Readonly<Record<string, string>>;
};

/** Sends the preview: what was said, with which evidence, and what it does. */
export function sendSettlePreview(
  app: App,
  visit: ConsoleVisit,
  { text, at, back, said, means, effect, kept }: SettlePreview,
) {
  const { language, send } = visit;
  const { reason, outcome, evidence, file } = said;
  const title = tell(language, 'settle.preview');
  const path = `${publicPath(app)}/console`;
  const fields = Object.entries({ ...kept, outcome, reason, confirm: 'yes' });
  const main = html`<h1>${title}</h1>
${text}
<div class="card pad narrow"><dl class="facts">
<dt>${tell(language, 'settle.outcome')}</dt><dd><strong>${means}</strong></dd>
<dt>${tell(language, 'refund.reason')}</dt><dd>${reason}</dd>
${evidence !== null && html`<dt>${tell(language, 'settle.proof')}</dt><dd>${tell(language, 'settle.bytes', { name: evidence.name, n: evidence.bytes })}<br><span class="code">SHA-256 ${evidence.sha256}</span></dd>`}
</dl></div>
${effect}
<p>${tell(language, 'settle.stays')}</p>
<form class="actions" method="post" enctype="multipart/form-data" action="${path}${at}">
${file !== null && carriedFile(file)}${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="primary">${tell(language, 'settle.confirm')}</button>
<a class="button" href="${path}${back}">${tell(language, 'refund.back')}</a></form>`;
  return send(200, { title, main, again: typedPath(visit, at, { fields: { ...kept, outcome, reason }, file }) });
}

type ShownEntry = Pick<JournalEntry, 'kind' | 'debit_account' | 'credit_account' | 'amount' | 'currency'>;

/** Shows the entries that an act adds to the books, each with its debit and its credit account. */
export function entriesTable(language: Language, entries: readonly ShownEntry[]): Html {
  if (entries.length === 0) return html`<p>${tell(language, 'settle.no_entries')}</p>`;
  const head = (['settle.entry', 'settle.debit', 'settle.credit', 'column.amount'] as const).map((key) =>
    tell(language, key),
  );
  const rows = entries.map(({ kind, debit_account, credit_account, amount, currency }) => [
    tellKind(language, 'entry', kind),
    accountName(language, debit_account),
    accountName(language, credit_account),
    formatMoney(amount, currency),
  ]);
  return html`<p>${tell(language, 'settle.entries')}</p>${tableOf(head, rows, [3])}`;
}

const ACCOUNTS: Readonly<Record<string, ConsoleText>> = {
  'merchant:payable': 'booked.merchant',
  'payouts:reserved': 'booked.reserved',
  'fees:acquirer': 'settle.acquirer_fees',
  'fees:income': 'settle.fees',
  bank: 'settle.bank',
  suspense: 'settle.suspense',
};

/** Names an account of the books, in the language of the screen. */
export function accountName(language: Language, account: string): string {
  const [kind, code = ''] = account.split(':');
  if (kind === 'method') return tell(language, 'booked.method', { method: methodName(language, { code }) });
  const known = ACCOUNTS[account];
  return known === undefined ? account : tell(language, known);
}
