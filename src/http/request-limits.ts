import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { StorageError } from '../db/database.ts';
import { type ErrorCode, Problem } from '../error-catalogue.ts';
import { clientNetwork } from '../lib/client-network.ts';
import { createExpiringCache } from '../lib/expiring-cache.ts';
import { perInstance } from '../lib/per-instance.ts';
import { consumeLimit } from '../limits/consume-limit.ts';
import { type Limit, type LimitUse, limitProblem } from '../limits/limit.ts';
import type { Access, Endpoint } from './endpoint.ts';
import { limitFields } from './problem-headers.ts';

const MINUTE_MS = 60_000;

/**
 * THE TABLE of request limits, on with RATE_LIMITS. Each is counted for all processes together. docs/limits.md publishes
 * them; the limits of logging in are in auth/log-in.ts.
 */
export const REQUEST_LIMITS = {
  /** Signed requests of a payment service that has no limit of its own. */
  paymentService: { name: 'payment-service', most: 6_000, windowMs: MINUTE_MS, counts: 'window', known: true },
  /** Requests with the access token of a user. */
  user: { name: 'user', most: 6_000, windowMs: MINUTE_MS, counts: 'window', known: true },
  /** Requests that say nothing about who asks, or nothing secret. */
  address: { name: 'address', most: 1_200, windowMs: MINUTE_MS, counts: 'window' },
  /** Tokens and signatures that were wrong. */
  wrongCredentials: { name: 'wrong-credentials', most: 300, windowMs: MINUTE_MS, counts: 'window' },
  /** Wrong signatures in the name of one Service Token, from wherever. */
  wrongSignatures: { name: 'wrong-signatures', most: 100, windowMs: MINUTE_MS, counts: 'window' },
} as const satisfies Record<string, Limit>;

/**
 * Where a request is counted. `before`: for the client's address, before the endpoint is asked. `inside`: once it is known
 * who asks, and for the payer's pages where a refusal can be answered with a page.
 */
const COUNTED: Record<Access, 'before' | 'inside'> = {
  public: 'before',
  'service-token': 'before',
  'pay-link': 'inside',
  session: 'inside',
  bearer: 'inside',
  signature: 'inside',
};

/** Whether the client's address is counted before the endpoint is asked. */
export function isCountedBefore(app: App, { access, unlimited }: Endpoint): boolean {
  return app.config.rateLimits && unlimited === undefined && COUNTED[access] === 'before';
}

/** Counts a request for the client's network. This and the next four throw `Problem` `RATE_LIMITED`. */
export function limitAddress(app: App, request: FastifyRequest): Promise<void> {
  return consume(app, request, REQUEST_LIMITS.address, clientNetwork(request.ip));
}

/** Counts a request with the access token of a user. */
export function limitUser(app: App, request: FastifyRequest, userId: string): Promise<void> {
  return consume(app, request, REQUEST_LIMITS.user, userId);
}

/** Counts the other items of a request that has several of what others ask for one by one. */
export async function limitItems(app: App, request: FastifyRequest, userId: string, items: number): Promise<void> {
  if (app.config.rateLimits && items > 1) await consume(app, request, REQUEST_LIMITS.user, userId, items - 1);
}

/** Counts a request that a payment service signed. */
export function limitPaymentService(
  app: App,
  request: FastifyRequest,
  { paymentServiceId, perMinute }: { paymentServiceId: string; perMinute: number | null },
): Promise<void> {
  const { paymentService } = REQUEST_LIMITS;
  const limit = perMinute === null ? paymentService : { ...paymentService, most: perMinute };
  return consume(app, request, limit, paymentServiceId);
}

/**
 * Counts a signature that was wrong, after it was found to be. So nobody can use up what a payment service has by
 * signing wrongly in its name: its own requests never come here.
 */
export async function limitWrongSignature(app: App, request: FastifyRequest, serviceToken: string): Promise<void> {
  // The network first: it bounds how many Service Tokens a client can invent and have counted.
  await consume(app, request, REQUEST_LIMITS.wrongCredentials, clientNetwork(request.ip));
  await consume(app, request, REQUEST_LIMITS.wrongSignatures, serviceToken);
}

/**
 * Decides how a failed request is answered: with its failure, or with `RATE_LIMITED` when the network has guessed too often.
 * Other refusals are not counted, for they look nothing up and cost less than counting them.
 */
export async function judgeFailure(app: App, request: FastifyRequest, failure: unknown): Promise<unknown> {
  const guessed = failure instanceof Problem && WRONG_CREDENTIALS.has(failure.code);
  const counted = usesOf(request).some(({ limit }) => limit === REQUEST_LIMITS.wrongCredentials);
  if (!guessed || counted) return failure;
  return consume(app, request, REQUEST_LIMITS.wrongCredentials, clientNetwork(request.ip)).then(
    () => failure,
    (refusal: unknown) => refusal,
  );
}

const WRONG_CREDENTIALS: ReadonlySet<ErrorCode> = new Set([
  'SIGNATURE_INVALID',
  'TOKEN_INVALID',
  'PRIVATE_TOKEN_RETIRED',
  'SERVICE_TOKEN_INVALID',
  'API_TOKEN_INVALID',
] satisfies ErrorCode[]);

/** Tells what is left of everything that the request was counted for. */
export function addLimitHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const fields = usesOf(request).map(({ limit, use }) => limitFields({ ...limit, ...use }));
  for (const name of ['ratelimit-policy', 'ratelimit'] as const) {
    // A refusal has brought the fields of the limit that was used up.
    const values = [reply.getHeader(name), ...fields.map((field) => field[name])].filter(
      (value) => value !== undefined,
    );
    if (values.length > 0) reply.header(name, values.join(', '));
  }
}

const usesOf = perInstance((_request: FastifyRequest): { limit: Limit; use: LimitUse }[] => []);

async function consume(app: App, request: FastifyRequest, limit: Limit, subject: string, times = 1): Promise<void> {
  const key = `${limit.name} ${limit.most} ${subject}`;
  const spent = spentUses(app).peek(key);
  const use = spent ?? (await consumeLimit(app, limit, subject, times).catch(unlessStoreFailed));
  if (use === null) return;
  if (!use.allowed) {
    // Of several items fewer might still be taken.
    if (spent === null && times === 1) spentUses(app).keep(key, use);
    app.metrics.refused.inc({ reason: limit.name });
    throw limitProblem(limit, use);
  }
  const uses = usesOf(request);
  const before = uses.findIndex((one) => one.limit === limit);
  if (before < 0) uses.push({ limit, use });
  else uses[before] = { limit, use };
}

/** Limits that were found used up within the last second: who is refused all the time asks the store seldom. */
const spentUses = perInstance((app: App) =>
  createExpiringCache<LimitUse>({ lifetimeMs: 1_000, capacity: 10_000, now: app.now }),
);

/** Where the store cannot count, what is asked decides: with a full disk everything can still be read. */
function unlessStoreFailed(error: unknown): null {
  if (error instanceof StorageError) return null;
  throw error;
}
