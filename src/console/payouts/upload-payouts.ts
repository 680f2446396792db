import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { App } from '../../app.ts';
import type { BankDirectory } from '../../bank-validation/directory/bank-directory.ts';
import { currentDirectory } from '../../bank-validation/directory/current-directory.ts';
import { listOwners } from '../../books/list-books.ts';
import { type ErrorCode, Problem } from '../../error-catalogue.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { readInTurn } from '../../http/read-in-turn.ts';
import { nameOfFile } from '../../lib/evidence-file.ts';
import { addUp } from '../../lib/exact-sum.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import { type Duplicates, findDuplicates } from '../../payouts/approval/find-duplicates.ts';
import { PAYOUT_CURRENCY } from '../../payouts/payout.ts';
import { payableBalance } from '../../payouts/payout-balance.ts';
import { type PlannedPayout, type Proposal, previewPayouts, proposePayouts } from '../../payouts/propose-payouts.ts';
import { openDetails } from '../../payouts/recipients/seal-recipient.ts';
import { badge, tableOf } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage } from '../console-visit.ts';
import { formRefusal } from '../form-refusal.ts';
import { alertNotice, type Fault, formField, linkToField } from '../notice.ts';
import { carriedFile, MOST_FILE_BYTES, readSentFile, type SentFile, sayUnusable } from './kept-upload.ts';
import { listSeenOwners, noOwnerFault, ownerField, ownerNamed } from './owner-choice.ts';
import { accountCell, agedVerdict } from './payout-cells.ts';

const SHOWN = 200;
const ERRORS_SHOWN = 100;

/** Shows the form for a CSV or .xlsx of payouts. */
export const getConsoleUpload = consoleHandler((app, visit) =>
  sendForm(app, visit, { status: 200, said: '', errors: [] }),
);

/** Shows the payouts that a file would create; with `confirm` creates them. The same file again is the same batch. */
export const postConsoleUpload = consoleHandler(async (app, visit) => {
  const { language, user, by, request, send, goTo } = visit;
  const upload = await readSentFile(request);
  const { fields, file } = upload;
  const noOwner = noOwnerFault(language, fields['of']);
  if (noOwner !== null) return sendForm(app, visit, { status: 400, ...noOwner, errors: [], typed: fields });
  const owner = await ownerNamed(app, user, fields['of']);
  if (owner === null) return send(404, notFoundPage(language));
  if (file === null || file.content.length > MOST_FILE_BYTES) {
    return sendForm(app, visit, {
      status: 400,
      said: sayUnusable(language, upload),
      field: 'file',
      errors: [],
      typed: fields,
    });
  }
  const sha256 = hash('sha256', file.content);
  let lines: readonly number[] = [];
  try {
    const { readPayouts } = await import('../../payouts/files/read-payouts.ts');
    const read = await readInTurn(app, user, () =>
      readPayouts(app, Readable.from([file.content]), sha256.slice(0, 12)),
    );
    lines = read.lines;
    const name = (fields['name'] ?? '').trim().slice(0, 200) || nameOfFile(file.name);
    const proposal: Proposal = { owner, by, wishes: read.wishes, batch: { name, fileSha256: sha256 } };
    if (fields['confirm'] === undefined) return await sendPreview(app, visit, proposal, file);
    const { kind, batch, payouts } = await proposePayouts(app, proposal);
    return await goTo(`${batch === null ? `/payouts/${payouts[0]?.id}` : `/batches/${batch.id}`}?done=${kind}`);
  } catch (error) {
    const refusal = formRefusal(language, error, lines);
    const isOfFile = error instanceof Problem && OF_FILE.includes(error.code);
    return sendForm(app, visit, { ...refusal, ...(isOfFile && { field: 'file' }), typed: fields });
  }
});

/** After these errors the file has to be changed. */
const OF_FILE: readonly ErrorCode[] = ['INVALID_PAYOUT', 'ACCOUNT_NOT_PAYABLE'];

type Answer = Fault & { status: number; errors: readonly string[]; typed?: Readonly<Record<string, string>> };

async function sendForm(app: App, visit: ConsoleVisit, { status, errors, typed = {}, ...fault }: Answer) {
  const { language, user, send } = visit;
  const title = tell(language, 'upload.title');
  const more = errors.length - ERRORS_SHOWN;
  const main = html`${
    fault.said !== '' &&
    html`<div class="notice" role="alert"><strong>${tell(language, 'upload.unreadable')}</strong> ${linkToField(fault)}${
      errors.length > 0 && html`<ul>${errors.slice(0, ERRORS_SHOWN).map((error) => html`<li>${error}</li>`)}</ul>`
    }${more > 0 && tell(language, 'upload.more', { n: more })}</div>`
  }
<h1>${title}</h1>
<p>${tell(language, 'upload.text')}</p>
<form class="card pad narrow" method="post" enctype="multipart/form-data" action="${publicPath(app)}/console/payouts/upload">
${formField(fault, 'file', (attributes) => html`<label>${tell(language, 'upload.file')}<input type="file" name="file" required accept=".csv,.txt,.xlsx,.xls"${attributes}></label>`)}
${ownerField(visit, await listSeenOwners(app, user), typed['of'], fault)}
<label>${tell(language, 'upload.name')}<input name="name" maxlength="200" value="${typed['name'] ?? ''}"></label>
<p class="actions"><button class="primary">${tell(language, 'upload.look')}</button></p></form>`;
  return send(status, { title, main });
}

