import type { App } from '../../app.ts';
import type { AccountInput } from '../../bank-validation/account-checks.ts';
import { payeeRefusal } from '../../bank-validation/bank-findings.ts';
import { decidingCheck, isValid } from '../../bank-validation/check.ts';
import { currentDirectory } from '../../bank-validation/directory/current-directory.ts';
import type { Validation } from '../../bank-validation/stored-validation.ts';
import type { Repair } from '../../bank-validation/tables/repair-account.ts';
import { repairTyped } from '../../bank-validation/tables/repair-typed.ts';
import { Problem } from '../../error-catalogue.ts';
import { errorItem } from '../../error-item.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { holderErrors } from '../../payouts/payout-wish.ts';
import { bankOptions } from '../bank-accounts/bank-options.ts';
import { repairNotes } from '../bank-accounts/repair-notes.ts';
import { badge } from '../console-format.ts';
import { tell, tellKind } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { fieldAtFault, formRefusal } from '../form-refusal.ts';
import { type Fault, formField, linkToField } from '../notice.ts';
import type { SeenOwner } from './owner-choice.ts';

/** An account of the form. `merchant`: the id of the merchant whose people share it. */
export type AccountFields = Record<'rut' | 'bank' | 'account' | 'name' | 'email' | 'merchant', string>;

/** Reads the fields of the form, and repairs the RUT and the account by the rules for files. */
export async function accountFields(
  app: App,
  fields: Record<string, string>,
): Promise<{ fields: AccountFields; repairs: readonly Repair[] }> {
  const text = (name: keyof AccountFields, most: number) => (fields[name] ?? '').trim().slice(0, most);
  const typed = { rut: text('rut', 40), bank: text('bank', 10), account: text('account', 60) };
  const { cells, repairs } = await repairTyped(app, typed);
  const others = { name: text('name', 200), email: text('email', 254), merchant: text('merchant', 60) };
  return { fields: { rut: cells.rut, bank: cells.bank, account: cells.account, ...others }, repairs };
}

/**
 * Converts the fields for a validation. Throws `Problem` without a name, and for a name or an e-mail address that would
 * mislead.
 */
export function accountInputOf({ rut, bank, account, name, email }: AccountFields): AccountInput {
  const errors = name === '' ? [NO_NAME] : holderErrors({ name, email }, 0);
  if (errors[0] !== undefined) throw new Problem('INVALID_BODY', { errors });
  return { rut, bankCode: bank, account, rutFormat: null, holderName: name };
}

const NO_NAME = errorItem('/name', 'INVALID_BODY', [
  'The name is missing.',
  'Write the name of the holder: the person who approves a payout reads it.',
  'Falta el nombre.',
  'Escribe el nombre del titular: lo lee quien aprueba un pago.',
]);

/** `owners` is empty if the merchant is already known. */
type AccountForm = { action: string; fields: Partial<AccountFields>; owners: readonly SeenOwner[]; fault?: Fault };

