import { CURSOR_PARAMETER, readIdCursor } from '../../http/cursor-parameter.ts';
import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { limitParameter } from '../../http/limit-parameter.ts';
import { requireUser } from '../../http/require-user.ts';
import { findRecipient, listRecipients } from '../../payouts/find-recipient.ts';
import { PAYOUTS_ERRORS } from '../bank-accounts/validation-schemas.ts';
import { RECIPIENT_EXAMPLE, RecipientSchema, recipientJson } from './recipient-schemas.ts';

const MOST = 100;

const ListReplySchema = Type.Object(
  {
    message: Type.String(),
    errors: Type.Null(),
    data: Type.Object({
      recipients: Type.Array(RecipientSchema),
      next: Type.Union([Type.String(), Type.Null()], { description: 'The `after` of the page that follows' }),
    }),
  },
  { $id: 'RecipientList' },
);

/** Lists the recipients that the user may see, each in its current version. */
export const getRecipients = operation({
  describe: {
    operationId: 'listRecipients',
    summary: 'List the recipients',
    description:
      'The newest version of each. A user sees the recipients of his payment services, and those that he kept for himself; a user of all payment services sees all.',
    tag: 'Recipients',
    parameters: [CURSOR_PARAMETER, limitParameter(MOST)],
    replies: {
      200: {
        description: 'A page of recipients, by id',
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

const HistoryReplySchema = Type.Object(
  {
    message: Type.String(),
    errors: Type.Null(),
    data: Type.Intersect([
      RecipientSchema,
      Type.Object({ versions: Type.Array(RecipientSchema, { description: 'All, the newest first' }) }),
    ]),
  },
  { $id: 'RecipientHistory' },
);

/** Returns one recipient with all its versions. */
export const getRecipientsId = operation({
  describe: {
    operationId: 'readRecipient',
    summary: 'Read a recipient',
    description: 'As it counts now, with every version that it has had.',
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
