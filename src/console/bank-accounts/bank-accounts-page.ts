import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import { type Check, type CheckResult, type Verdict, verdictMessage } from '../../bank-validation/check.ts';
import { listBanks } from '../../bank-validation/directory/list-banks.ts';
import type { Validation } from '../../bank-validation/stored-validation.ts';
import type { Repair } from '../../bank-validation/tables/repair-account.ts';
import { REPAIR_RULES } from '../../bank-validation/tables/repair-rules.ts';
import { repairTyped } from '../../bank-validation/tables/repair-typed.ts';
import { validateBankAccount } from '../../bank-validation/validate-bank-account.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { readUpload } from '../../http/read-upload.ts';
import type { Language } from '../../lib/language.ts';
import { badge, tableOf } from '../console-format.ts';
import { tell, tellAll } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { alertNotice, type Fault, formField } from '../notice.ts';
import { sayUnusable } from '../payouts/kept-upload.ts';
import { UPLOAD_BYTES } from '../upload-bytes.ts';
import { bankOptions } from './bank-options.ts';
import { repairNotes } from './repair-notes.ts';
import { MOST_ROWS, type ValidatedFile, validateAccountsFile } from './validate-accounts-file.ts';

const PATH = '/bank-accounts';

const COMMAND = 'bin/rubrica validate FILE --repair FILE --changes FILE';

/** Shows a form for a file of accounts and a form for one account. */
export const getConsoleBankAccounts = consoleHandler((app, visit) => sendPage(app, visit, 200, {}));

/** Validates the file or the account in the form. Stores only what every validation stores. */
export const postConsoleBankAccounts = consoleHandler(async (app, visit) => {
  const { language, user, request } = visit;
  const upload = await readUpload(request);
  const { fields, file } = upload;
  const refuse = (said: string, field = 'file') => sendPage(app, visit, 400, { fault: { said, field }, typed: fields });
  if (fields['of'] === 'account') {
    const { rut = '', bank = '', account = '' } = fields;
    const [missing] = Object.entries({ rut, bank, account }).find(([, text]) => !isGiven(text)) ?? [];
    if (missing !== undefined) return refuse(tell(language, 'bank_accounts.missing'), missing);
    const { cells, repairs } = await repairTyped(app, { rut, bank, account });
    const input = { rut: cells.rut, bankCode: cells.bank, account: cells.account };
    const validation = await validateBankAccount(app, user, input);
    return sendPage(app, visit, 200, { shown: validationPart(language, validation, repairs) });
  }
  if (file === null) return refuse(sayUnusable(language, upload));
  const validated = await validateAccountsFile(app, user, file.content, language);
  if (typeof validated === 'string') return refuse(validated);
  if (validated === null)
    return refuse(tell(language, 'bank_accounts.too_many', { rows: MOST_ROWS, command: COMMAND }));
  return sendPage(app, visit, 200, { shown: filePart(language, file.name, validated) });
});

function isGiven(text: string): boolean {
  return text.trim() !== '' && text.length <= 100;
}

async function sendPage(
  app: App,
  { language, send }: ConsoleVisit,
  status: number,
  { fault = { said: '' }, shown, typed = {} }: { fault?: Fault; shown?: Html; typed?: Record<string, string> },
): Promise<FastifyReply> {
  const title = tell(language, 'bank_accounts.title');
  const action = `${publicPath(app)}/console${PATH}`;
  const limits = { kib: UPLOAD_BYTES.accounts / 1024, rows: MOST_ROWS, command: COMMAND };
  const { banks } = await listBanks(app);
  const main = html`<h1>${title}</h1>
${alertNotice(fault)}
${shown !== undefined && shown}
<h2>${tell(language, 'bank_accounts.file')}</h2>
<form class="card pad" method="post" enctype="multipart/form-data" action="${action}">
<p>${tell(language, 'bank_accounts.file_text', limits)}</p><p class="quiet">${tell(language, 'bank_accounts.file_kept')}</p>
${formField(fault, 'file', (attributes) => html`<label>${tell(language, 'bank_accounts.choose')}<input type="file" name="file" required accept=".csv,.txt,.xlsx"${attributes}></label>`)}
<p class="actions"><button class="primary">${tell(language, 'bank_accounts.validate')}</button></p></form>
<h2>${tell(language, 'bank_accounts.one')}</h2>
<form class="card pad" method="post" enctype="multipart/form-data" action="${action}"><input type="hidden" name="of" value="account">
${formField(fault, 'rut', (attributes) => html`<label>${tell(language, 'bank_accounts.rut')}<input name="rut" required maxlength="20" value="${typed['rut'] ?? ''}" autocomplete="off" placeholder="12345678-5"${attributes}></label>`)}
${formField(fault, 'bank', (attributes) => html`<label>${tell(language, 'bank_accounts.bank')}<select name="bank" required${attributes}>${bankOptions(banks, typed['bank'])}</select></label>`)}
${formField(fault, 'account', (attributes) => html`<label>${tell(language, 'bank_accounts.account')}<input name="account" required maxlength="40" value="${typed['account'] ?? ''}" autocomplete="off" inputmode="numeric"${attributes}></label>`)}
<p class="actions"><button class="primary">${tell(language, 'bank_accounts.validate')}</button></p></form>`;
  return send(status, { title, main });
}

