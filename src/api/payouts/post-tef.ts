import type { App } from '../../app.ts';
import { Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { invalidBody } from '../../http/read-members.ts';
import { readStrictJson } from '../../http/read-strict-json.ts';
import { actorOf, requireUser } from '../../http/require-user.ts';
import { refuseCallbackUrl } from '../../payment-services/callback-address.ts';
import type { ServiceEnvironment } from '../../payment-services/payment-service.ts';
import { findPayoutOwner } from '../../payouts/find-payout-owner.ts';
import type { Payout } from '../../payouts/payout.ts';
import { tefResponse } from '../../payouts/payout-notice.ts';
import { type Proposed, proposePayouts } from '../../payouts/propose-payouts.ts';
import {
  PROPOSAL_ERRORS,
  readTef,
  TEF_REQUEST_EXAMPLE,
  TEF_RESPONSE_EXAMPLE,
  TefRequestSchema,
  TefResponseSchema,
} from './tef-schemas.ts';

export const TEF_ERRORS = ['PERMISSION_MISSING'] as const;

/** Proposes one payout in the request format of published clients of the transfers API. */
export const postTef = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'createTransfer',
    summary: 'Create a payout',
    description:
      'Creates a payout of the only payment service that the user sees. The account is validated at once. The payout waits for the approval of a person, unless the rule for programs approves it. The same `tef.id` with the same fields returns the same payout; with other fields it is refused (409). The final state is posted to `callbackUrl` as `{"tefResponse": …}` with Standard Webhooks headers.',
    tag: 'Payouts',
    body: TefRequestSchema,
    bodyExample: TEF_REQUEST_EXAMPLE,
    replies: {
      201: {
        description: 'Stored, now or by an earlier identical request',
        schema: Type.Object(
          { message: Type.String(), errors: Type.Null(), tefResponse: TefResponseSchema },
          { $id: 'TefCreated' },
        ),
        example: { message: 'The transfer was recorded.', errors: null, tefResponse: TEF_RESPONSE_EXAMPLE },
        headers: { 'Idempotency-Hit': 'true if this id was sent before' },
      },
    },
    errors: [...TEF_ERRORS, ...PROPOSAL_ERRORS],
  },
  handle: async (app, request, reply) => {
    const user = await requireUser(app, request);
    const body = readStrictJson(request.body as Buffer | undefined, { depth: 4, members: 64 });
    const wish = readTef(body);
    const owner = await findPayoutOwner(app, user);
    checkCallback(app, owner, wish.callbackUrl, body['callbackUrl'] === undefined ? '/tef/url' : '/callbackUrl');
    const by = actorOf(request, user);
    const { kind, payouts } = await proposed(() => proposePayouts(app, { owner, by, wishes: [wish], batch: null }));
    if (kind === 'replayed') reply.header('idempotency-hit', 'true');
    reply.code(201);
    return { message: 'The transfer was recorded.', errors: null, tefResponse: tefResponse(payouts[0] as Payout) };
  },
});

/** Moves the pointers of the row's errors from `/0` to `/tef`. */
async function proposed(propose: () => Promise<Proposed>): Promise<Proposed> {
  try {
    return await propose();
  } catch (error) {
    if (!(error instanceof Problem) || error.extras.errors === undefined) throw error;
    const errors = error.extras.errors.map((item) => ({
      ...item,
      pointer: item.pointer.replace(/^\/0(?=\/|$)/, '/tef'),
    }));
    throw new Problem(error.code, { ...error.extras, errors });
  }
}

/** Refuses a callback address that the service may not call. Throws `Problem` INVALID_BODY with `pointer`. */
export function checkCallback(
  app: App,
  { environment }: ServiceEnvironment,
  callbackUrl: string | null,
  pointer: string,
): void {
  if (callbackUrl === null) return;
  const refusal = refuseCallbackUrl(app, environment, callbackUrl);
  if (refusal !== null) throw invalidBody([{ pointer, ...refusal }]);
}
