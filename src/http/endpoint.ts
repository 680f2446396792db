import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import type { Schema } from './openapi/openapi-schemas.ts';

/**
 * Who may call. `signature`: a Secret Token signed the body. `service-token`: a Service Token names the account.
 * `bearer`: an access token. `payouts`: the same, of a user with payouts. `pay-link`: the address itself is the secret.
 */
export type Access = 'public' | 'signature' | 'service-token' | 'bearer' | 'payouts' | 'pay-link';

export type MediaType = 'application/json' | 'application/x-www-form-urlencoded';

/** One line of the table of endpoints. */
export type Endpoint = {
  method: 'GET' | 'POST';
  /** All of them mean the same; the first is the one to document. */
  paths: readonly [string, ...string[]];
  access: Access;
  /** Media types that the body may have. Without it the endpoint reads no body. */
  consumes?: readonly MediaType[];
  /** The body may be left out, and its media type with it. */
  bodyOptional?: true;
  /** Most bytes of a body; 16 KiB unless said. */
  bodyLimit?: number;
  /** The query parameters there are. Any other is refused where a body is taken, and ignored elsewhere. */
  query?: readonly string[];
  /** Balancers, monitors and pages ask for it as often as they like: no request limit counts it. */
  unlimited?: true;
  /** What the API description says; pages and files have none. */
  describe?: Description;
  handle(app: App, request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
};

/** The operation in the API description. Schemas with a `$id` become named components. */
export type Description = {
  operationId: string;
  summary: string;
  description?: string;
  tag:
    | 'Transactions'
    | 'Refunds'
    | 'Reconciliation'
    | 'Payment methods'
    | 'Access'
    | 'Bank account validation'
    | 'Events'
    | 'Operation';
  parameters?: readonly {
    name: string;
    in: 'query' | 'path' | 'header';
    required?: boolean;
    description: string;
    schema: Schema;
  }[];
  body?: Schema;
  bodyExample?: unknown;
  replies: Record<
    number,
    { description: string; schema?: Schema; example?: unknown; headers?: Record<string, string> }
  >;
  /** Codes of the catalogue that this operation can answer with. */
  errors: readonly string[];
};
