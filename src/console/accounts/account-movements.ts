import type { App } from '../../app.ts';
import type { User } from '../../auth/user.ts';
import { type StatementLine, type StatementScope, selectNewestLines } from '../../books/statement-queries.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { amountColumns, askedOf, type Column, EXPORTED } from '../console-list.ts';
import { tell, tellKind } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { formatOf } from '../export-in-turn.ts';

const SHOWN = 50;

/**
 * Reads the movements of a merchant's money in a period, newest first. `older`: the cursor of the next page; null on
 * the last page.
 */
export async function readMovements(
  app: App,
  visit: ConsoleVisit,
  scope: StatementScope,
): Promise<{ lines: StatementLine[]; older: string | null }> {
  const { kind = '', before = '' } = askedOf(visit);
  const limit = formatOf(visit) === null ? SHOWN : EXPORTED;
  const lines = await selectNewestLines(app.db, scope, { kind, before: placeOf(before) ?? endOf(scope) }, limit + 1);
  const last = lines[limit - 1];
  const older = lines.length > limit && last !== undefined ? `${last.created_at}.${last.link}.${last.line}` : null;
  return { lines: lines.slice(0, limit), older };
}

type Place = Pick<StatementLine, 'created_at' | 'link' | 'line'>;

/** Parses a cursor. Returns null for invalid text; the list then begins with the newest movement. */
function placeOf(text: string): Place | null {
  const [, at, link, line] = /^(\d{1,15})\.(\d{1,15})\.(\d{1,6})$/.exec(text) ?? [];
  return at === undefined ? null : { created_at: Number(at), link: Number(link), line: Number(line) };
}

function endOf({ to }: StatementScope): Place {
  return { created_at: to, link: 0, line: 0 };
}

/** Returns the link to the next page, with the same filters. */
export function olderLink(visit: ConsoleVisit, at: string, older: string): Html {
  const query = String(new URLSearchParams({ ...askedOf(visit), before: older }));
  return html`<p class="actions"><a class="button" href="${at}?${query}">${tell(visit.language, 'payments.next')}</a></p>`;
}

/** Returns the columns of a movement. A positive amount is in the merchant's favour. */
export function movementColumns({ app, language, user }: ConsoleVisit, currency: string): Column<StatementLine>[] {
  const at = `${publicPath(app)}/console`;
  return [
    { name: 'at', text: 'column.when', value: ({ created_at }) => created_at, kind: 'time' },
    { name: 'kind', text: 'column.kind', value: ({ kind }) => tellKind(language, 'kind', kind) },
    {
      name: 'reference',
      text: 'column.reference',
      value: ({ reference }) => reference,
      cell: (line) => {
        const path = screenOf(line, user);
        const shown = html`<span class="code">${line.reference ?? '—'}</span>`;
        return path === null ? shown : html`<a href="${at}${path}">${shown}</a>`;
      },
    },
    {
      name: 'transaction',
      text: 'column.transaction',
      value: ({ transaction_id: transaction }) => transaction,
      hidden: true,
    },
    ...amountColumns<StatementLine>(({ amount }) => ({ amount, currency })),
  ];
}

/**
 * Returns the path below `/console` of the screen of the payment or payout, or of the movement with who recorded it and
 * why; null if the person may not see it.
 */
function screenOf(line: StatementLine, { may, environmentIds }: User): string | null {
  const { transaction_id: transaction, payout_id: payout, movement_id: movement } = line;
  if (transaction !== null) return `/payments/${transaction}`;
  if (payout !== null) return may.has('recipients:read') ? `/payouts/${payout}` : null;
  return movement !== null && environmentIds === null ? `/movements?text=${movement}` : null;
}
