import type { App } from '../../app.ts';
import type { User } from '../../auth/user.ts';
import { identityHashes } from '../../bank-validation/identity-hash.ts';
import { readRut } from '../../bank-validation/rut.ts';
import { pageOf } from '../../db/newest-page.ts';
import { Problem } from '../../error-catalogue.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { boundsOfDay, isDay } from '../../lib/calendar-day.ts';
import type { Language } from '../../lib/language.ts';
import { ENVIRONMENTS } from '../../payment-services/payment-service.ts';
import { listPayouts } from '../../payouts/find-payout.ts';
import { sayReason } from '../../payouts/kept-texts.ts';
import { isPayoutState, PAYOUT_CURRENCY, type Payout } from '../../payouts/payout.ts';
import type { PayoutFilter } from '../../payouts/payout-queries.ts';
import { findRecipient } from '../../payouts/recipients/find-recipient.ts';
import { readAmounts } from '../../search/read-search.ts';
import { actorText, emptyState, timeCell } from '../console-format.ts';
import { amountColumns, type Column, EXPORTED, type Filter, sendList } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { formatOf } from '../export-in-turn.ts';
import { pageLinks, typedOf, unopenedNote } from '../kept-typing.ts';
import { merchantFilter } from '../merchants/visible-merchants.ts';
import { listSeenOwners } from './owner-choice.ts';
import {
  accountCell,
  approverText,
  payoutBadges,
  recipientCell,
  type SeenPayout,
  seePayouts,
  statesFilter,
  verdictText,
} from './payout-cells.ts';

const SHOWN = 50;

/** Lists the newest payouts, by state, day, amount, id, RUT, reference or batch. */
export const getConsolePayouts = consoleHandler(async (app, visit) => {
  const { language, user } = visit;
  const { after = '', ...asked } = typedOf(visit);
  const isPage = formatOf(visit) === null;
  const limit = isPage ? SHOWN : EXPORTED;
  const found = await listPayouts(app, await scopeOf(app, user, asked), await filterOf(app, user, asked), {
    limit: limit + 1,
    after: placeOf(after),
  });
  const { page, next } = pageOf(found, limit, ({ created_at, id }) => `${created_at}.${id}`);
  return sendList<SeenPayout>(visit, {
    title: tell(language, 'payouts.title'),
    path: '/payouts',
    columns: payoutColumns(app, language),
    rows: await seePayouts(app, page),
    typed: asked,
    filters: [...filtersIn(language), ...(await merchantFilter(app, user))],
    cut: next !== null && page.length,
    paged: next !== null || after !== '',
    above: html`${unopenedNote(visit)}${actionsOf(app, visit)}`,
    empty: emptyState(
      visit,
      tell(language, user.may.has('payouts:create') ? 'payouts.none_yet' : 'payouts.none'),
      'bin/rubrica payout propose nomina.csv --payment-service ID --as EMAIL',
    ),
    noneSuch: emptyState(visit, tell(language, 'payouts.none_such'), ''),
    below: pageLinks(visit, '/payouts', asked, { after, next }),
  });
});

/** Lists the actions that the person may take here. */
function actionsOf(app: App, { language, user }: ConsoleVisit): Html {
  const at = `${publicPath(app)}/console`;
  return html`<p class="actions">${
    user.may.has('payouts:create') &&
    html`<a class="button primary" href="${at}/payouts/upload">${tell(language, 'upload.title')}</a>
<a class="button" href="${at}/recipients">${tell(language, 'payouts.to_one')}</a>`
  }
${user.may.has('payouts:approve') && html`<a class="button" href="${at}/payouts?state=awaiting_approval">${tell(language, 'payouts.to_sign')}</a>`}
<a class="button" href="${at}/batches">${tell(language, 'batches.title')}</a></p>`;
}

function placeOf(after: string): Pick<Payout, 'created_at' | 'id'> | null {
  const [, at = '', id = ''] = /^(\d{1,15})\.(po_\w{1,60})$/.exec(after) ?? [];
  return id === '' ? null : { created_at: Number(at), id };
}

function filtersIn(language: Language): Filter[] {
  return [
    statesFilter(language),
    { name: 'since', text: 'filter.since', type: 'date' },
    { name: 'until', text: 'filter.until', type: 'date' },
    { name: 'amount', text: 'filter.amount', type: 'search' },
    { name: 'text', text: 'payouts.text', type: 'search' },
    {
      name: 'environment',
      text: 'callbacks.environment',
      type: ENVIRONMENTS.map((name) => [name, tell(language, `merchant.${name}`)] as const),
    },
  ];
}

