import { Readable } from 'node:stream';
import type { App } from '../../app.ts';
import { Problem } from '../../error-catalogue.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { readInTurn } from '../../http/read-in-turn.ts';
import { describeEvidence } from '../../lib/evidence-file.ts';
import { foldText } from '../../lib/fold-text.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { listStatements } from '../../statements/find-statement.ts';
import { importStatement } from '../../statements/import-statement.ts';
import type { LineUse, ListedStatement, ReadStatement } from '../../statements/statement.ts';
import { actorText, badge, emptyState, tableOf, timeCell } from '../console-format.ts';
import { askedOf, type Column, readMatching, sendList } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage, requireProof } from '../console-visit.ts';
import { formRefusal } from '../form-refusal.ts';
import { keptPath, sealedOf } from '../kept-typing.ts';
import { listMerchants } from '../merchants/visible-merchants.ts';
import { alertNotice, type Fault, formField } from '../notice.ts';
import { carriedFile, MOST_FILE_BYTES, readSentFile, type SentFile, sayUnusable } from '../payouts/kept-upload.ts';
import { listSeenOwners, noOwnerFault, noOwnerYet, ownerText } from '../payouts/owner-choice.ts';

const SHOWN = 200;
const NEW = '/statements/new';
const USES: readonly LineUse[] = ['payout', 'return', 'deposit', 'suspense'];

type SeenStatement = ListedStatement & { merchant: string };

/** Lists the newest bank statements, each with the number of lines that wait for a person. */
export const getConsoleStatements = consoleHandler(async (app, visit) => {
  const { language, user } = visit;
  const asked = askedOf(visit);
  const { state = '', text = '' } = asked;
  const merchants = new Map((await listMerchants(app, user)).map(({ id, name }) => [id, name]));
  const { rows, cut } = await readMatching<SeenStatement>(
    SHOWN,
    async (limit) =>
      (await listStatements(app, user.environmentIds, { limit }, state === 'open')).map((one) => ({
        ...one,
        merchant: merchantOf(language, merchants, one),
      })),
    text === '' && (state === '' || state === 'open') ? null : isAsked(asked),
  );
  return sendList<SeenStatement>(visit, {
    title: tell(language, 'statements.title'),
    path: '/statements',
    columns: columnsFor(app, language),
    cut,
    rows,
    filters: [
      {
        name: 'state',
        text: 'filter.state',
        type: [
          ['open', tell(language, 'statements.with_open')],
          ['explained', tell(language, 'statements.explained')],
        ],
      },
      { name: 'text', text: 'statements.find', type: 'search' },
    ],
    above:
      user.may.has('movements:record') &&
      html`<p class="actions"><a class="button primary" href="${publicPath(app)}/console${NEW}">${tell(language, 'statements.import')}</a></p>`,
    empty: emptyState(
      visit,
      tell(language, user.may.has('movements:record') ? 'statements.none_yet' : 'statements.none'),
      'bin/rubrica statement import cartola.xlsx --account NUMBER --as EMAIL',
    ),
  });
});

/**
 * Whether a statement passes the filters of the address. `text`: a part of the file name or of the merchant, or the end
 * of the account.
 */
function isAsked({ state = '', text = '' }: Record<string, string>): (one: SeenStatement) => boolean {
  const wanted = foldText(text);
  return ({ open, file_name, merchant, account }) =>
    (state === '' || (state === 'open') === open > 0) &&
    foldText(`${file_name} ${merchant} ${account.slice(-4)}`).includes(wanted);
}

/** Shows the form for a statement in the bank's export format. */
export const getConsoleNewStatement = consoleHandler(async (app, visit) => {
  const typed = sealedOf(visit);
  const asked = requireProof(app, visit, addressOf(visit, typed));
  const said = typed['file'] === undefined ? '' : tell(visit.language, 'settle.file_again');
  return asked ?? sendForm(app, visit, { status: 200, said, of: typed['of'], account: typed['account'] });
});

/** Shows the proof of a statement and what its lines would do; with `confirm` imports it. */
export const postConsoleStatements = consoleHandler(async (app, visit) => {
  const { language, user, by, request, send, goTo } = visit;
  const upload = await readSentFile(request);
  const { fields, file } = upload;
  const asked = requireProof(app, visit, addressOf(visit, { ...fields, ...(file !== null && { file: 'again' }) }));
  if (asked !== null) return asked;
  const account = (fields['account'] ?? '').replace(/[\s.-]/g, '');
  const refuse = (status: number, fault: Fault) =>
    sendForm(app, visit, { status, ...fault, of: fields['of'], account });
  const noOwner = noOwnerFault(language, fields['of']);
  if (noOwner !== null) return refuse(400, noOwner);
  const owner = await accountOwnerNamed(app, visit, fields['of']);
  if (owner === null) return send(404, notFoundPage(language));
  if (file === null || file.content.length > MOST_FILE_BYTES)
    return refuse(400, { said: sayUnusable(language, upload), field: 'file' });
  if (!/^\d{4,20}$/.test(account))
    return refuse(400, { said: tell(language, 'statements.bad_account'), field: 'account' });
  try {
    const { readStatement } = await import('../../statements/read-statement.ts');
    const statement = await readInTurn(app, user, () => readStatement(Readable.from([file.content])));
    const evidence = describeEvidence(file.name, file.content);
    const wish = { ...owner, account, evidence, by };
    if (fields['confirm'] === undefined)
      return await sendPreview(app, visit, { wish, statement, file, of: fields['of'] ?? '' });
    const { id } = await importStatement(app, wish, statement);
    return await goTo(id === null ? '/statements' : `/statements/${id}?done=imported`);
  } catch (error) {
    const { status, said } = formRefusal(language, error);
    const isOfFile = error instanceof Problem && error.code === 'INVALID_STATEMENT';
    return refuse(status, { said, field: isOfFile ? 'file' : undefined });
  }
});

