import type { App } from '../../app.ts';
import type { User } from '../../auth/user.ts';
import { listOwners } from '../../books/list-books.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { LANGUAGE_TAGS } from '../../http/page.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import type { BankFileFormat } from '../../payout-senders/bank-file-format.ts';
import { BANK_FILES } from '../../payout-senders/bank-files.ts';
import {
  listApproved,
  newestPayoutFiles,
  type SummedPayoutFile,
  sumEachFile,
} from '../../payouts/files/find-payout-file.ts';
import { makePayoutFiles, type PayoutFileWish, previewPayoutFiles } from '../../payouts/files/make-payout-files.ts';
import { PAYOUT_CURRENCY } from '../../payouts/payout.ts';
import { actorText, badge, emptyState, tableOf } from '../console-format.ts';
import { amountColumns, askedOf, type Column, containsText, readMatching, sendList } from '../console-list.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage, requireProof } from '../console-visit.ts';
import { fieldAtFault, formRefusal } from '../form-refusal.ts';
import { sealedOf, typedQuery } from '../kept-typing.ts';
import { alertNotice, type Fault, formField } from '../notice.ts';
import { fieldsOf } from '../sign-in.ts';
import { listSeenOwners, noOwnerFault, ownerField, ownerNamed, ownerText, type SeenOwner } from './owner-choice.ts';
import { invalidDetail, linkPayouts, statesColumn, statesFilter } from './payout-cells.ts';

const SHOWN = 200;
const NEW = '/payout-files/new';

type SeenFile = SummedPayoutFile & { merchant: string };

/** Lists the files for banks, with their contents and results. */
export const getConsolePayoutFiles = consoleHandler(async (app, visit) => {
  const { language, user } = visit;
  const { text = '', state = '' } = askedOf(visit);
  const { rows: named, cut } = await readMatching(
    SHOWN,
    (limit) => readNamed(app, user, state, limit),
    text === '' ? null : ({ file, merchant }) => containsText(text, [file.id, file.name, file.format, merchant]),
  );
  const merchants = new Map(named.map(({ file, merchant }) => [file.id, merchant]));
  const files = await sumEachFile(
    app,
    named.map(({ file }) => file),
  );
  return sendList<SeenFile>(visit, {
    title: tell(language, 'files.title'),
    path: '/payout-files',
    columns: columnsFor(app, language),
    cut,
    rows: files.map((one) => ({ ...one, merchant: merchants.get(one.file.id) ?? '' })),
    filters: [{ name: 'text', text: 'list.filter_text', type: 'search' }, statesFilter(language)],
    above:
      user.may.has('payouts:create') &&
      html`<p class="actions"><a class="button primary" href="${publicPath(app)}/console${NEW}">${tell(language, 'files.make')}</a></p>`,
    empty: emptyState(
      visit,
      tell(language, user.may.has('payouts:create') ? 'files.none_yet' : 'files.none'),
      'bin/rubrica payout file --payment-service ID --format santander --account NUMBER --as EMAIL',
    ),
  });
});

/** Reads the newest files, each with the name of its merchant. */
async function readNamed(app: App, { environmentIds }: User, state: string, limit: number) {
  const files = await newestPayoutFiles(app, environmentIds, state, { limit });
  const owners = await listOwners(app, [...new Set(files.map(({ environment_id }) => environment_id))]);
  return files.map((file) => ({ file, merchant: owners.get(file.environment_id)?.name ?? '' }));
}

/**
 * Lists the approved payouts that have not left, with a choice of the bank's file format. The address may name a batch.
 */
export const getConsoleNewPayoutFile = consoleHandler(async (app, visit) => {
  const typed = sealedOf(visit, ['of', 'batch']);
  const asked = requireProof(app, visit, `${NEW}?${typedQuery(visit, typed)}`);
  return asked ?? sendForm(app, visit, { status: 200, said: '' }, typed);
});

/**
 * Shows what would be written; with `confirm` writes the approved payouts into files, after the second factor. Each
 * payout is in one file only.
 */
