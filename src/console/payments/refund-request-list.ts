import type { App } from '../../app.ts';
import { mayAny, readWith } from '../../auth/permission.ts';
import { publicPath } from '../../http/assets.ts';
import { html } from '../../http/html.ts';
import { listOwnRequests, listWaitingRequests } from '../../refunds/find-refund-request.ts';
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
 * sees. A person who may only ask for refunds sees their own requests instead, with what became of them, newest first.
 */
export const getConsoleRefundRequests = consoleHandler(async (app, visit) => {
  const { language, user } = visit;
  const { text = '', merchant = '' } = askedOf(visit);
  const isOwn = !mayAny(user.may, readWith('refunds:approve'));
  const { rows, cut } = await readFirst(formatOf(visit) === null ? SHOWN : EXPORTED, (limit) =>
    isOwn ? listOwnRequests(app, user, limit) : listWaitingRequests(app, user.environmentIds, limit),
  );
  return sendList<ListedRefundRequest>(visit, {
    title: tell(language, isOwn ? 'above.own' : 'above.list'),
    path: '/refund-requests',
    columns: columnsFor(app, visit, isOwn),
    cut,
    rows: rows.filter(
      (row) =>
        (merchant === '' || row.payment_service === merchant) &&
        containsText(text, [row.reference, row.requested_by, row.reason]),
    ),
    filters: [{ name: 'text', text: 'above.text_filter', type: 'search' }, ...(await merchantFilter(app, user))],
    empty: isOwn
      ? emptyState(visit, tell(language, 'above.own_none'), '')
      : emptyState(visit, tell(language, 'above.none'), 'bin/rubrica refund requests'),
  });
});

function columnsFor(app: App, visit: ConsoleVisit, isOwn: boolean): Column<ListedRefundRequest>[] {
  const { language } = visit;
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
    ...(isOwn ? endColumns(visit) : [askerColumn(visit)]),
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

function askerColumn({ language }: ConsoleVisit): Column<ListedRefundRequest> {
  return {
    name: 'by',
    text: 'above.by',
    value: ({ requested_by, asker_disabled }) => {
      const name = actorText(language, requested_by);
      return asker_disabled === 1 ? tell(language, 'above.by_disabled', { name }) : name;
    },
  };
}

/** Returns the columns of the end of a request: its state, who decided it and why. */
function endColumns({ language, user }: ConsoleVisit): Column<ListedRefundRequest>[] {
  return [
    {
      name: 'state',
      text: 'column.state',
      value: ({ state, decided_by_id }) =>
        tell(language, decided_by_id === user.id ? 'above.state_withdrawn' : `above.state_${state}`),
    },
    {
      name: 'decided',
      text: 'above.decided_by',
      value: ({ decided_by }) => (decided_by === null ? null : actorText(language, decided_by)),
    },
    { name: 'decision', text: 'above.decided_why', value: ({ decision_reason }) => decision_reason },
  ];
}