/** Returns the address of the form with what was typed. The file is too large for an address. */
function addressOf(visit: ConsoleVisit, typed: Readonly<Record<string, string>>): string {
  const { of = '', account = '', file = '' } = typed;
  return keptPath(visit, NEW, { of, account, file });
}

/** Shows how a file proved its completeness. */
export function proofBadge(language: Language, proof: ListedStatement['proof']): Html {
  return badge(proof === 'nothing' ? 'warn' : 'good', tell(language, `proof.${proof}`));
}

/** Returns the charges and credits of some lines in one sentence. */
export function sumsText(language: Language, lines: readonly { amount: number }[]): string {
  const sum = (sign: 1 | -1) =>
    lines.reduce((total, { amount }) => (Math.sign(amount) === sign ? total + Math.abs(amount) : total), 0);
  return tell(language, 'statements.sums', {
    charges: formatMoney(sum(-1), 'CLP'),
    credits: formatMoney(sum(1), 'CLP'),
  });
}

/** Returns the name of the merchant that owns the account. */
export function merchantOf(
  language: Language,
  merchants: ReadonlyMap<string, string>,
  { payment_service_id, environment }: Pick<ListedStatement, 'payment_service_id' | 'environment'>,
): string {
  const name =
    payment_service_id === null
      ? tell(language, 'statements.of_all')
      : (merchants.get(payment_service_id) ?? payment_service_id);
  return `${name} · ${tell(language, `merchant.${environment}`).toLowerCase()}`;
}

type AccountOwner = { environment: Environment; paymentServiceId: string | null };

/**
 * Parses an account: the id of a merchant's environment, or `all ENVIRONMENT` for the account of all merchants. Null if
 * the person may not see it.
 */
async function accountOwnerNamed(app: App, { user }: ConsoleVisit, name = ''): Promise<AccountOwner | null> {
  const [, all] = /^all (development|production)$/.exec(name) ?? [];
  if (all !== undefined) {
    return user.environmentIds === null ? { environment: all as Environment, paymentServiceId: null } : null;
  }
  const owner = (await listSeenOwners(app, user)).find(({ id }) => String(id) === name);
  return owner === undefined ? null : { environment: owner.environment, paymentServiceId: owner.merchant };
}

type Answer = Fault & { status: number; of?: string | undefined; account?: string | undefined };

async function sendForm(app: App, visit: ConsoleVisit, answer: Answer) {
  const { status, of = '', account = '' } = answer;
  const { language, user, send } = visit;
  const title = tell(language, 'statements.import');
  const owners = await listSeenOwners(app, user);
  const environments = [...new Set(owners.map(({ environment }) => environment))];
  const all =
    user.environmentIds === null
      ? environments.map(
          (environment) => [`all ${environment}`, tell(language, 'statements.of_all'), environment] as const,
        )
      : [];
  const each = owners.map(({ id, name, environment }) => [String(id), name, environment] as const);
  const options = [...each, ...all].map(
    ([value, name, environment]) =>
      html`<option value="${value}"${value === of && html` selected`}>${ownerText(language, name, environment)}</option>`,
  );
  const main = html`${alertNotice(answer)}
<h1>${title}</h1>
<p>${tell(language, 'statements.text')}</p>
<form class="card pad narrow" method="post" enctype="multipart/form-data" action="${publicPath(app)}/console/statements">
${formField(answer, 'file', (attributes) => html`<label>${tell(language, 'statements.file')}<input type="file" name="file" required accept=".csv,.txt,.xlsx,.xls"${attributes}></label>`)}
${formField(answer, 'account', (attributes) => html`<label>${tell(language, 'statements.account')}<input name="account" required maxlength="30" inputmode="numeric" value="${account}" autocomplete="off"${attributes}></label>`)}
${formField(answer, 'of', (attributes) => html`<label>${tell(language, 'statements.whose')}<select name="of" required${attributes}>${noOwnerYet(language, owners)}${options}</select></label>`)}
<p class="actions"><button class="primary">${tell(language, 'statements.look')}</button></p></form>`;
  return send(status, { title, main });
}

