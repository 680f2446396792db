import type { FastifyRequest } from 'fastify';
import type { Field } from '../../../protocol/field.ts';
import { readFormFields } from '../../../protocol/read-form-fields.ts';
import { readJsonFields } from '../../../protocol/read-json-fields.ts';
import { problem, SigningError } from '../../../protocol/signing-error.ts';
import { checkRequestFields } from '../../../protocol/signing-rules.ts';
import type { App } from '../../app.ts';
import type { User } from '../../auth/user.ts';
import { payUrl } from '../../checkout/pay-link.ts';
import { Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { mediaTypeOf } from '../../http/framing.ts';
import { Type } from '../../http/json-schema.ts';
import { requireUser } from '../../http/require-user.ts';
import { refuseElsewhere } from '../../payment-services/elsewhere.ts';
import { cachedEnvironment, findEnvironmentById, loadEnvironment } from '../../payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../payment-services/payment-service.ts';
import { storeRequested } from './post-trxs.ts';
import { throwIfAny } from './read-signed-request.ts';
import { REQUEST_VALUE_ERRORS, SIGNED_REQUEST_EXAMPLE, UnsignedRequestSchema } from './transaction-schemas.ts';

/** Defaults for fields that these older shops leave out. No decision depends on the session id. */
const DEFAULTS = { x_currency: 'CLP', x_shop_country: 'CL', x_session_id: 'trxs-create' };

const { x_session_id: _, x_signature: __, ...UNSIGNED_EXAMPLE } = SIGNED_REQUEST_EXAMPLE;

/** Creates a transaction from an access token instead of a signature, for shops that predate the signed API. */
export const postTrxsCreate = operation({
  consumes: ['application/json', 'application/x-www-form-urlencoded'],
  describe: {
    operationId: 'createTransactionUnsigned',
    summary: 'Create a transaction with an access token',
    description:
      'Creates a transaction for shops that are older than `POST /trxs`. Prefer `POST /trxs`: it is signed, and repeating it is safe. The user must see the payment service. `x_account_id` is the `idService` of `GET /trxs/{id}`, or the Service Token. A used reference is refused with 400, with `idTrx`, `x_account_id` and `x_reference` at the root of the response, and with `payUrl` if every field is the same as before.',
    tag: 'Transactions',
    body: UnsignedRequestSchema,
    bodyExample: { ...UNSIGNED_EXAMPLE, x_account_id: '1' },
    replies: {
      200: {
        description: 'Stored durably',
        schema: Type.Object(
          { idTrx: Type.Integer(), payUrl: Type.String({ description: 'The pay page' }) },
          { $id: 'UnsignedCreation' },
        ),
        example: { idTrx: 1001, payUrl: 'https://pay.example.cl/pay/rt-XXXXXXXXXXXXXXXXXXXXXX' },
      },
    },
    errors: ['INVALID_TYPE', ...REQUEST_VALUE_ERRORS, { code: 'REFERENCE_CONFLICT', status: 400 }, 'NO_PERMISSION'],
  },
  handle: async (app, request) => {
    const user = await requireUser(app, request);
    const { values, objects } = readRequest(request);
    const account = values.x_account_id;
    const environment = await requireEnvironment(app, user, account);
    // The database would refuse the row, and roll back the other payments of the same commit.
    refuseElsewhere(environment);
    const stored = await storeRequested(app, {
      environment,
      values: { ...values, x_account_id: environment.serviceToken },
      objects,
    });
    const { id: idTrx } = stored.transaction;
    const url = payUrl(app, stored.transaction);
    if (stored.kind === 'created') return { idTrx, payUrl: url };
    const seen = { idTrx, x_account_id: account, x_reference: values.x_reference };
    throw new Problem('REFERENCE_CONFLICT', {
      detail: {
        en: `The reference belongs to transaction ${idTrx}.`,
        es: `La referencia es de la transacción ${idTrx}.`,
      },
      legacy: {
        status: 400,
        error: 'TRX Ya existe.',
        members: stored.kind === 'replayed' ? { ...seen, payUrl: url } : seen,
      },
    });
  },
});

/** Reads an unsigned request by the rules of a signed one, because the callback signs its values. */
function readRequest(request: FastifyRequest) {
  const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
  const sent = mediaTypeOf(request.raw) === 'application/json' ? readJsonFields(body) : readFormFields(body);
  const left = Object.entries(DEFAULTS).filter(([name]) => !sent.some((field) => field.name === name));
  const { problems, values, signature, objects } = checkRequestFields([
    ...sent.map(withTextId),
    ...left.map(([name, text]): Field => ({ name, kind: 'string', text })),
  ]);
  throwIfAny(problems);
  // Refuse a signature: nothing checks it here, and the shop would believe that it was checked.
  if (signature !== null) throw new SigningError([problem('UNKNOWN_FIELD', 'x_signature')]);
  return { values, objects };
}

/** Accepts `x_account_id` as a JSON number. */
function withTextId(field: Field): Field {
  return field.name === 'x_account_id' && field.kind === 'number' ? { ...field, kind: 'string' } : field;
}

/**
 * Returns the one visible environment that `account` names, by id or by Service Token. A migrated Service Token may
 * look like an id. Throws `Problem` `NO_PERMISSION` unless exactly one matches.
 */
async function requireEnvironment(app: App, user: User, account: string): Promise<ServiceEnvironment> {
  const numbered = /^[1-9][0-9]{0,14}$/.test(account) ? await findEnvironmentById(app, Number(account)) : null;
  // Cut to 101 characters: no token is longer, and the cache keeps looked-up texts for a while.
  const tokens = new Set([account.slice(0, 101), ...(numbered === null ? [] : [numbered.serviceToken])]);
  const named: ServiceEnvironment[] = [];
  for (const token of tokens) {
    const environment = cachedEnvironment(app, token) ?? (await loadEnvironment(app, token));
    const isSeen = environment !== null && (user.environmentIds?.has(environment.id) ?? true);
    if (isSeen) named.push(environment);
  }
  const [first, ...others] = named;
  if (first !== undefined && others.length === 0) return first;
  throw new Problem('NO_PERMISSION', {
    legacy: { status: 403, error: 'Servicio Inexistente, Deshabilitado, o Sin Acceso por el usuario.' },
  });
}
