import { currencyExponent } from '../../../protocol/currency-exponents.ts';
import type { App } from '../../app.ts';
import { availableMethods } from '../../checkout/available-methods.ts';
import { publicBase } from '../../checkout/pay-link.ts';
import { Problem } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { refuseElsewhere } from '../../payment-services/elsewhere.ts';
import { cachedEnvironment, loadEnvironment } from '../../payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../payment-services/payment-service.ts';
import { MOVE_ERRORS, PaymentMethodsSchema } from './transaction-schemas.ts';

const EXAMPLE = {
  types: [
    {
      codigo: 'simulated',
      nombre: 'Simulated payment',
      descripcion: 'For development: collects nothing',
      url_imagen: 'https://pay.example.cl/assets/simulated-method.svg',
    },
  ],
};

/** Lists the payment methods of a payment service. Its Service Token is in the `Authorization` header. */
export const getPayments = operation({
  anyQuery: true,
  describe: {
    operationId: 'listPaymentMethods',
    summary: 'List the payment methods of a payment service',
    description:
      'Returns the payment methods that the payment service offers for a currency, in the order of the pay page. Send the Service Token in the `Authorization` header, without `Bearer`; no signature is needed.',
    tag: 'Payment methods',
    parameters: [
      { name: 'Authorization', in: 'header', required: true, description: 'Service Token', schema: Type.String() },
      { name: 'x_currency', in: 'query', description: 'Default: CLP', schema: Type.String() },
    ],
    replies: { 200: { description: 'Payment methods', schema: PaymentMethodsSchema, example: EXAMPLE } },
    errors: ['INVALID_PARAMETER', 'INVALID_CURRENCY', 'SERVICE_TOKEN_INVALID', ...MOVE_ERRORS],
  },
  handle: (app, request, _reply, query) => {
    // The published JavaScript client sends the header as a query parameter.
    const { Authorization } = request.query as { Authorization?: unknown };
    return listMethods(app, request.headers.authorization ?? Authorization, query);
  },
});

/** Lists the payment methods, with the Service Token in the query. */
export const getV2Payments = operation({
  anyQuery: true,
  describe: {
    operationId: 'listPaymentMethodsV2',
    summary: 'List the payment methods of a payment service for a currency',
    description: 'Returns the same as `GET /payments`, with the Service Token in the query.',
    tag: 'Payment methods',
    parameters: [
      { name: 'x_account_id', in: 'query', required: true, description: 'Service Token', schema: Type.String() },
      { name: 'x_currency', in: 'query', description: 'Default: CLP', schema: Type.String() },
    ],
    replies: { 200: { description: 'Payment methods', schema: PaymentMethodsSchema, example: EXAMPLE } },
    errors: ['INVALID_PARAMETER', 'INVALID_CURRENCY', 'SERVICE_TOKEN_INVALID', ...MOVE_ERRORS],
  },
  handle: (app, request, _reply, query) => {
    const { x_account_id } = request.query as { x_account_id?: unknown };
    return listMethods(app, x_account_id, query);
  },
});

async function listMethods(app: App, serviceToken: unknown, query: () => { x_currency: string | undefined }) {
  const environment = await requireEnvironment(app, serviceToken);
  refuseElsewhere(environment);
  const { x_currency: currency = 'CLP' } = query();
  if (currencyExponent(currency) === undefined) throw new Problem('INVALID_CURRENCY');
  return {
    types: availableMethods(app, environment, { currency, amount: null }).map((method) => ({
      codigo: method.code,
      nombre: method.name,
      descripcion: method.description,
      url_imagen: publicBase(app) + method.imagePath,
    })),
  };
}

async function requireEnvironment(app: App, serviceToken: unknown): Promise<ServiceEnvironment> {
  if (typeof serviceToken === 'string' && serviceToken.length <= 100) {
    const environment = cachedEnvironment(app, serviceToken) ?? (await loadEnvironment(app, serviceToken));
    if (environment !== null) return environment;
  }
  throw new Problem('SERVICE_TOKEN_INVALID');
}
