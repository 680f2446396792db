import type { FastifyRequest } from 'fastify';
import { currencyExponent } from '../../sdk/src/currency-exponents.ts';
import type { App } from '../app.ts';
import { availableMethods } from '../checkout/available-methods.ts';
import { publicBase } from '../checkout/pay-link.ts';
import { Problem } from '../error-catalogue.ts';
import { cachedEnvironment, loadEnvironment } from '../payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';
import type { Endpoint } from './endpoint.ts';
import { Type } from './openapi/json-schema.ts';
import { PaymentMethodsSchema } from './schemas.ts';

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

/** The payment methods of a payment service, named by its Service Token in the `Authorization` header. */
export const getPayments: Endpoint = {
  method: 'GET',
  paths: ['/payments'],
  access: 'service-token',
  // The published client of JavaScript sends the header's name and value as a parameter.
  query: ['x_currency', 'Authorization'],
  describe: {
    operationId: 'listPaymentMethods',
    summary: 'List the payment methods of a payment service',
    tag: 'Payment methods',
    parameters: [
      { name: 'Authorization', in: 'header', required: true, description: 'Service Token', schema: Type.String() },
      { name: 'x_currency', in: 'query', description: 'CLP unless said', schema: Type.String() },
    ],
    replies: { 200: { description: 'Payment methods', schema: PaymentMethodsSchema, example: EXAMPLE } },
    errors: ['INVALID_CURRENCY', 'SERVICE_TOKEN_INVALID'],
  },
  handle: (app, request) => {
    const { Authorization } = request.query as { Authorization?: unknown };
    return listMethods(app, request, request.headers.authorization ?? Authorization);
  },
};

/** The same with the Service Token in the query. */
export const getV2Payments: Endpoint = {
  method: 'GET',
  paths: ['/v2/payments'],
  access: 'service-token',
  query: ['x_account_id', 'x_currency'],
  describe: {
    operationId: 'listPaymentMethodsV2',
    summary: 'List the payment methods of a payment service for a currency',
    tag: 'Payment methods',
    parameters: [
      { name: 'x_account_id', in: 'query', required: true, description: 'Service Token', schema: Type.String() },
      { name: 'x_currency', in: 'query', description: 'CLP unless said', schema: Type.String() },
    ],
    replies: { 200: { description: 'Payment methods', schema: PaymentMethodsSchema, example: EXAMPLE } },
    errors: ['INVALID_CURRENCY', 'SERVICE_TOKEN_INVALID'],
  },
  handle: (app, request) => listMethods(app, request, (request.query as { x_account_id?: unknown }).x_account_id),
};

async function listMethods(app: App, request: FastifyRequest, serviceToken: unknown) {
  const environment = await requireEnvironment(app, serviceToken);
  const { x_currency: currency = 'CLP' } = request.query as { x_currency?: unknown };
  if (typeof currency !== 'string' || currencyExponent(currency) === undefined) throw new Problem('INVALID_CURRENCY');
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
