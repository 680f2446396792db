import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import type { Needed } from '../auth/permission.ts';
import type { ErrorCode, Problem } from '../error-catalogue.ts';
import type { Schema, Static } from './json-schema.ts';
import { readQuery } from './read-query.ts';

/**
 * How the caller of an endpoint is authenticated. `signature`: a Secret Token signed the body. `service-token`: a
 * Service Token names the account. `bearer`: the access token of a user with one of the `needed` permissions.
 * `pay-link`: the URL itself is the secret. `session`: a person signed in to the console, with one of the `needed`
 * permissions, if any.
 */
export type Access = 'public' | 'signature' | 'service-token' | 'bearer' | 'pay-link' | 'session';

export type MediaType = 'application/json' | 'application/x-www-form-urlencoded' | 'multipart/form-data';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The row of the table that a route comes from; none for an unknown address. */
    endpoint?: Endpoint;
  }
}

/** A row of the table of endpoints: the address of an operation and its access. */
export type Endpoint = Address & Operation;

type Address = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Equivalent paths. The first is the documented one. */
  paths: readonly [string, ...string[]];
} & (
  | { access: Exclude<Access, 'bearer' | 'session'>; needed?: never; whole?: never }
  | { access: 'bearer'; needed: Needed; whole?: never }
  /** `whole`: the screen covers all payment services. For users who do not see all of them it does not exist. */
  | { access: 'session'; needed: Needed; whole: true }
  | { access: 'session'; needed?: Needed; whole?: never }
);

/** The handler of an endpoint: a page, a file, or an API operation made by `operation`. */
export type Operation = Reading & {
  /** The API description; pages and files have none. */
  describe?: Description;
  handle(app: App, request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
};

type Reading = {
  /** Media types of the body. Without it the endpoint reads no body. */
  consumes?: readonly MediaType[];
  /** The body and its media type are optional. */
  bodyOptional?: true;
  /** The known query parameters. An operation refuses others, and so does every endpoint with a body. */
  query?: readonly string[];
  /** Unknown query parameters are ignored: published clients may send their own. */
  anyQuery?: true;
  /** The most bytes of a body; default 16 KiB. */
  bodyLimit?: number;
  /** Answers a refusal for a browser. Default: the JSON of every error. */
  refuse?(app: App, request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply;
  /** Returns a refusal as published clients know it, before it is logged and answered. */
  reword?(problem: Problem): Problem;
  /** Not counted before the handler: balancers, monitors and pages may send any number of requests. */
  unlimited?: true;
  /** Only served at the path of the table, not below BASE_PATH: requests there come from strangers through a proxy. */
  notBelowBasePath?: true;
  /** Sends its response while it makes it, perhaps for minutes. Such a screen takes no turn among exported files. */
  streams?: true;
};

/** The handler of a page. */
export type Screen = Operation['handle'];

/** Creates an operation whose module is loaded with the first request. `name` is the module's export, its handler. */
export function later<Name extends string>(
  load: () => Promise<Record<Name, Screen>>,
  name: Name,
  reading: Reading = {},
): Operation {
  return { ...reading, handle: async (app, request, reply) => (await load())[name](app, request, reply) };
}

/** An operation in the API description. Schemas with a `$id` become named components. */
export type Description = {
  operationId: string;
  summary: string;
  description: string;
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
  /** The error codes that this operation can return; with a status if older clients expect another one. */
  errors: readonly DescribedError[];
};

export type DescribedParameter = {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
  /** For a text parameter: an empty value counts as absent. */
  readonly allowEmptyValue?: boolean;
};

type DescribedReply = {
  readonly description: string;
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type DescribedError = ErrorCode | { readonly code: ErrorCode; readonly status: number };

/** The parsed query parameters of an operation. A missing parameter is undefined. */
type QueryOf<D extends Description> = D extends { readonly parameters: readonly (infer P extends DescribedParameter)[] }
  ? { readonly [Q in Extract<P, { readonly in: 'query' }> as Q['name']]: Static<Q['schema']> | undefined }
  : object;

declare const WRITTEN: unique symbol;

/** The JSON of a `Value` as text or bytes, written by hand where `JSON.stringify` is too slow. */
export type Written<Value> = (string | Buffer) & { readonly [WRITTEN]: Value };

type BodyOf<R> = R extends { readonly schema: infer S extends Schema } ? Static<S> | Written<Static<S>> : never;

/** The result of a handler: the body of a response, or the reply if it is already sent. */
type ReplyOf<D extends Description> = BodyOf<D['replies'][keyof D['replies']]> | FastifyReply;

/**
 * Creates an API operation. Its description is its contract: the handler must return the type of a response schema, and
 * `query()` parses the query parameters by their schemas. The handler calls `query()` after it has authenticated the
 * caller.
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
      contract.handle(app, request, reply, () => readQuery(parameters, request.query, contract.anyQuery) as QueryOf<D>),
  };
}
