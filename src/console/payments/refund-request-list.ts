import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import { html } from '../../http/html.ts';
import { listWaitingRequests } from '../../refunds/find-refund-request.ts';
import type { ListedRefundRequest } from '../../refunds/refund-request-queries.ts';
import { actorText, ageCell, emptyState } from '../console-format.ts';
import { amountColumns, askedOf, type Column, containsText, EXPORTED, readFirst, sendList } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { formatOf } from '../export-in-turn.ts';
import { merchantFilter } from '../merchants/visible-merchants.ts';

const SHOWN = 200;

/**
 * Lists the refunds above a limit that wait for another person, oldest first, in the payment services that this person
 * sees.
 */
export const getConsoleRefundRequests = consoleHandler(async (app, visit) => {
  const { language, user } = visit;
  const { text = '', merchant = '' } = askedOf(visit);
  const { rows, cut } = await readFirst(formatOf(visit) === null ? SHOWN : EXPORTED, (limit) =>
    listWaitingRequests(app, user.environmentIds, limit),
  );
  return sendList<ListedRefundRequest>(visit, {
    title: tell(language, 'above.list'),
    path: '/refund-requests',
    columns: columnsFor(app, visit),
    cut,
    rows: rows.filter(
      (row) =>
        (merchant === '' || row.payment_service === merchant) &&
        containsText(text, [row.reference, row.requested_by, row.reason]),
    ),
    filters: [{ name: 'text', text: 'above.text_filter', type: 'search' }, ...(await merchantFilter(app, user))],
    empty: emptyState(visit, tell(language, 'above.none'), 'bin/rubrica refund requests'),
  });
});

function columnsFor(app: App, { language }: ConsoleVisit): Column<ListedRefundRequest>[] {
  const now = app.now();
  return [
    {
      name: 'reference',
      text: 'column.reference',
      value: ({ reference }) => reference,
      cell: ({ reference, transaction_id }) =>
        html`<a class="code" href="${publicPath(app)}/console/payments/${transaction_id}">${reference}</a>`,
    },
    { name: 'transaction', text: 'column.transaction', value: ({ transaction_id }) => transaction_id, hidden: true },
    { name: 'request', text: 'above.id', value: ({ id }) => id, hidden: true },
    ...amountColumns<ListedRefundRequest>((row) => row),
    {
      name: 'by',
      text: 'above.by',
      value: ({ requested_by, asker_disabled }) => {
        const name = actorText(language, requested_by);
        return asker_disabled === 1 ? tell(language, 'above.by_disabled', { name }) : name;
      },
    },
    { name: 'why', text: 'column.why', value: ({ reason }) => reason },
    {
      name: 'since',
      text: 'column.since',
      kind: 'time',
      value: ({ requested_at }) => requested_at,
      cell: ({ requested_at }) => ageCell(language, Math.max(0, now - requested_at)),
    },
    { name: 'merchant', text: 'column.merchant', value: ({ name }) => name },
  ];
}
