import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { describeEvidence } from '../../lib/evidence-file.ts';
import { addUp } from '../../lib/exact-sum.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import { showSettlement } from '../../movements/accept-difference.ts';
import { importPayments } from '../../movements/import-payments.ts';
import type { ImportStep } from '../../movements/imported-payment.ts';
import { keepSettlement } from '../../movements/keep-settlement.ts';
import { planImport } from '../../movements/plan-import.ts';
import type { KeptSettlement } from '../../movements/settlement.ts';
import { selectNewestComparison } from '../../movements/settlement-queries.ts';
import { listEnvironmentIds } from '../../payment-services/list-environments.ts';
import { selectPaymentServices } from '../../payment-services/payment-service-queries.ts';
import { tableOf } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, inParts, notFoundPage, requireProof } from '../console-visit.ts';
import { keptPath, sealedOf } from '../kept-typing.ts';
import { alertNotice, type Fault, formField } from '../notice.ts';
import { carriedFile, MOST_FILE_BYTES, readSentFile, type SentFile, sayUnusable } from '../payouts/kept-upload.ts';
import { leftTable } from './left-lines.ts';
import { readFile } from './settlement-list.ts';

/** The most lines that a request books, each in a separate commit. Sending the same file again continues after them. */
const MOST_LINES = 500;

/** Asks for the file again: a comparison stores only the differences, not the whole lines. */
export const getConsoleBookMissing = consoleHandler(async (app, visit) => {
  const settlement = await settlementOf(app, visit);
  if (settlement === null) return visit.send(404, notFoundPage(visit.language));
  if (settlement.replaced_at !== null) return goToNewest(app, visit, settlement);
  const { merchant, file } = sealedOf(visit);
  const said = file === undefined ? '' : tell(visit.language, 'settle.file_again');
  return (
    requireProof(app, visit, addressOf(visit, settlement, { merchant, file })) ??
    sendForm(app, visit, settlement, { status: 200, said, merchant })
  );
});

/**
 * Shows what would be booked; with `confirm` books it, and compares the file again. If anything changed since the
 * person saw it, shows it anew.
 */
export const postConsoleBookMissing = consoleHandler(async (app, visit) => {
  const { language, by, request, send, goTo } = visit;
  const settlement = await settlementOf(app, visit);
  if (settlement === null) return send(404, notFoundPage(language));
  if (settlement.replaced_at !== null) return goToNewest(app, visit, settlement);
  const upload = await readSentFile(request);
  const { fields, file } = upload;
  const typed = { merchant: fields['merchant'], file: file === null ? undefined : 'again' };
  const asked = requireProof(app, visit, addressOf(visit, settlement, typed));
  if (asked !== null) return asked;
  const { environment, payment_service_id: paymentServiceId, payment_method: method } = settlement;
  const merchant = paymentServiceId ?? fields['merchant'] ?? '';
  const refuse = (said: string, field = 'file') =>
    sendForm(app, visit, settlement, { status: 400, said, field, merchant });
  if (file === null) return refuse(sayUnusable(language, upload));
  if (file.content.length > MOST_FILE_BYTES) return refuse(tell(language, 'book.too_large'));
  const evidence = describeEvidence(file.name, file.content);
  if (evidence.sha256 !== settlement.file_sha256) return refuse(tell(language, 'book.other_file'));
  const [environmentId] = merchant === '' ? [] : await listEnvironmentIds(app, environment, merchant, null);
  if (environmentId === undefined) return refuse(tell(language, 'book.no_merchant'), 'merchant');
  const read = await readFile(app, visit, file.content);
  if ('en' in read) return refuse(tell(language, 'settlements.unreadable', { why: read[language] }));
  // Of a file of all merchants, a payment in the books of another is not missing.
  const compared = await listEnvironmentIds(app, environment, paymentServiceId, null);
  const scope = { environmentId, environment, method, compared };
  const steps = await planImport(app, scope, read);
  const moving = steps.filter(isMoving);
  const now = moving.slice(0, MOST_LINES);
  // If nothing is left to book, an earlier click has booked it: then only the comparison is missing.
  const hasChanged = moving.length > 0 && fields['shown'] !== undefined && fields['shown'] !== hashOfShown(now);
  if (fields['confirm'] === undefined || hasChanged)
    return sendPreview(app, visit, settlement, { steps, moving, now, hasChanged, file, merchant });
  const [done, kept] = await inParts(async () => [
    await importPayments(app, scope, now, { evidence, by }),
    await keepSettlement(app, { environment, paymentServiceId, method }, read, { evidence, by }),
  ]);
  const id = kept.kind === 'kept' ? kept.id : settlement.id;
  return goTo(`/settlements/${id}?booked=${done.filter(isMoving).length}`);
});

/** Whether a line changes the books: it settles a payment in doubt, or goes to suspense. */
function isMoving({ does }: ImportStep): boolean {
  return does === 'settle' || does === 'suspense';
}

function hashOfShown(steps: readonly ImportStep[]): string {
  const lines = steps.map(({ row, does, transactionId }) => [
    row.fileLine,
    does,
    row.amount,
    row.currency,
    transactionId,
  ]);
  return hash('sha256', JSON.stringify(lines));
}

/** Returns the settlement in the path. */
async function settlementOf(app: App, { request }: ConsoleVisit): Promise<KeptSettlement | null> {
  const { id } = request.params as { id: string };
  return (await showSettlement(app, id))?.settlement ?? null;
}