export const postConsolePayoutFiles = consoleHandler(async (app, visit) => {
  const { language, user, by, request, send, goTo } = visit;
  const fields = fieldsOf(request);
  const noOwner = noOwnerFault(language, fields['of']);
  if (noOwner !== null) return sendForm(app, visit, { status: 400, ...noOwner }, fields);
  const noFormat = { said: tell(language, 'files.choose_format'), field: 'format' };
  if ((fields['format'] ?? '') === '') return sendForm(app, visit, { status: 400, ...noFormat }, fields);
  const owner = await ownerNamed(app, user, fields['of']);
  if (owner === null) return send(404, notFoundPage(language));
  const asked = requireProof(app, visit, `${NEW}?${typedQuery(visit, fields)}`);
  if (asked !== null) return asked;
  const text = (name: string) => (fields[name] ?? '').trim().slice(0, 100);
  const payer = { account: text('account'), rut: text('rut'), name: text('name'), agreement: text('agreement') };
  try {
    const wish = { owner, by, format: text('format'), payer, batchId: text('batch') || null };
    if (fields['confirm'] === undefined) return await sendQuestion(app, visit, wish, fields);
    const made = await makePayoutFiles(app, { ...wish, shown: fields['shown'] });
    const [first] = made;
    return await goTo(made.length === 1 ? `/payout-files/${first?.file.id}?done=filed` : '/payout-files');
  } catch (error) {
    const { status, said: refused } = formRefusal(language, error);
    const why = invalidDetail(language, error);
    const said = why === null ? refused : tell(language, 'files.not_made', { why });
    return sendForm(app, visit, { status, said, field: fieldAtFault(error, FIELDS) }, fields);
  }
});

/** The fields that the question carries. */
const SENT = ['of', 'format', 'account', 'rut', 'name', 'agreement', 'batch'] as const;

/** The fields of the form, by their names in requests. */
const FIELDS = {
  format: 'format',
  account: 'account',
  rut: 'rut',
  name: 'name',
  agreement: 'agreement',
  batchId: 'batch',
} as const;

type Refused = Fault & { status: number };

/** Asks for confirmation, with the payouts, their sum, the account and the day, and what happens afterwards. */
async function sendQuestion(app: App, visit: ConsoleVisit, wish: PayoutFileWish, typed: Record<string, string>) {
  const { language, user, send } = visit;
  const { owner, payer, batchId } = wish;
  const { day, payouts, total, files, shown } = await previewPayoutFiles(app, wish);
  const isTest = owner.environment === 'development';
  const name = (await listSeenOwners(app, user)).find(({ id }) => id === owner.id)?.name ?? '';
  const means = BANK_FILES.find(({ code }) => code === wish.format)?.means[language] ?? wish.format;
  const sum = tell(language, 'batch.sum', { n: payouts, amount: formatMoney(total, PAYOUT_CURRENCY) });
  const title = tell(language, 'files.question', { n: files });
  const back = `${NEW}?${typedQuery(visit, typed)}`;
  const fact = (text: ConsoleText, value: Html | string) => html`<dt>${tell(language, text)}</dt><dd>${value}</dd>`;
  const kept = { ...Object.fromEntries(SENT.map((field) => [field, typed[field] ?? ''])), shown, confirm: 'yes' };
  const hidden = Object.entries(kept).map(
    ([field, value]) => html`<input type="hidden" name="${field}" value="${value}">`,
  );
  const main = html`<h1>${title}</h1>
<div class="card pad narrow"><dl class="facts">
${fact('column.merchant', ownerText(language, name, owner.environment))}
${fact('payouts.title', html`<strong>${sum}</strong>`)}
${fact('files.account', html`<span class="code">${payer.account}</span>`)}
${fact('files.format', means)}
${fact('files.day', day)}
${batchId !== null && fact('column.batch', html`<span class="code">${batchId}</span>`)}
</dl></div>
<p>${tell(language, 'files.after')} ${!isTest && tell(language, 'files.after_bank')}</p>
${isTest && html`<p class="notice">${tell(language, 'files.test')}</p>`}
<form class="actions" method="post" action="${publicPath(app)}/console/payout-files">
${hidden}<button class="primary">${tell(language, 'files.write', { n: files })}</button>
<a class="button" href="${publicPath(app)}/console${back}">${tell(language, 'refund.back')}</a></form>`;
  return send(200, { title, main, again: back });
}

async function sendForm(app: App, visit: ConsoleVisit, refused: Refused, fields: Record<string, string>) {
  const { language, user, send } = visit;
  const owners = await listSeenOwners(app, user);
  const approved = await listApproved(app, user.environmentIds);
  const ownerOf = (environmentId: number) => owners.find(({ id }) => id === environmentId);
  const someAreTests = approved.some(({ environment_id }) => ownerOf(environment_id)?.environment === 'development');
  const rows = approved.map(({ environment_id, count, amount }) => {
    const owner = ownerOf(environment_id);
    const name = `${owner?.name ?? ''} · ${owner === undefined ? '' : tell(language, `merchant.${owner.environment}`).toLowerCase()}`;
    return [name, String(count), formatMoney(amount, PAYOUT_CURRENCY)];
  });
  const head = [tell(language, 'column.merchant'), tell(language, 'payouts.title'), tell(language, 'column.amount')];
  const title = tell(language, 'files.make');
  // The payouts count as sent at once: nothing that a person may overlook is chosen for them.
  const [only, ...others] = approved;
  const of = only === undefined || others.length > 0 ? '' : String(only.environment_id);
  const isOfPayouts = refused.field === undefined && refused.said !== '';
  const main = html`${isOfPayouts ? html`<p class="notice" role="alert">${linkPayouts(app, refused.said)}</p>` : alertNotice(refused)}
<h1>${title}</h1>
<p>${tell(language, 'files.text')}</p>
<h2>${tell(language, 'files.approved')}</h2>
${rows.length === 0 ? emptyState(visit, tell(language, 'files.nothing'), { path: `${publicPath(app)}/console/payouts?state=awaiting_approval`, title: tell(language, 'payouts.title') }) : tableOf(head, rows, [1, 2])}
${someAreTests && html`<p class="notice">${tell(language, 'files.test_approved')}</p>`}
${fileForm(app, visit, { refused, fields: { of, ...fields }, owners })}
<h2>${tell(language, 'files.formats')}</h2>
${formatTable(language)}`;
  return send(refused.status, { title, main });
}

