import type { AttentionRow } from '../../attention/attention.ts';
import { ATTENTION_KINDS } from '../../attention/attention-kinds.ts';
import { listAttention } from '../../attention/list-attention.ts';
import { giveUpAttention, takeAttention } from '../../attention/take-attention.ts';
import { missingPermission } from '../../auth/missing-permission.ts';
import { ENDS_WAITING, mayAny, type Needed, type Permission, readWith } from '../../auth/permission.ts';
import type { User } from '../../auth/user.ts';
import { Problem } from '../../error-catalogue.ts';
import { publicPath } from '../../http/assets.ts';
import type { Screen } from '../../http/endpoint.ts';
import { type Html, html } from '../../http/html.ts';
import { formatMoney, formatPlain } from '../../lib/money.ts';
import { commandCell, OLDEST_MAILS, permissionFor } from '../command-ways.ts';
import { actorText, ageCell, badge, emptyState, tableOf } from '../console-format.ts';
import { askedOf, type Column, keptList, pathOfList, readFirst, sendList } from '../console-list.ts';
import { tell, tellAll, tellKind } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { whoMay } from '../permission-texts.ts';
import { fieldsOf } from '../sign-in.ts';

const SHOWN = 200;

/** Lists everything that waits for a person, with its age and the command that ends it. */
export const getConsoleAttention = consoleHandler(async (app, visit) => {
  const { language } = visit;
  const asked = askedOf(visit)['kind'];
  const kind = ATTENTION_KINDS.find((one) => one.kind === asked)?.kind ?? null;
  return sendList<AttentionRow>(visit, {
    title: tell(language, 'attention.title'),
    path: '/attention',
    columns: columnsFor(visit),
    ...(await readFirst(SHOWN, (limit) => listAttention(app, kind, limit, language))),
    filters: [
      {
        name: 'kind',
        text: 'column.kind',
        type: ATTENTION_KINDS.map((one) => [one.kind, tellKind(language, 'attention', one.kind)] as const),
      },
    ],
    empty: emptyState(visit, tell(language, 'attention.none'), 'bin/rubrica attention list'),
  });
});

function columnsFor(visit: ConsoleVisit): Column<AttentionRow>[] {
  const { language } = visit;
  return [
    {
      name: 'kind',
      text: 'column.kind',
      value: ({ kind }) => tellKind(language, 'attention', kind),
      cell: (row) => html`${kindCell(visit, row)}<br><span class="quiet">${ageCell(language, row.age)}</span>`,
    },
    { name: 'transaction', text: 'column.transaction', value: ({ transaction }) => transaction, hidden: true },
    { name: 'merchant', text: 'column.merchant', value: ({ name }) => name },
    {
      name: 'amount',
      text: 'column.amount',
      kind: 'number',
      value: ({ amount, currency }) => (amount === null ? null : Number(formatPlain(amount, currency ?? ''))),
      cell: amountText,
    },
    { name: 'currency', text: 'column.currency', value: ({ currency }) => currency, hidden: true },
    {
      name: 'why',
      text: 'column.why',
      value: ({ reason }) => reason,
      cell: (row) => html`${row.reason}<br>${commandCell(visit, row.command, row)}`,
    },
    { name: 'since', text: 'column.since', kind: 'time', value: ({ since }) => since, hidden: true },
    { name: 'command', text: 'column.command', value: ({ command }) => command, hidden: true },
    {
      name: 'owner',
      text: 'attention.owner',
      value: ({ taken_by }) => taken_by && actorText(language, taken_by),
      cell: (row) => ownerCell(visit, row),
    },
  ];
}

/**
 * Shows the owner of the item, and to a person who can end it the form to take it or give it up; to others, who can. An
 * owner who can no longer end it can still give it up.
 */
function ownerCell(
  visit: ConsoleVisit,
  { kind, id, payment_service, environment, taken_by, command }: AttentionRow,
): Html {
  const { app, language, user, by } = visit;
  const owner = html`<span class="mail">${actorText(language, taken_by)}</span>`;
  const lacks = lacksToEnd(user, command);
  const others =
    lacks !== null &&
    html`<br><span class="quiet">${tell(language, 'settle.another', { who: whoMay(language, lacks) })}</span>`;
  if (!mayAny(user.may, ENDS_WAITING) || !(lacks === null || taken_by === by.name)) return html`${owner}${others}`;
  const at = `${publicPath(app)}/console/attention`;
  const act = taken_by === null ? 'take' : 'give-up';
  const fields = Object.entries({ kind, id, payment_service, environment });
  return html`<form method="post" action="${at}/${act}">${taken_by !== null && html`${owner}<br>`}${fields.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${keptList(visit)}<button class="link">${tell(language, taken_by === null ? 'attention.take' : 'attention.give_up')}</button></form>${others}`;
}

