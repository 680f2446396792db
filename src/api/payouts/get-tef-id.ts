import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { textParameter } from '../../http/list-parameters.ts';
import { requireUser } from '../../http/require-user.ts';
import { environmentHere } from '../../payment-services/find-environment.ts';
import { findByReference } from '../../payouts/find-payout.ts';
import { tefResponse } from '../../payouts/payout-notice.ts';
import { MOVE_ERRORS } from '../transactions/transaction-schemas.ts';
import { TEF_ERRORS } from './post-tef.ts';
import { TEF_RESPONSE_EXAMPLE, TefResponseSchema } from './tef-schemas.ts';

/** Returns a payout by the id that the client chose. */
export const getTefId = operation({
  anyQuery: true,
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
      textParameter('payment_service', 'Id of the payment service, if several that you see have a payout with this id'),
    ],
    replies: {
      200: {
        description: 'The payout',
        schema: Type.Object({ tefResponse: TefResponseSchema }, { $id: 'TefRead' }),
        example: { tefResponse: TEF_RESPONSE_EXAMPLE },
      },
    },
    errors: [...TEF_ERRORS, 'NOT_FOUND', 'INVALID_PARAMETER', 'PAYMENT_SERVICE_AMBIGUOUS', ...MOVE_ERRORS],
  },
  handle: async (app, request, _reply, query) => {
    const user = await requireUser(app, request);
    const { id: reference } = request.params as { id: string };
    const { payment_service: paymentServiceId = null } = query();
    const payout = await findByReference(app, user.environmentIds, { reference, paymentServiceId });
    await environmentHere(app, payout);
    return { tefResponse: tefResponse(payout) };
  },
});
