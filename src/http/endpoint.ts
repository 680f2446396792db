import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import type { Needed } from '../auth/permission.ts';
import type { ErrorCode, Problem } from '../error-catalogue.ts';
import type { Schema, Static } from './json-schema.ts';
import { readQuery } from './read-query.ts';

/**
 * The callers that an endpoint takes. `signature`: a Secret Token signed the body. `service-token`: a Service Token names the
 * account. `bearer`: an access token, of a user with a permission that stands beside it. `pay-link`: the address itself is
 * the secret. `session`: a person who has signed in to the console, with such a permission; without one every such person.
 */
export type Access = 'public' | 'signature' | 'service-token' | 'bearer' | 'pay-link' | 'session';

export type MediaType = 'application/json' | 'application/x-www-form-urlencoded' | 'multipart/form-data';

/** One line of the table of endpoints: where an operation is and who may call it. */
export type Endpoint = Address & Operation;

type Address = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** All of them mean the same; the first is the one to document. */
  paths: readonly [string, ...string[]];
} & (
  | { access: Exclude<Access, 'bearer' | 'session'>; needed?: never; whole?: never }
  | { access: 'bearer'; needed: Needed; whole?: never }
  /** `whole`: it is about all payment services, so for who does not see all of them it does not exist. */
  | { access: 'session'; needed?: Needed; whole?: true }
);

/** The operation: a page or file as it stands, an operation of the API as `operation` makes it. */
export type Operation = Reading & {
  /** The text of the API description; pages and files have none. */
  describe?: Description;
  handle(app: App, request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
};

type Reading = {
  /** Media types that the body may have. Without it the endpoint reads no body. */
  consumes?: readonly MediaType[];
  /** The body may be left out, and its media type with it. */
  bodyOptional?: true;
  /** The query parameters there are. Any other is refused where a body is taken, and ignored elsewhere. */
  query?: readonly string[];
  /** Most bytes of a body; 16 KiB unless said. */
  bodyLimit?: number;
  /** Answers what is refused, where a browser is to show it. Without it that is the JSON of every error. */
  refuse?(app: App, request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply;
  /** Balancers, monitors and pages ask for it as often as they like: no request limit counts it. */
  unlimited?: true;
  /** It has the path of the table alone: what a proxy hands on below BASE_PATH comes from strangers. */
  notBelowBasePath?: true;
};

/** The part of an operation that can be loaded later. What it reads is judged before: its line says that. */
export type Screen = Pick<Operation, 'handle'> & { readonly [What in keyof Reading]?: never };

/** An operation whose module is loaded when somebody first asks for it: `name` is what the module exports. */
export function later<Name extends string>(
  load: () => Promise<Record<Name, Screen>>,
  name: Name,
  reading: Reading = {},
): Operation {
  return { ...reading, handle: async (app, request, reply) => (await load())[name].handle(app, request, reply) };
}

/** The operation in the API description. Schemas with a `$id` become named components. */
export type Description = {
  operationId: string;
  summary: string;
  description?: string;
  tag:
    | 'Transactions'
    | 'Payment links'
    | 'Refunds'
    | 'Reconciliation'
    | 'Payment methods'
    | 'Access'
    | 'Bank account validation'
    | 'Recipients'
    | 'Payouts'
    | 'Bank files'
    | 'Events'
    | 'Webhooks'
    | 'Operation';
  parameters?: readonly DescribedParameter[];
  body?: Schema;
  bodyExample?: unknown;
  replies: Readonly<Record<number, DescribedReply>>;
  /** Codes of the catalogue that this operation can answer with; with a status where older clients expect another. */
  errors: readonly DescribedError[];
};

export type DescribedParameter = {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
  /** Of a text in the query: an empty one is as if it were not sent. */
  readonly allowEmptyValue?: boolean;
};

type DescribedReply = {
  readonly description: string;
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type DescribedError = ErrorCode | { readonly code: ErrorCode; readonly status: number };

/** The query parameters of an operation once they are read; one that was not sent is undefined. */
type QueryOf<D extends Description> = D extends { readonly parameters: readonly (infer P extends DescribedParameter)[] }
  ? { readonly [Q in Extract<P, { readonly in: 'query' }> as Q['name']]: Static<Q['schema']> | undefined }
  : object;

declare const WRITTEN: unique symbol;

/** The JSON of a `Value` as text or as bytes, written by hand where `JSON.stringify` would cost too much. */
export type Written<Value> = (string | Buffer) & { readonly [WRITTEN]: Value };

type BodyOf<R> = R extends { readonly schema: infer S extends Schema } ? Static<S> | Written<Static<S>> : never;

/** The answer of a handler: the body of one of the replies, or the reply once it is sent. */
type ReplyOf<D extends Description> = BodyOf<D['replies'][keyof D['replies']]> | FastifyReply;

/**
 * One operation of the API. Its description is its contract: what the handler returns has the type of the schema of its
 * replies, and `query()` reads the query parameters by their schemas. The handler calls it once it knows who asks.
 */
export function operation<const D extends Description>(
  contract: Reading & {
    describe: D;
    handle(app: App, request: FastifyRequest, reply: FastifyReply, query: () => QueryOf<D>): Promise<ReplyOf<D>>;
  },
): Operation {
  const parameters = contract.describe.parameters?.filter((parameter) => parameter.in === 'query') ?? [];
  return {
    ...contract,
    ...(parameters.length > 0 && { query: parameters.map(({ name }) => name) }),
    handle: (app, request, reply) =>
      contract.handle(app, request, reply, () => readQuery(parameters, request.query) as QueryOf<D>),
  };
}
