import type { App } from '../../app.ts';
import { mayAny, readWith } from '../../auth/permission.ts';
import { publicPath } from '../../http/assets.ts';
import { html } from '../../http/html.ts';
import { listOwnRequests, listSeenRequests, listWaitingRequests } from '../../refunds/find-refund-request.ts';
import { REFUND_REQUEST_STATES } from '../../refunds/refund-request.ts';
import type { ListedRefundRequest } from '../../refunds/refund-request-queries.ts';
import { actorText, ageCell, emptyState } from '../console-format.ts';
import {
  amountColumns,
  askedOf,
  type Column,
  containsText,
  EXPORTED,
  type Filter,
  readFirst,
  sendList,
} from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { formatOf } from '../export-in-turn.ts';
import { merchantFilter } from '../merchants/visible-merchants.ts';

const SHOWN = 200;

/**
 * Lists the refunds above a limit that wait for another person, oldest first, in the payment services that this person
 * sees; the filter shows the decided ones too, newest first. A person who may only ask for refunds sees their own
 * requests instead, with what became of them, newest first.
 */
export const getConsoleRefundRequests = consoleHandler(async (app, visit) => {
  const { language, user } = visit;
  const isOwn = !mayAny(user.may, readWith('refunds:approve'));
  const states = stateFilter(visit, isOwn);
  const { text = '', merchant = '', state = states.otherwise } = askedOf(visit);
  const isWaiting = state === 'waiting';
  const isFile = formatOf(visit) !== null;
  const filter = { state, paymentService: merchant };
  // The text is looked for in the rows that were read.
  const read = await readFirst(isFile || text !== '' ? EXPORTED : SHOWN, (limit) => {
    if (isOwn) return listOwnRequests(app, user, limit, filter);
    return (isWaiting ? listWaitingRequests : listSeenRequests)(app, user.environmentIds, limit, filter);
  });
  const found = read.rows.filter((row) => containsText(text, [row.reference, row.requested_by, row.reason]));
  const rows = isFile ? found : found.slice(0, SHOWN);
  return sendList<ListedRefundRequest>(visit, {
    title: tell(language, isOwn ? 'above.own' : isWaiting ? 'above.list' : 'above.all'),
    path: '/refund-requests',
    columns: columnsFor(app, visit, { isOwn, isWaiting }),
    cut: rows.length < found.length ? SHOWN : read.cut,
    rows,
    filters: [
      { name: 'text', text: 'above.text_filter', type: 'search' },
      states,
      ...(await merchantFilter(app, user)),
    ],
    empty: isOwn
      ? emptyState(visit, tell(language, 'above.own_none'), '')
      : emptyState(visit, tell(language, 'above.none'), 'bin/rubrica refund requests'),
  });
});

/** Filters by state. Who decides about requests first sees those that wait. */
function stateFilter({ language }: ConsoleVisit, isOwn: boolean): Filter & { otherwise: string } {
  return {
    name: 'state',
    text: 'filter.state',
    type: REFUND_REQUEST_STATES.map(
      (state) => [state, tell(language, `above.state_${state === 'rejected' ? 'ended' : state}`)] as const,
    ),
    otherwise: isOwn ? '' : 'waiting',
  };
}

type Shown = { isOwn: boolean; isWaiting: boolean };

function columnsFor(app: App, visit: ConsoleVisit, { isOwn, isWaiting }: Shown): Column<ListedRefundRequest>[] {
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
    ...(isOwn ? [] : [askerColumn(visit)]),
    ...(isOwn || !isWaiting ? endColumns(visit) : []),
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
function endColumns({ language }: ConsoleVisit): Column<ListedRefundRequest>[] {
  return [
    {
      name: 'state',
      text: 'column.state',
      value: (row) => tell(language, isWithdrawn(row) ? 'above.state_withdrawn' : `above.state_${row.state}`),
    },
    {
      name: 'decided',
      text: 'above.decided_by',
      value: ({ decided_by }) => (decided_by === null ? null : actorText(language, decided_by)),
    },
    { name: 'decision', text: 'above.decided_why', value: ({ decision_reason }) => decision_reason },
  ];
}

/** Whether the requester ended it. A payment service that moved here has the same person under another id. */
function isWithdrawn({ requested_by, requested_by_id, decided_by, decided_by_id }: ListedRefundRequest): boolean {
  return decided_by_id === requested_by_id || decided_by === requested_by;
}