type Preview = { wish: Parameters<typeof importStatement>[1]; statement: ReadStatement; file: SentFile; of: string };

async function sendPreview(app: App, visit: ConsoleVisit, { wish, statement, file, of }: Preview) {
  const { language, user, send } = visit;
  const { previewStatement } = await import('../../statements/preview-statement.ts');
  const { known, doubtful, uses } = await previewStatement(app, wish, statement);
  const { lines, proof } = statement;
  const days = lines.map(({ day }) => day).toSorted();
  const fresh = lines.length - known;
  const title = tell(language, 'statements.preview', { n: lines.length, from: days[0] ?? '', to: days.at(-1) ?? '' });
  const merchants = new Map((await listMerchants(app, user)).map(({ id, name }) => [id, name]));
  const owner = merchantOf(language, merchants, {
    payment_service_id: wish.paymentServiceId,
    environment: wish.environment,
  });
  const rows = USES.map((use) => [useBadge(language, use), String(uses[use])]);
  const main = html`<h1>${title}</h1>
<p>${file.name} · <strong>${owner}</strong> · <span class="code">…${wish.account.slice(-4)}</span> · ${proofBadge(language, proof)}</p>
<p>${sumsText(language, lines)}</p>
<p class="notice">${known > 0 && fresh > 0 && html`${tell(language, 'statements.known', { n: known })} `}${tell(language, fresh === 0 ? 'statements.nothing_new' : 'statements.nothing_yet')}</p>
${doubtful.length > 0 && html`<p class="notice">${tell(language, 'statements.doubtful', { lines: firstOf(doubtful) })}</p>`}
${fresh > 0 && tableOf([tell(language, 'statements.use'), tell(language, 'statements.lines')], rows, [1])}
<form class="actions" method="post" enctype="multipart/form-data" action="${publicPath(app)}/console/statements">
${carriedFile(file)}<input type="hidden" name="of" value="${of}"><input type="hidden" name="account" value="${wish.account}"><input type="hidden" name="confirm" value="yes">
${fresh > 0 && html`<button class="primary">${tell(language, 'statements.confirm', { n: fresh })}</button>`}
<a class="button" href="${publicPath(app)}/console${addressOf(visit, { of, account: wish.account })}">${tell(language, 'refund.back')}</a></form>`;
  return send(200, { title, main });
}

/** Returns some lines of a file in one text. */
function firstOf(lines: readonly number[]): string {
  return lines.length > 20 ? `${lines.slice(0, 20).join(', ')} …` : lines.join(', ');
}

const TONES: Readonly<Record<LineUse, string>> = {
  payout: 'good',
  return: 'bad',
  deposit: 'good',
  suspense: 'warn',
  other: 'calm',
};

/** Shows the use of a line. */
export function useBadge(language: Language, use: LineUse): Html {
  return badge(TONES[use], tell(language, `use.${use}`));
}

function columnsFor(app: App, language: Language): Column<SeenStatement>[] {
  return [
    {
      name: 'file',
      text: 'column.file',
      value: ({ file_name }) => file_name,
      cell: ({ id, file_name }) => html`<a href="${publicPath(app)}/console/statements/${id}">${file_name}</a>`,
    },
    { name: 'id', text: 'statements.id', value: ({ id }) => id, hidden: true },
    { name: 'account', text: 'column.account', value: ({ account }) => `…${account.slice(-4)}` },
    {
      name: 'days',
      text: 'column.days',
      value: ({ first_day, last_day }) => `${first_day} – ${last_day}`,
      cell: ({ first_day, last_day }) =>
        html`<span><span class="whole">${first_day}</span> – <span class="whole">${last_day}</span></span>`,
    },
    { name: 'lines', text: 'statements.lines', kind: 'number', value: ({ lines }) => lines },
    {
      name: 'open',
      text: 'statements.open',
      kind: 'number',
      value: ({ open }) => open,
      cell: ({ id, open }) =>
        open === 0
          ? '0'
          : html`<a href="${publicPath(app)}/console/statements/${id}?use=suspense">${badge('warn', String(open))}</a>`,
    },
    {
      name: 'proof',
      text: 'statements.proof',
      value: ({ proof }) => tell(language, `proof.${proof}`),
      cell: ({ proof }) => proofBadge(language, proof),
    },
    {
      name: 'imported',
      text: 'statements.imported',
      kind: 'time',
      value: ({ imported_at }) => imported_at,
      cell: ({ imported_at, imported_by }) =>
        html`<span class="mail">${timeCell(imported_at)}<br><span class="quiet">${actorText(language, imported_by)}</span></span>`,
    },
    {
      name: 'by',
      text: 'column.who',
      value: ({ imported_by }) => actorText(language, imported_by),
      hidden: true,
    },
    { name: 'merchant', text: 'column.merchant', value: ({ merchant }) => merchant },
  ];
}