/** Shows a form for an account, with the banks that are paid. */
export async function accountForm(
  app: App,
  { language }: ConsoleVisit,
  { action, fields, owners, fault = { said: '' } }: AccountForm,
): Promise<Html> {
  const directory = await currentDirectory(app);
  const banks = [...directory.banks.values()]
    .filter(({ status }) => status === 'active' || status === 'authorised')
    .filter(({ code }) => payeeRefusal(directory, code) === null);
  const merchants = new Map(owners.map(({ merchant, name }) => [merchant, name]));
  return html`<form class="card pad narrow" method="post" action="${action}">
${formField(fault, 'rut', (attributes) => html`<label>${tell(language, 'column.rut')}<input name="rut" required maxlength="40" value="${fields.rut ?? ''}" autocomplete="off"${attributes}></label>`)}
${formField(fault, 'bank', (attributes) => html`<label>${tell(language, 'recipient.bank')}<select name="bank" required${attributes}>${bankOptions(banks, fields.bank)}</select></label>`)}
${formField(fault, 'account', (attributes) => html`<label>${tell(language, 'column.account')}<input name="account" required maxlength="60" inputmode="numeric" value="${fields.account ?? ''}" autocomplete="off"${attributes}></label>`)}
${formField(fault, 'name', (attributes) => html`<label>${tell(language, 'recipient.name')}<input name="name" required maxlength="200" value="${fields.name ?? ''}" autocomplete="off"${attributes}></label>`)}
${formField(fault, 'email', (attributes) => html`<label>${tell(language, 'recipient.email')}<input type="email" name="email" maxlength="254" value="${fields.email ?? ''}" autocomplete="off"${attributes}></label>`)}
${
  merchants.size > 0 &&
  formField(
    fault,
    'merchant',
    (attributes) =>
      html`<label>${tell(language, 'column.merchant')}<select name="merchant" required${attributes}>${merchants.size > 1 && html`<option value="">${tell(language, 'recipient.choose_merchant')}</option>`}${[
        ...merchants,
      ].map(
        ([id, name]) => html`<option value="${id}"${id === fields.merchant && html` selected`}>${name}</option>`,
      )}</select></label>`,
  )
}
<p class="actions"><button class="primary">${tell(language, 'recipient.validate')}</button></p></form>`;
}

/** Returns why a form without a merchant is refused if the person sees several; otherwise null. */
export function noMerchantFault(language: Language, owners: readonly SeenOwner[], { merchant }: AccountFields) {
  if (merchant !== '' || new Set(owners.map((owner) => owner.merchant)).size < 2) return null;
  return { said: tell(language, 'recipient.choose_merchant'), field: 'merchant' };
}

const TONES: Readonly<Record<string, string>> = { pass: 'good', fail: 'bad', warn: 'warn', error: 'warn' };

/** Returns the check that makes an account invalid, and the field of the form that it is about. */
export function accountFault(language: Language, { state, verdict, checks }: Validation): Fault {
  const failed = state === 'completed' && !isValid(verdict) ? decidingCheck(checks) : undefined;
  return failed === undefined ? { said: '' } : { said: failed.message[language], field: FIELDS[failed.field] };
}

/** Returns why the form was refused, and the field that it is about. */
export function holderFault(language: Language, error: unknown): Fault & { status: number } {
  const { status, said } = formRefusal(language, error);
  return { status, said, field: fieldAtFault(error, { name: 'name', email: 'email' }) };
}

/** The fields of the form, by the member of a validation. */
const FIELDS: Readonly<Record<string, string>> = {
  '/rut': 'rut',
  '/bankData/bankSBIFNumber': 'bank',
  '/bankData/bankAccount': 'account',
  '/holderName': 'name',
};

type Found = { action: string; fields: AccountFields; repairs: readonly Repair[]; validation: Validation };

/** Shows the repairs and the checks of a validation; if the account is valid, also the form that stores it. */
export function verdictSection({ language }: ConsoleVisit, { action, fields, repairs, validation }: Found): Html {
  const isPending = validation.state !== 'completed';
  const good = !isPending && isValid(validation.verdict);
  const said = tellKind(language, 'verdict', isPending ? 'pending' : validation.verdict);
  const fault = accountFault(language, validation);
  const checks = validation.checks.filter(({ result }) => result !== 'not_performed');
  return html`<section class="card pad" aria-labelledby="verdict"><h2 id="verdict">${tell(language, 'column.verdict')}: ${badge(good ? 'good' : isPending ? 'warn' : 'bad', said)}</h2>
${repairNotes(language, repairs)}
<ul>${checks.map(({ result, message }) => html`<li>${badge(TONES[result] ?? 'calm', tellKind(language, 'check', result))} ${message[language] === fault.said ? linkToField(fault) : message[language]}</li>`)}</ul>
${
  good
    ? html`<form method="post" action="${action}">${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<input type="hidden" name="validation" value="${validation.id}">
<button class="primary">${tell(language, 'recipient.keep')}</button></form>`
    : html`<p>${tell(language, isPending ? 'recipient.pending' : 'recipient.not_good')}</p>`
}</section>`;
}
