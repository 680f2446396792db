import { Readable } from 'node:stream';
import type { App } from '../../app.ts';
import type { Settlement, SettlementError as Unreadable } from '../../books/settlement-row.ts';
import { methodName } from '../../checkout/texts.ts';
import { Problem } from '../../error-catalogue.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { readInTurn } from '../../http/read-in-turn.ts';
import { readUpload } from '../../http/read-upload.ts';
import { describeEvidence } from '../../lib/evidence-file.ts';
import type { Language } from '../../lib/language.ts';
import { keepSettlement } from '../../movements/keep-settlement.ts';
import { MOST_DIFFERENCES } from '../../movements/settlement.ts';
import { selectSettlements } from '../../movements/settlement-queries.ts';
import { ENVIRONMENTS } from '../../payment-services/payment-service.ts';
import { selectPaymentServices } from '../../payment-services/payment-service-queries.ts';
import { actorText, badge, emptyState, testBadge } from '../console-format.ts';
import { askedOf, type Column, containsText, readMatching, sendList } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { choiceNames, readEnvironment } from '../merchants/visible-merchants.ts';
import { alertNotice, type Fault, formField } from '../notice.ts';
import { sayUnusable } from '../payouts/kept-upload.ts';

const SHOWN = 100;

/** Lists the files that were compared with the books, with a form for another. */
export const getConsoleSettlements = consoleHandler((app, visit) => sendSettlements(app, visit, 200, { said: '' }, {}));

/** Compares a file with the books, and redirects to its differences. */
export const postConsoleSettlements = consoleHandler(async (app, visit) => {
  const { language, by, request, goTo } = visit;
  const upload = await readUpload(request);
  const { fields, file } = upload;
  const refuse = (said: string) => sendSettlements(app, visit, 400, { said, field: 'file' }, fields);
  if (file === null) return refuse(sayUnusable(language, upload));
  const settlement = await readFile(app, visit, file.content);
  if ('en' in settlement) return refuse(tell(language, 'settlements.unreadable', { why: settlement[language] }));
  const method = app.paymentMethods.find(({ code }) => code === fields['method'])?.code;
  // Without a method every line would be a difference, and the month could not be closed.
  if (method === undefined) throw new Problem('INVALID_PARAMETER');
  const environment = readEnvironment(app, fields['environment']);
  const scope = { environment, paymentServiceId: fields['merchant'] || null, method };
  const kept = await keepSettlement(app, scope, settlement, {
    evidence: describeEvidence(file.name, file.content),
    by,
  });
  const { declined } = settlement;
  if (kept.kind === 'kept')
    return goTo(`/settlements/${kept.id}${declined.length > 0 ? `?declined=${declined.length}` : ''}`);
  if (kept.kind === 'too_many') return refuse(tell(language, 'settlements.too_many', { most: MOST_DIFFERENCES }));
  return refuse(tell(language, kept.kind === 'empty' ? 'settlements.empty' : 'not_found.text'));
});

/** Reads the settlement; returns the reason if the file cannot be read. The table reader loads with the first file. */
export async function readFile(
  app: App,
  { user }: ConsoleVisit,
  content: Buffer,
): Promise<Settlement | Unreadable['said']> {
  const { readSettlement } = await import('../../books/read-settlement.ts');
  const { SettlementError } = await import('../../books/settlement-row.ts');
  return readInTurn(app, user, () => readSettlement(Readable.from([content]))).catch((error: unknown) => {
    if (error instanceof SettlementError) return error.said;
    throw error;
  });
}

