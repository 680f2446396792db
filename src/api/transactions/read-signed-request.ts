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
import { type ErrorCode, Problem } from '../../error-catalogue.ts';
import type { ErrorItem } from '../../error-item.ts';
import { mediaTypeOf } from '../../http/framing.ts';
import { limitPaymentService, limitWrongSignature } from '../../http/request-limits.ts';
import { checkOutboundUrl } from '../../lib/network/address-filter.ts';
import { ownPlaces } from '../../lib/network/own-places.ts';
import { perInstance } from '../../lib/per-instance.ts';
import { authenticateRequest } from '../../payment-services/authenticate-request.ts';
import { allowsPrivate } from '../../payment-services/callback-address.ts';
import { refuseElsewhere } from '../../payment-services/elsewhere.ts';
import type { ServiceEnvironment } from '../../payment-services/payment-service.ts';
import { leastAmount, type TransactionInput } from '../../transactions/transaction.ts';
import { explainRefusal, type ReceivedBody } from './explain-refusal.ts';

/** A request with a valid signature. The grammar of its values is not checked yet. */
export type SignedRequest = {
  environment: ServiceEnvironment;
  values: Record<RequestField, string>;
  objects: Partial<Record<UnsignedField, string>>;
};

/**
 * Reads the body of a signed request. It checks the text, names and types, and ambiguity first, then the signature.
 * Values are checked only after the signature (see `inputOf`), so that refusals reveal nothing about an account.
 *
 * `received` is the body of the request, unless it was pasted into a page. Throws `SigningError` (400) for errors that
 * do not depend on the account, and `Problem` for the others.
 */
export async function readSignedRequest(
  app: App,
  request: FastifyRequest,
  received: ReceivedBody = bodyOf(request),
): Promise<SignedRequest> {
  const { body, contentType } = received;
  const isJson = contentType === 'application/json';
  if (isJson) refuseForm(body);
  else refuseJson(body);
  const fields = isJson ? readJsonFields(body) : readFormFields(body);
  const { problems, values, signature, objects } = checkRequestFields(fields);
  throwIfAny(problems);
  if (signature === null) throw new Problem('SIGNATURE_MISSING');
  const environment = await authenticateRequest(app, values.x_account_id, signingMessage(fields), signature);
  if (environment === null) throw await signatureRefusal(app, request, values.x_account_id, received);
  refuseElsewhere(environment);
  if (app.config.rateLimits) await limitPaymentService(app, request, environment, signature);
  return { environment, values, objects };
}

/**
 * Refuses JSON that is labelled as a form, as `curl -d` does by default. The error names the header. Throws `Problem`
 * (415).
 */
function refuseJson(body: Uint8Array): void {
  if (!JSON_BEGINS.test(Buffer.from(body.subarray(0, 16)).toString('latin1'))) return;
  throw new Problem('UNSUPPORTED_MEDIA_TYPE', {
    detail: {
      en: 'The body is JSON, and its Content-Type says that it is a form. Send Content-Type: application/json.',
      es: 'El cuerpo es JSON y su Content-Type dice que es un formulario. Envía Content-Type: application/json.',
    },
  });
}

/** No field name begins with a brace. */
const JSON_BEGINS = /^\s*\{/;

/** Refuses a form that is labelled as JSON. The error names the header. Throws `Problem` (400). */
function refuseForm(body: Uint8Array): void {
  if (body[0] !== LETTER_X) return;
  throw invalid([
    {
      pointer: '',
      code: 'INVALID_JSON',
      message: 'The body is a form, and its Content-Type says that it is JSON.',
      fix: 'Send the fields as JSON, or Content-Type: application/x-www-form-urlencoded.',
      es: {
        message: 'El cuerpo es un formulario y su Content-Type dice que es JSON.',
        fix: 'Envía los campos como JSON, o Content-Type: application/x-www-form-urlencoded.',
      },
    },
  ]);
}

/** The names of all fields begin with this letter, and no JSON does. */
const LETTER_X = 0x78;

function bodyOf(request: FastifyRequest): ReceivedBody {
  return {
    body: (request.body as Buffer | undefined) ?? Buffer.alloc(0),
    contentType: mediaTypeOf(request.raw) as ReceivedBody['contentType'],
  };
}

/**
 * Reads the transaction input from a signed request. Throws `SigningError` for the grammar of a value, `Problem` for
 * its meaning.
 */
export function inputOf(app: App, { environment, values, objects }: SignedRequest): TransactionInput {
  const allowPrivate = allowsPrivate(app, environment.environment);
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

/** Throws one `SigningError` with all problems. */
export function throwIfAny(problems: readonly SigningProblem[]): void {
  if (problems.length > 0) throw new SigningError(problems as [SigningProblem, ...SigningProblem[]]);
}

function readAmount(text: string, currency: string): number {
  const amount = parseAmount(text, currencyExponent(currency) as number) as number;
  const minimum = leastAmount(currency);
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