type Shown = { refused: Fault; fields: Record<string, string>; owners: readonly SeenOwner[] };

function fileForm(app: App, visit: ConsoleVisit, { refused, fields, owners }: Shown): Html {
  const { language } = visit;
  const input = (name: string, text: ConsoleText, more: Html = html``) =>
    formField(
      refused,
      name,
      (attributes) =>
        html`<label>${tell(language, text)}<input name="${name}" maxlength="100" value="${fields[name] ?? ''}" autocomplete="off"${more}${attributes}></label>`,
    );
  const formats = BANK_FILES.map(
    ({ code, means, sure }) =>
      html`<option value="${code}"${code === fields['format'] && html` selected`}>${means[language]} · ${tell(language, `sure.${sure}`)}</option>`,
  );
  return html`<form class="card pad narrow" method="post" action="${publicPath(app)}/console/payout-files">
${ownerField(visit, owners, fields['of'], refused)}
${formField(refused, 'format', (attributes) => html`<label>${tell(language, 'files.format')}<select name="format" required${attributes}><option value="">${tell(language, 'files.choose_format')}</option>${formats}</select></label>`)}
${input('account', 'files.account', html` required inputmode="numeric"`)}
<p class="quiet">${tell(language, 'files.needs')}</p>
${input('rut', 'column.rut')}${input('name', 'recipient.name')}${input('agreement', 'files.agreement')}${input('batch', 'files.batch')}
<p class="notice">${tell(language, 'files.untried')}</p>
<p class="actions"><button class="primary">${tell(language, 'settle.look')}</button></p></form>`;
}

const SURENESS = { several: 'good', one: 'warn', weak: 'bad' } as const;

/** Shows how certain the layout of a bank's file is. */
export function sureBadge(language: Language, sure: BankFileFormat['sure']): Html {
  return badge(SURENESS[sure], tell(language, `sure.${sure}`));
}

function formatTable(language: Language): Html {
  const head = [
    tell(language, 'files.format'),
    tell(language, 'files.sure'),
    tell(language, 'files.lines'),
    tell(language, 'files.asks'),
  ];
  const rows = BANK_FILES.map(({ code, means, sure, mostLines, needs }) => [
    html`<span>${means[language]}<br><span class="code">${code}</span></span>`,
    sureBadge(language, sure),
    mostLines.toLocaleString(LANGUAGE_TAGS[language]),
    needs.map((need) => tell(language, `needs.${need}`)).join(', ') || '—',
  ]);
  return tableOf(head, rows, [2]);
}

function columnsFor(app: App, language: Language): Column<SeenFile>[] {
  return [
    {
      name: 'name',
      text: 'column.file',
      value: ({ file }) => file.name,
      cell: ({ file: { id, name } }) =>
        html`<a class="code" href="${publicPath(app)}/console/payout-files/${id}">${name}</a>`,
    },
    { name: 'id', text: 'column.file_id', value: ({ file }) => file.id, hidden: true },
    { name: 'format', text: 'files.format', value: ({ file }) => file.format },
    { name: 'count', text: 'payouts.title', kind: 'number', value: ({ file }) => file.payouts },
    ...amountColumns<SeenFile>(({ file }) => ({ amount: file.total, currency: PAYOUT_CURRENCY })),
    statesColumn(language),
    { name: 'created', text: 'column.created', kind: 'time', value: ({ file }) => file.created_at },
    {
      name: 'maker',
      text: 'column.who',
      value: ({ file }) => actorText(language, file.made_by),
      cell: ({ file }) => html`<span class="mail whole">${actorText(language, file.made_by)}</span>`,
    },
    { name: 'merchant', text: 'column.merchant', value: ({ merchant }) => merchant },
  ];
}