/** Shows what is left of a file that was compared again since, perhaps by this form, whose answer was lost. */
async function goToNewest(app: App, { goTo }: ConsoleVisit, settlement: KeptSettlement): Promise<FastifyReply> {
  return goTo(`/settlements/${(await selectNewestComparison(app.db, settlement)) ?? settlement.id}`);
}

function pathTo({ id }: KeptSettlement): string {
  return `/settlements/${id}/book`;
}

/** Returns the address of the form with the merchant. The file is too large for an address. */
function addressOf(
  visit: ConsoleVisit,
  settlement: KeptSettlement,
  { merchant = '', file = '' }: { merchant: string | undefined; file: string | undefined },
): string {
  return keptPath(visit, pathTo(settlement), { merchant, file });
}

type Answer = Fault & { status: number; merchant?: string | undefined };

async function sendForm(
  app: App,
  { language, send }: ConsoleVisit,
  settlement: KeptSettlement,
  { status, merchant = '', ...fault }: Answer,
) {
  const title = tell(language, 'book.title', { name: settlement.file_name });
  const at = `${publicPath(app)}/console`;
  const merchants = settlement.payment_service_id === null ? await selectPaymentServices(app.db) : [];
  const main = html`${alertNotice(fault)}
<h1>${title}</h1>
<p>${tell(language, 'book.text')}</p>
<form class="card pad narrow" method="post" enctype="multipart/form-data" action="${at}${pathTo(settlement)}">
${formField(fault, 'file', (attributes) => html`<label>${tell(language, 'book.file')}<input type="file" name="file" required accept=".csv,.txt,.xlsx,.xls"${attributes}></label>`)}
${
  settlement.payment_service_id === null &&
  formField(
    fault,
    'merchant',
    (attributes) =>
      html`<label>${tell(language, 'book.merchant')}<select name="merchant" required${attributes}><option value="">${tell(language, 'recipient.choose_merchant')}</option>${merchants.map(
        ({ id, name }) =>
          html`<option value="${id}"${(id === merchant || merchants.length === 1) && html` selected`}>${name} · ${id}</option>`,
      )}</select></label>`,
  )
}
<p class="actions"><button class="primary">${tell(language, 'book.look')}</button> <a class="button" href="${at}/settlements/${settlement.id}">${tell(language, 'refund.back')}</a></p></form>`;
  return send(status, { title, main });
}

type Preview = {
  steps: readonly ImportStep[];
  moving: readonly ImportStep[];
  /** The lines that are booked at once. */
  now: readonly ImportStep[];
  hasChanged: boolean;
  file: SentFile;
  merchant: string;
};

const DOES: readonly ImportStep['does'][] = ['settle', 'suspense', 'known', 'imported', 'left'];

async function sendPreview(
  app: App,
  { language, send }: ConsoleVisit,
  settlement: KeptSettlement,
  { steps, moving, now, hasChanged, file, merchant }: Preview,
) {
  const at = `${publicPath(app)}/console`;
  const title = tell(language, 'book.preview', { name: file.name });
  const lines = DOES.map((does) => [does, steps.filter((step) => step.does === does)] as const);
  const counts = lines.map(([does, of]) => [tell(language, `book.${does}`), String(of.length), sumsOf(of)]);
  const head = [tell(language, 'book.what'), tell(language, 'book.lines'), tell(language, 'column.amount')];
  const owner = (await selectPaymentServices(app.db)).find(({ id }) => id === merchant);
  const environment = tell(language, `merchant.${settlement.environment}`).toLowerCase();
  const main = html`${hasChanged && alertNotice(tell(language, 'book.changed'))}
<h1>${title}</h1>
<p class="quiet">${owner?.name ?? ''} · ${merchant} · ${environment}</p>
${tableOf(head, counts, [1, 2])}
${moving.length > now.length && html`<p class="notice">${tell(language, 'book.most', { most: MOST_LINES })}</p>`}
${moving.length === 0 ? html`<p class="notice">${tell(language, 'book.nothing')}</p>` : movingTable(app, language, now)}
${leftTable(language, steps)}
<form class="actions" method="post" enctype="multipart/form-data" action="${at}${pathTo(settlement)}">
${carriedFile(file)}<input type="hidden" name="merchant" value="${merchant}"><input type="hidden" name="confirm" value="yes"><input type="hidden" name="shown" value="${hashOfShown(now)}">
${moving.length > 0 && html`<button class="primary">${tell(language, 'book.confirm', { n: now.length, sum: sumsOf(now) })}</button>`}
<a class="button" href="${at}/settlements/${settlement.id}">${tell(language, 'refund.back')}</a></form>`;
  return send(hasChanged ? 409 : 200, { title, main });
}

function movingTable(app: App, language: Language, steps: readonly ImportStep[]): Html {
  const head = (['line', 'days', 'reference', 'amount'] as const).map((name) => tell(language, `column.${name}`));
  const rows = steps.map(({ row, does, transactionId }) => [
    String(row.fileLine),
    row.date,
    transactionId === null
      ? (row.buyOrder ?? row.authorizationCode ?? '—')
      : html`<a href="${publicPath(app)}/console/payments/${transactionId}">${row.buyOrder ?? transactionId}</a>`,
    formatMoney(row.amount, row.currency),
    tell(language, `book.${does}`),
  ]);
  return tableOf([...head, tell(language, 'book.what')], rows, [3]);
}

function sumsOf(steps: readonly ImportStep[]): string {
  const sums = [...Map.groupBy(steps, ({ row }) => row.currency)].map(([currency, of]) =>
    formatMoney(addUp(of.map(({ row }) => row.amount)), currency),
  );
  return sums.length === 0 ? '—' : sums.join(' · ');
}