const VERDICT_TONES: Readonly<Record<Verdict, string>> = {
  invalid: 'bad',
  plausible: 'good',
  confirmed: 'good',
  mismatch: 'bad',
  undetermined: 'warn',
};

const CHECK_TONES: Readonly<Record<CheckResult, string>> = {
  pass: 'good',
  fail: 'bad',
  warn: 'warn',
  not_performed: 'calm',
  error: 'warn',
};

/** Shows the verdict, the repairs and every check, without the RUT and the account number, like the API. */
function validationPart(language: Language, validation: Validation, repairs: readonly Repair[]): Html {
  const { id, state, verdict, checks, suggestions, maskedAccount, bank } = validation;
  const rows = checks.map(({ id: check, result, message }: Check) => [
    badge(CHECK_TONES[result], tell(language, `check.${result}`)),
    message[language],
    html`<code>${check}</code>`,
  ]);
  return html`<div class="card pad"><p>${badge(VERDICT_TONES[verdict], tell(language, `verdict.${verdict}`))} ${bank?.name ?? ''} ${maskedAccount}</p>
<p>${state === 'pending' ? tell(language, 'bank_accounts.pending', { id }) : verdictMessage(verdict, checks)[language]}</p>
${repairNotes(language, repairs)}
${suggestions.map(({ value, message }) => html`<p class="notice">${tell(language, 'bank_accounts.suggests', { value, message: message[language] })}</p>`)}</div>
<h2>${tell(language, 'bank_accounts.checks')}</h2>
${tableOf([tell(language, 'column.state'), tell(language, 'column.finding'), tell(language, 'column.check')], rows)}`;
}

const COUNTED = ['confirmed', 'plausible', 'undetermined', 'mismatch', 'invalid', 'refused'] as const;

/**
 * Shows the result of a file: the count of each verdict, the reasons for invalid rows, the repairs, and the tables to
 * download.
 */
function filePart(language: Language, file: string, { summary, results, repaired, changes }: ValidatedFile): Html {
  const { rows, causes, repaired: mended } = summary;
  const verdicts = COUNTED.filter((name) => summary[name] > 0).map((name) => [
    badge(name === 'refused' ? 'warn' : VERDICT_TONES[name], tell(language, `verdict.${name}`)),
    summary[name],
  ]);
  const rules = mended.rules.map(({ rule, changes: count }) => [
    count,
    REPAIR_RULES.find(({ id }) => id === rule)?.why[language] ?? rule,
    html`<code>${rule}</code>`,
  ]);
  return html`<h2>${tell(language, 'bank_accounts.summary', { file, rows })}</h2>
${tableOf(tellAll(language, ['column.verdict', 'column.records']), verdicts, [1])}
<h2>${tell(language, 'bank_accounts.causes')}</h2>
${
  causes.length === 0
    ? html`<div class="card pad">${tell(language, 'bank_accounts.no_causes')}</div>`
    : tableOf(
        tellAll(language, ['column.records', 'column.cause', 'column.cause_code']),
        causes.map(({ rows: count, message, code }) => [count, message, html`<code>${code}</code>`]),
        [0],
      )
}
<h2>${tell(language, 'bank_accounts.mended', { rows: mended.rows })}</h2>
${rules.length > 0 && tableOf(tellAll(language, ['column.changes', 'column.rule', 'column.cause_code']), rules, [0])}
<h2>${tell(language, 'bank_accounts.downloads')}</h2>
<div class="card pad"><p class="exports">${[
    download(language, 'bank_accounts.repaired', tell(language, 'bank_accounts.repaired_file'), repaired),
    download(language, 'bank_accounts.changes', tell(language, 'bank_accounts.changes_file'), changes),
    download(language, 'bank_accounts.results', tell(language, 'bank_accounts.results_file'), results),
  ]}</p><p class="quiet">${tell(language, 'bank_accounts.downloads_text')}</p></div>`;
}

type FileName = 'bank_accounts.repaired' | 'bank_accounts.changes' | 'bank_accounts.results';

/** Puts the file into the link itself, so that the service need not store it between the response and the click. */
function download(language: Language, text: FileName, name: string, content: Buffer): Html {
  const address = `data:text/csv;base64,${content.toString('base64')}`;
  return html`<a class="button" download="${name}" href="${address}">${tell(language, text)}</a> `;
}
