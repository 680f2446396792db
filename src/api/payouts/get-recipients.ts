import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { CURSOR_PARAMETER, limitParameter, NEXT, readIdCursor } from '../../http/list-parameters.ts';
import { requireUser } from '../../http/require-user.ts';
import { findRecipient, listRecipients } from '../../payouts/recipients/find-recipient.ts';
import { PAYOUTS_ERRORS } from '../bank-accounts/validation-schemas.ts';
import { RECIPIENT_EXAMPLE, RecipientSchema, recipientJson } from './recipient-schemas.ts';

const MOST = 100;

const ListReplySchema = replyOf(
  'RecipientList',
  Type.Object({
    recipients: Type.Array(RecipientSchema),
    next: NEXT,
  }),
);

/** Lists the recipients that the user may see, each in its current version. */
export const getRecipients = operation({
  describe: {
    operationId: 'listRecipients',
    summary: 'List the recipients',
    description:
      'Returns the newest version of each recipient. A user sees the recipients of their payment services and those that they stored for themselves; a user of all payment services sees all.',
    tag: 'Recipients',
    parameters: [CURSOR_PARAMETER, limitParameter(MOST)],
    replies: {
      200: {
        description: 'A page of recipients, ordered by id',
        schema: ListReplySchema,
        example: { message: 'OK', errors: null, data: { recipients: [RECIPIENT_EXAMPLE], next: null } },
      },
    },
    errors: [...PAYOUTS_ERRORS, 'INVALID_PARAMETER'],
  },
  handle: async (app, request, _reply, query) => {
    const user = await requireUser(app, request);
    const { after: sent, limit = MOST } = query();
    const after = readIdCursor(sent, 'rcp');
    const { recipients, next } = await listRecipients(app, user, { after, limit });
    return { message: 'OK', errors: null, data: { recipients: recipients.map(recipientJson), next } };
  },
});

const HistoryReplySchema = replyOf(
  'RecipientHistory',
  Type.Intersect([
    RecipientSchema,
    Type.Object({ versions: Type.Array(RecipientSchema, { description: 'All versions, newest first' }) }),
  ]),
);

/** Returns one recipient with all its versions. */
export const getRecipientsId = operation({
  describe: {
    operationId: 'readRecipient',
    summary: 'Read a recipient',
    description: 'Returns the recipient with all its versions.',
    tag: 'Recipients',
    parameters: [{ name: 'id', in: 'path', required: true, description: 'Id of the recipient', schema: Type.String() }],
    replies: {
      200: {
        description: 'The recipient',
        schema: HistoryReplySchema,
        example: { message: 'OK', errors: null, data: { ...RECIPIENT_EXAMPLE, versions: [RECIPIENT_EXAMPLE] } },
      },
    },
    errors: [...PAYOUTS_ERRORS, 'NOT_FOUND', 'CHANGED_IN_STORE'],
  },
  handle: async (app, request) => {
    const user = await requireUser(app, request);
    const { id } = request.params as { id: string };
    const versions = (await findRecipient(app, user, id)).map(recipientJson);
    const [newest] = versions as [(typeof versions)[number]];
    return { message: 'OK', errors: null, data: { ...newest, versions } };
  },
});