/** `chosen`: the choices of a refused form, which it shows again: the same file fits another merchant too. */
async function sendSettlements(app: App, visit: ConsoleVisit, status: number, fault: Fault, chosen: Chosen) {
  const { language, user } = visit;
  const { text = '', open = '' } = askedOf(visit);
  const { rows, cut } = await readMatching(
    SHOWN,
    (limit) => selectSettlements(app.db, limit, open === 'yes'),
    text === ''
      ? null
      : ({ file_name, payment_method: code }) => containsText(text, [file_name, code, methodName(language, { code })]),
  );
  const mayCompare = user.may.has('movements:record');
  const none = mayCompare ? 'settlements.none_yet' : 'settlements.none';
  return sendList<ListedSettlement>(visit, {
    status,
    title: tell(language, 'settlements.title'),
    path: '/settlements',
    columns: columnsFor(app, language),
    cut,
    rows,
    filters: [
      { name: 'text', text: 'list.filter_text', type: 'search' },
      { name: 'open', text: 'settlements.differences', type: [['yes', tell(language, 'settlements.open')]] },
    ],
    above: alertNotice(fault),
    empty: emptyState(visit, tell(language, none), 'bin/rubrica settlement keep FILE'),
    below: mayCompare && (await uploadForm(app, { language }, fault, chosen)),
  });
}

type Chosen = Readonly<Record<string, string>>;
type ListedSettlement = Awaited<ReturnType<typeof selectSettlements>>[number];

function columnsFor(app: App, language: Language): Column<ListedSettlement>[] {
  return [
    {
      name: 'file',
      text: 'column.file',
      value: ({ file_name }) => file_name,
      cell: ({ id, file_name }) => html`<a href="${publicPath(app)}/console/settlements/${id}">${file_name}</a>`,
    },
    { name: 'days', text: 'column.days', value: ({ first_day, last_day }) => `${first_day} – ${last_day}` },
    {
      name: 'method',
      text: 'column.method',
      value: ({ payment_method }) => payment_method,
      cell: ({ payment_method: code, environment }) =>
        html`<span>${methodName(language, { code })}${testBadge(language, environment)}</span>`,
    },
    { name: 'environment', text: 'callbacks.environment', value: ({ environment }) => environment, hidden: true },
    { name: 'when', text: 'column.when', value: ({ kept_at }) => kept_at, kind: 'time' },
    { name: 'by', text: 'column.who', value: ({ kept_by }) => actorText(language, kept_by), hidden: true },
    {
      name: 'open',
      text: 'column.open',
      kind: 'number',
      value: ({ open }) => open,
      cell: ({ open }) => badge(open === 0 ? 'good' : 'warn', String(open)),
    },
  ];
}

async function uploadForm(
  app: App,
  { language }: Pick<ConsoleVisit, 'language'>,
  fault: Fault,
  chosen: Chosen,
): Promise<Html> {
  const select = (name: string, options: readonly (readonly [value: string, text: string])[]) =>
    html`<select name="${name}">${options.map(
      ([value, text]) => html`<option value="${value}"${value === chosen[name] && html` selected`}>${text}</option>`,
    )}</select>`;
  const environments = ENVIRONMENTS.toSorted((one) => (one === app.config.mode ? -1 : 1));
  const merchants = await selectPaymentServices(app.db);
  return html`<h2>${tell(language, 'settlements.upload')}</h2>
<form class="card pad" method="post" enctype="multipart/form-data" action="${publicPath(app)}/console/settlements">
${formField(fault, 'file', (attributes) => html`<label>${tell(language, 'settlements.file')}<input type="file" name="file" required accept=".csv,.txt,.xlsx,.xls"${attributes}></label>`)}
<label>${tell(language, 'column.method')}${select(
    'method',
    app.paymentMethods.map((method) => [method.code, methodName(language, method)]),
  )}</label>
<label>${tell(language, 'settlements.environment')}${select(
    'environment',
    environments.map((name) => [name, tell(language, `merchant.${name}`)]),
  )}</label>
<label>${tell(language, 'settlements.merchant')}${select('merchant', [['', tell(language, 'settlements.all')], ...choiceNames(merchants)])}</label>
<p class="actions"><button class="primary">${tell(language, 'settlements.compare')}</button></p></form>`;
}
