import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { requireUser } from '../../http/require-user.ts';
import { findByReference } from '../../payouts/find-payout.ts';
import { tefResponse } from '../../payouts/payout-told.ts';
import { TEF_ERRORS } from './post-tef.ts';
import { TEF_RESPONSE_EXAMPLE, TefResponseSchema } from './tef-schemas.ts';

/** Returns a payout by the id that the client chose. */
export const getTefId = operation({
  describe: {
    operationId: 'readTransfer',
    summary: 'Read a payout',
    description:
      'Returns a payout by the id that you gave it. `status` says whether it is in progress, completed or failed; `state` is its exact state.',
    tag: 'Payouts',
    parameters: [
      {
        name: 'id',
        in: 'path',
        required: true,
        description: 'The id that you gave to the payout',
        schema: Type.String(),
      },
    ],
    replies: {
      200: {
        description: 'The payout',
        schema: Type.Object({ tefResponse: TefResponseSchema }, { $id: 'TefRead' }),
        example: { tefResponse: TEF_RESPONSE_EXAMPLE },
      },
    },
    errors: [...TEF_ERRORS, 'NOT_FOUND'],
  },
  handle: async (app, request) => {
    const user = await requireUser(app, request);
    const { id } = request.params as { id: string };
    return { tefResponse: tefResponse(await findByReference(app, user.environmentIds, id)) };
  },
});