/** Returns the environments that the filter leaves of those that the person sees; null: all. */
async function scopeOf(app: App, user: User, { merchant = '', environment = '' }: Record<string, string>) {
  if (merchant === '' && environment === '') return user.environmentIds;
  const owners = (await listSeenOwners(app, user)).filter(
    (one) => (merchant === '' || one.merchant === merchant) && (environment === '' || one.environment === environment),
  );
  return new Set(owners.map(({ id }) => id));
}

/** `sendList` refuses an unknown state or day. Other text than an amount matches no payout. */
async function filterOf(app: App, user: User, asked: Record<string, string>): Promise<PayoutFilter> {
  const { state = '', since = '', until = '', amount = '', text = '', batch = '' } = asked;
  return {
    ...(isPayoutState(state) && { state }),
    ...(isDay(since) && { since: boundsOfDay(since).from }),
    ...(isDay(until) && { until: boundsOfDay(until).to }),
    ...(amount !== '' && { amount: pesosOf(amount) }),
    ...(batch !== '' && { batchId: batch }),
    ...(text !== '' && (await whatHas(app, user, text))),
  };
}

/** Reads an amount as people write it. No payout has -1. */
function pesosOf(text: string): number {
  return readAmounts(text).find(({ currency }) => currency === PAYOUT_CURRENCY)?.amount ?? -1;
}

async function whatHas(app: App, user: User, text: string): Promise<PayoutFilter> {
  if (text.startsWith('po_')) return { id: text };
  if (text.startsWith('pb_')) return { batchId: text };
  const rut = text.startsWith('rcp_') ? await rutOf(app, user, text) : text;
  const { canonical } = readRut(rut);
  return canonical === null ? { reference: text } : { rutHash: (await identityHashes(app)).ofRut(canonical) };
}

/** Returns the RUT of a recipient that the person may see; else the text. */
async function rutOf(app: App, user: User, id: string): Promise<string> {
  const [newest] = await findRecipient(app, user, id).catch((error: unknown) => {
    if (error instanceof Problem) return [];
    throw error;
  });
  return newest?.rut ?? id;
}

/** The columns of a list of payouts, here and on the page of a batch. */
export function payoutColumns(app: App, language: Language): Column<SeenPayout>[] {
  const at = `${publicPath(app)}/console`;
  return [
    {
      name: 'reference',
      text: 'column.payout',
      value: ({ payout }) => payout.reference,
      cell: ({ payout }) => html`<a class="code" href="${at}/payouts/${payout.id}">${payout.reference}</a>`,
    },
    { name: 'id', text: 'column.payout_id', value: ({ payout }) => payout.id, hidden: true },
    {
      name: 'recipient',
      text: 'column.recipient',
      value: ({ recipient }) => recipient?.name ?? tell(language, 'payout.erased'),
      cell: (seen) => recipientCell(language, seen),
    },
    { name: 'rut', text: 'column.rut', value: ({ recipient }) => recipient?.rut ?? null, hidden: true },
    {
      name: 'account',
      text: 'column.account',
      value: ({ bank, payout }) => `${bank} ${payout.account_masked}`,
      cell: ({ bank, payout }) => accountCell(bank, payout.account_masked),
    },
    ...amountColumns<SeenPayout>(({ payout }) => payout),
    {
      name: 'state',
      text: 'column.state',
      value: ({ payout }) => tell(language, `payout_state.${payout.state}`),
      cell: (seen) => html`<span>${payoutBadges(language, seen)}</span>`,
    },
    { name: 'verdict', text: 'column.verdict', value: (seen) => verdictText(language, seen), hidden: true },
    {
      name: 'warnings',
      text: 'column.warnings',
      value: ({ warnings }) => warnings.map(({ text }) => text[language]).join(' '),
      hidden: true,
    },
    {
      name: 'created',
      text: 'column.created',
      kind: 'time',
      value: ({ payout }) => payout.created_at,
      cell: ({ payout }) =>
        html`<span class="mail">${timeCell(payout.created_at)}<br><span class="quiet">${tell(language, 'line.by', { name: actorText(language, payout.proposed_by) })}${
          payout.approved_by !== null &&
          html`<br>${tell(language, 'payout.approved_by', { name: approverText(language, payout) ?? '' })}`
        }</span></span>`,
    },
    {
      name: 'maker',
      text: 'column.maker',
      value: ({ payout }) => actorText(language, payout.proposed_by),
      hidden: true,
    },
    { name: 'approver', text: 'column.approver', value: ({ payout }) => approverText(language, payout), hidden: true },
    {
      name: 'reason',
      text: 'column.reason',
      value: ({ payout }) => (payout.reason === null ? null : sayReason(payout.reason)[language]),
      hidden: true,
    },
    { name: 'batch', text: 'column.batch', value: ({ payout }) => payout.batch_id, hidden: true },
    { name: 'merchant', text: 'column.merchant', value: ({ merchant }) => merchant },
  ];
}
