import type { FastifyRequest } from 'fastify';
import { currencyExponent } from '../../../protocol/currency-exponents.ts';
import { cancelUrl, checkNoCards, checkRequestGrammar, parseAmount } from '../../../protocol/field-grammar.ts';
import type { RequestField, UnsignedField } from '../../../protocol/field-names.ts';
import { readFormFields } from '../../../protocol/read-form-fields.ts';
import { readJsonFields } from '../../../protocol/read-json-fields.ts';
import { rememberAccepted } from '../../../protocol/remember-accepted.ts';
import { SigningError, type Problem as SigningProblem } from '../../../protocol/signing-error.ts';
import { signingMessage } from '../../../protocol/signing-message.ts';
import { checkRequestFields } from '../../../protocol/signing-rules.ts';
import type { App } from '../../app.ts';
import { type ErrorCode, type ErrorItem, Problem } from '../../error-catalogue.ts';
import { mediaTypeOf } from '../../http/framing.ts';
import { limitPaymentService, limitWrongSignature } from '../../http/request-limits.ts';
import { checkOutboundUrl } from '../../lib/address-filter.ts';
import { ownPlaces } from '../../lib/own-places.ts';
import { perInstance } from '../../lib/per-instance.ts';
import { authenticateRequest } from '../../payment-services/authenticate-request.ts';
import { refuseElsewhere } from '../../payment-services/elsewhere.ts';
import type { ServiceEnvironment } from '../../payment-services/payment-service.ts';
import type { TransactionInput } from '../../transactions/transaction.ts';
import { explainRefusal, type ReceivedBody } from './explain-refusal.ts';

/** A request that a Secret Token signed, before anything is known of the form of the values. */
export type SignedRequest = {
  environment: ServiceEnvironment;
  values: Record<RequestField, string>;
  objects: Partial<Record<UnsignedField, string>>;
};

/** Payment methods collect nothing below this. In minor units; a currency that is not here has no minimum. */
const MINIMUM: Record<string, number> = { CLP: 500 };

/**
 * Reads the body of a signed request, in the order that gives nothing away: text, names and types, ambiguity, then the
 * signature. Only when that holds may anybody ask what the values are: `inputOf`.
 *
 * `received` is the body of the request, unless it was pasted into a page. Throws `SigningError` (400) for what can be said without
 * knowing the account, `Problem` for the rest.
 */
export async function readSignedRequest(
  app: App,
  request: FastifyRequest,
  received: ReceivedBody = bodyOf(request),
): Promise<SignedRequest> {
  const { body, contentType } = received;
  if (contentType !== 'application/json') refuseJson(body);
  const fields = contentType === 'application/json' ? readJsonFields(body) : readFormFields(body);
  const { problems, values, signature, objects } = checkRequestFields(fields);
  throwIfAny(problems);
  if (signature === null) throw new Problem('SIGNATURE_MISSING');
  const environment = await authenticateRequest(app, values.x_account_id, signingMessage(fields), signature);
  if (environment === null) throw await signatureRefusal(app, request, values.x_account_id, received);
  refuseElsewhere(environment);
  if (app.config.rateLimits) await limitPaymentService(app, request, environment);
  return { environment, values, objects };
}

/** `curl -d` calls every body a form unless it is told otherwise: the answer names that header. Throws `Problem` (415). */
function refuseJson(body: Uint8Array): void {
  if (!JSON_BEGINS.test(Buffer.from(body.subarray(0, 16)).toString('latin1'))) return;
  throw new Problem('UNSUPPORTED_MEDIA_TYPE', {
    detail: {
      en: 'The body is JSON, and its Content-Type says that it is a form. Send Content-Type: application/json.',
      es: 'El cuerpo es JSON y su Content-Type dice que es un formulario. Envía Content-Type: application/json.',
    },
  });
}

/** No name of a field begins so. */
const JSON_BEGINS = /^\s*\{/;

function bodyOf(request: FastifyRequest): ReceivedBody {
  return {
    body: (request.body as Buffer | undefined) ?? Buffer.alloc(0),
    contentType: mediaTypeOf(request.raw) as ReceivedBody['contentType'],
  };
}

/** Reads the input of the request. Throws `SigningError` for the grammar of the values, `Problem` for what they mean. */
export function inputOf(app: App, { environment, values, objects }: SignedRequest): TransactionInput {
  const allowPrivate = app.config.allowPrivateCallbacks && environment.environment === 'development';
  throwIfAny(checkRequestGrammar(values, { allowHttp: allowPrivate }).concat(checkNoCards(objects)));
  const check = checkCallbackUrl(app);
  const refusal = (allowPrivate ? check.inDevelopment : check.inPublic)(values.x_url_callback);
  if (refusal !== null) throw invalid([{ pointer: '/x_url_callback', ...refusal }]);
  return {
    amount: readAmount(values.x_amount, values.x_currency),
    currency: values.x_currency,
    reference: values.x_reference,
    customerEmail: values.x_customer_email,
    sessionId: values.x_session_id,
    shopCountry: values.x_shop_country.toUpperCase(),
    urlCallback: values.x_url_callback,
    urlCancel: cancelUrl(values) as string,
    urlComplete: values.x_url_complete,
    unsignedFields: unsignedFields(objects),
  };
}

const checkCallbackUrl = perInstance(({ config }: App) => ({
  inPublic: rememberAccepted((url) => checkOutboundUrl(url, { allowPrivate: false, ...ownPlaces(config) })),
  inDevelopment: rememberAccepted((url) => checkOutboundUrl(url, { allowPrivate: true, ...ownPlaces(config) })),
}));

async function signatureRefusal(
  app: App,
  request: FastifyRequest,
  serviceToken: string,
  received: ReceivedBody,
): Promise<Problem> {
  if (app.config.rateLimits) await limitWrongSignature(app, request, serviceToken);
  return new Problem('SIGNATURE_INVALID', await explainRefusal(app, request, serviceToken, received));
}

/** Throws `SigningError` with all of them. */
export function throwIfAny(problems: readonly SigningProblem[]): void {
  if (problems.length > 0) throw new SigningError(problems as [SigningProblem, ...SigningProblem[]]);
}

function readAmount(text: string, currency: string): number {
  const amount = parseAmount(text, currencyExponent(currency) as number) as number;
  const minimum = MINIMUM[currency] ?? 1;
  if (amount >= minimum) return amount;
  throw invalid([
    {
      pointer: '/x_amount',
      code: 'INVALID_AMOUNT',
      message: 'x_amount is below what payment methods collect.',
      fix: `Send at least ${minimum} ${currency}.`,
      es: {
        message: 'x_amount es menor que lo que cobran los medios de pago.',
        fix: `Envía al menos ${minimum} ${currency}.`,
      },
    },
  ]);
}

function invalid(errors: [ErrorItem, ...ErrorItem[]]): Problem {
  const [first] = errors;
  return new Problem(first.code as ErrorCode, { errors });
}

function unsignedFields(objects: Partial<Record<string, string>>): string | null {
  const members = Object.entries(objects).map(([name, json]) => `"${name}":${json}`);
  return members.length === 0 ? null : `{${members.join(',')}}`;
}