/** Returns the permission that a person lacks for the command that ends an item, or null. */
function lacksToEnd({ may }: User, command: string): Permission | null {
  const permission = permissionFor(command);
  return permission === null || may.has(permission) ? null : permission;
}

/** Makes the person the owner of an item that they can end, even if another person owns it. */
export const postConsoleTake = taking(takeAttention);

/** Removes the owner of an item. */
export const postConsoleGiveUp = taking(giveUpAttention);

/** Refuses the same people as `ownerCell` shows no button. */
function taking(take: typeof takeAttention): Screen {
  return consoleHandler(async (app, { by, user, request, goTo }) => {
    const { id = '', kind: name, payment_service = '', environment = '', kept } = fieldsOf(request);
    const kind = ATTENTION_KINDS.find((one) => one.kind === name)?.kind;
    if (kind === undefined) throw new Problem('NOT_FOUND');
    // If the item has ended meanwhile, there is nothing to take.
    const check = ({ command, taken_by }: AttentionRow) => {
      const lacks = lacksToEnd(user, command);
      if (lacks !== null && taken_by !== by.name) throw missingPermission(lacks);
    };
    await take(app, { id, kind, payment_service, environment }, by, check).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'NOT_FOUND') throw error;
    });
    return goTo(pathOfList('/attention', kept));
  });
}

/** Shows the rows on the first page, without commands: each row links to the screen that ends it. */
export function attentionTable(visit: ConsoleVisit, rows: readonly AttentionRow[]): Html {
  const { language } = visit;
  const head = tellAll(language, ['column.kind', 'column.merchant', 'column.amount', 'column.why', 'column.since']);
  const cells = rows.map((row) => [
    kindCell(visit, row),
    row.name,
    amountText(row),
    row.reason,
    ageCell(language, row.age),
  ]);
  return tableOf(head, cells, [2]);
}

/** Shows the kind of the item, as a link to the next screen if there is one that the person may see. */
function kindCell({ app, language, user }: ConsoleVisit, row: AttentionRow): Html {
  const { kind, transaction } = row;
  const at = `${publicPath(app)}/console`;
  const tone = kind === 'payment' || kind === 'suspense' ? 'bad' : 'warn';
  const name = badge(tone, tellKind(language, 'attention', kind));
  const path = screenOf(user, row);
  return html`${path === null ? name : html`<a href="${at}${path}">${name}</a>`}
${transaction !== null && user.may.has('payments:read') && html`<br><a href="${at}/payments/${transaction}">${transaction}</a>`}`;
}

type Place = readonly [needed: Permission | Needed, path: (row: AttentionRow) => string];

/**
 * For items that the page of a payment does not end: the screen below `/console` that does, and the permission that it
 * needs.
 */
const PLACES: Readonly<Partial<Record<AttentionRow['kind'], Place>>> = {
  endpoint: [readWith('callbacks:resend'), ({ id }) => `/callbacks/${id}`],
  key: [
    'payments:read',
    ({ id }) => `/requests?${String(new URLSearchParams({ merchant: id, code: 'SIGNATURE_INVALID' }))}`,
  ],
  payout: ['recipients:read', ({ id }) => `/payouts/${id}`],
  approval: ['recipients:read', ({ id }) => (id.startsWith('pb_') ? `/batches/${id}` : `/payouts/${id}`)],
  settlement: ['books:read', ({ id }) => `/settlements/${id}`],
  statement: [
    'books:read',
    ({ id }) => {
      const [statement, line] = id.split('/');
      return `/statements/${statement}?use=suspense&line=${line}#explain`;
    },
  ],
  mail: [readWith('callbacks:resend'), () => OLDEST_MAILS],
  backup: [readWith('payment-services:manage'), () => '/health'],
  books: [readWith('payment-services:manage'), () => '/health'],
  restore: [readWith('payment-services:manage'), () => '/restore'],
};

function screenOf({ may }: User, row: AttentionRow): string | null {
  const { kind, transaction } = row;
  const ofPayment: Place | undefined =
    transaction === null ? undefined : ['payments:read', () => `/payments/${transaction}`];
  const place = [PLACES[kind], ofPayment].find((one) => one !== undefined && mayAny(may, one[0]));
  return place?.[1](row) ?? null;
}

function amountText({ amount, currency }: AttentionRow): string {
  return amount === null || currency === null ? '—' : formatMoney(amount, currency);
}