async function sendPreview(app: App, visit: ConsoleVisit, proposal: Proposal, file: SentFile) {
  const { language, send, goTo } = visit;
  const { owner } = proposal;
  const preview = await previewPayouts(app, proposal);
  if ('known' in preview) {
    const { batch, payouts } = preview.known;
    return goTo(`${batch === null ? `/payouts/${payouts[0]?.id}` : `/batches/${batch.id}`}?done=replayed`);
  }
  const { planned } = preview;
  const sum = addUp(planned.map(({ wish }) => wish.amount));
  const total = formatMoney(sum, PAYOUT_CURRENCY);
  const { banks } = await currentDirectory(app);
  const available = await payableBalance(app, owner.id);
  const merchant = (await listOwners(app, [owner.id])).get(owner.id)?.name ?? '';
  const title = tell(language, 'upload.preview', { n: planned.length, amount: total });
  // Rows with a warning come first, because a long list shows only its beginning.
  const duplicates = await findDuplicates(app, owner, planned);
  const warned = planned.map((one) => ({ ...one, duplicates: duplicates(one) }));
  const twice = warned.filter(isTwice).length;
  const rows = warned.toSorted((one, other) => warningsOf(other) - warningsOf(one));
  const head = (['payout', 'recipient', 'account', 'amount', 'verdict'] as const).map((name) =>
    tell(language, `column.${name}`),
  );
  const main = html`<h1>${title}</h1>
<p>${file.name} · <strong>${merchant}</strong> · ${tell(language, `merchant.${owner.environment}`)} · ${tell(language, 'upload.available', { amount: formatMoney(available, PAYOUT_CURRENCY) })}</p>
${sum > available && alertNotice(tell(language, 'upload.not_covered'))}
${twice > 0 && alertNotice(tell(language, 'upload.twice', { n: twice }))}
<p class="notice">${tell(language, 'upload.nothing_yet')}${app.validationProvider !== null && html` ${tell(language, 'upload.holder_later')}`}</p>
<form class="actions" method="post" enctype="multipart/form-data" action="${publicPath(app)}/console/payouts/upload">
${carriedFile(file)}<input type="hidden" name="of" value="${owner.id}"><input type="hidden" name="name" value="${proposal.batch?.name ?? ''}"><input type="hidden" name="confirm" value="yes">
<button class="primary">${tell(language, 'upload.confirm', { amount: total })}</button>
<a class="button" href="${publicPath(app)}/console/payouts/upload">${tell(language, 'refund.back')}</a></form>
${tableOf(
  head,
  rows.slice(0, SHOWN).map((one) => cellsOf(app, language, banks, one)),
  [3],
)}
${rows.length > SHOWN && html`<p class="quiet">${tell(language, 'upload.more', { n: rows.length - SHOWN })}</p>`}`;
  return send(200, { title, main });
}

type Warned = PlannedPayout & { duplicates: Duplicates };

function isTwice({ duplicates: { row, payout } }: Warned): boolean {
  return row || payout;
}

function warningsOf(one: Warned): number {
  return Number(one.payee.changed) + Number(isTwice(one));
}

function cellsOf(
  app: App,
  language: Language,
  banks: BankDirectory['banks'],
  { wish, payee, duplicates }: Warned,
): (Html | string)[] {
  const { row, isFirst, changed } = payee;
  const { name, rut } = openDetails(app, row);
  const days = Math.floor((app.now() - row.validated_at) / 86_400_000);
  return [
    html`<span class="code">${wish.reference}</span>`,
    html`<span>${name}<br><span class="quiet whole">${rut}</span></span>`,
    accountCell(banks.get(row.bank_code)?.name ?? row.bank_code, row.account_masked),
    formatMoney(wish.amount, PAYOUT_CURRENCY),
    html`<span>${agedVerdict(language, row.verdict, days)}${isFirst && html` ${badge('calm', tell(language, 'upload.new'))}`}${changed && html` ${badge('warn', tell(language, 'upload.changed'))}`}${duplicates.row && html` ${badge('warn', tell(language, 'upload.same_row'))}`}${duplicates.payout && html` ${badge('warn', tell(language, 'upload.same_payout'))}`}</span>`,
  ];
}
