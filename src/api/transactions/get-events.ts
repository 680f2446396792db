import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { CURSOR_PARAMETER, limitParameter } from '../../http/list-parameters.ts';
import { requireUser } from '../../http/require-user.ts';
import { readFeed } from '../../outbox/feed/read-feed.ts';

const MOST = 500;
const USUAL = 100;

/** Returns a page of the feed: all events that the user may see, read at the client's own pace. */
export const getEvents = operation({
  describe: {
    operationId: 'readEvents',
    summary: 'Read events',
    description:
      'Returns events in the order in which they were committed, each exactly once along the cursors. Start without `after`, then send `data.next` as `after`. While `has_more` is true, read the next page at once, even if this page is empty. `sequence` has no gaps within a transaction.',
    tag: 'Events',
    parameters: [CURSOR_PARAMETER, limitParameter(MOST, USUAL)],
    replies: { 200: { description: 'A page of events', schema: replySchema(), example: replyExample() } },
    errors: ['INVALID_PARAMETER', 'CURSOR_BEFORE_RESTORE', 'CURSOR_OF_ANOTHER_DATABASE', 'CURSOR_TOO_OLD'],
  },
  handle: async (app, request, _reply, query) => {
    const user = await requireUser(app, request);
    const { after = null, limit = USUAL } = query();
    const page = await readFeed(app, user, after, limit);
    return {
      message: 'OK',
      errors: null,
      data: { events: page.events, next: page.next, has_more: page.hasMore },
    };
  },
});

function replySchema() {
  const transaction = Type.Object({
    id: Type.Integer(),
    reference: Type.String(),
    amount: Type.String(),
    currency: Type.String(),
    state: Type.String({ description: 'State of the transaction after the event' }),
  });
  const event = Type.Object(
    {
      id: Type.String({ description: 'For an event of a transaction, also the `webhook-id` of its callback' }),
      type: Type.String(),
      sequence: Type.Nullable(Type.Integer()),
      created_at: Type.String(),
      transaction: Type.Nullable(transaction),
      environment: Type.Nullable(Type.String()),
      payment_service: Type.Nullable(Type.String()),
      data: Type.Nullable(Type.Record(Type.Any())),
    },
    { $id: 'Event' },
  );
  const data = Type.Object({ events: Type.Array(event), next: Type.String(), has_more: Type.Boolean() });
  return replyOf('EventPage', data);
}

function replyExample() {
  const event = {
    id: 'evt_1001_2',
    type: 'transaction.completed',
    sequence: 2,
    created_at: '2026-01-15T12:01:30.000Z',
    transaction: { id: 1001, reference: 'ORD-0001', amount: '1000.00', currency: 'CLP', state: 'completed' },
    environment: 'development',
    payment_service: 'ps_0123456789abcdefghjk',
    data: { authorization_code: '001001' },
  };
  return {
    message: 'OK',
    errors: null,
    data: { events: [event], next: 'iyWOw3lYYT-vYdBiYLIBNRthsZYYnKJmVJZDWW9dvsl_EQ', has_more: false },
  };
}
