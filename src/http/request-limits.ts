import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { StorageError } from '../db/database.ts';
import { type ErrorCode, Problem } from '../error-catalogue.ts';
import { createExpiringCache } from '../lib/expiring-cache.ts';
import { clientNetwork } from '../lib/network/client-network.ts';
import { perInstance } from '../lib/per-instance.ts';
import { consumeLimit } from '../limits/consume-limit.ts';
import { type Limit, type LimitUse, limitProblem } from '../limits/limit.ts';
import type { Access, Endpoint } from './endpoint.ts';
import { limitFields } from './problem-headers.ts';

const MINUTE_MS = 60_000;

/**
 * THE TABLE of request limits, active with RATE_LIMITS. All processes share each count. docs/limits.md publishes them;
 * the limits of logins are in auth/sign-in/log-in.ts.
 */
export const REQUEST_LIMITS = {
  /** Signed requests of a payment service without its own limit. One that is sent again counts as `address`. */
  paymentService: { name: 'payment-service', most: 6_000, windowMs: MINUTE_MS, counts: 'window', known: true },
  /** Requests with the access token of a user. */
  user: { name: 'user', most: 6_000, windowMs: MINUTE_MS, counts: 'window', known: true },
  /** Requests without credentials, or without secret ones. */
  address: { name: 'address', most: 1_200, windowMs: MINUTE_MS, counts: 'window' },
  /** Wrong tokens and signatures. */
  wrongCredentials: { name: 'wrong-credentials', most: 300, windowMs: MINUTE_MS, counts: 'window' },
  /** Wrong signatures for one Service Token, from any network. */
  wrongSignatures: { name: 'wrong-signatures', most: 100, windowMs: MINUTE_MS, counts: 'window' },
} as const satisfies Record<string, Limit>;

/**
 * When a request is counted. `before`: by the client's address, before the handler runs. `inside`: once the caller is
 * known, and for the payer's pages, where a page can answer the refusal.
 */
const COUNTED: Record<Access, 'before' | 'inside'> = {
  public: 'before',
  'service-token': 'before',
  'pay-link': 'inside',
  session: 'inside',
  bearer: 'inside',
  signature: 'inside',
};

/** Returns whether the request is counted by the client's address before the handler runs. */
export function isCountedBefore(app: App, { access, unlimited }: Endpoint): boolean {
  return app.config.rateLimits && unlimited === undefined && COUNTED[access] === 'before';
}

/** Counts a request for the client's network. This function and the next four throw `Problem` `RATE_LIMITED`. */
export function limitAddress(app: App, request: FastifyRequest): Promise<void> {
  return consume(app, request, REQUEST_LIMITS.address, clientNetwork(request.ip));
}

/** Counts a request with the access token of a user. */
export function limitUser(app: App, request: FastifyRequest, userId: string): Promise<void> {
  return consume(app, request, REQUEST_LIMITS.user, userId);
}

/** Counts the other items of a batch request, as if each were a separate request. */
export async function limitItems(app: App, request: FastifyRequest, userId: string, items: number): Promise<void> {
  if (app.config.rateLimits && items > 1) await consume(app, request, REQUEST_LIMITS.user, userId, items - 1);
}

/**
 * Counts a request that a payment service signed. The same request again counts for the client's network: a payer whose
 * browser posts one has seen it, and could otherwise exhaust the limit of the payment service.
 */
export async function limitPaymentService(
  app: App,
  request: FastifyRequest,
  { paymentServiceId, perMinute }: { paymentServiceId: string; perMinute: number | null },
  signature: string,
): Promise<void> {
  const counted = countedSignatures(app);
  if (counted.has(signature)) return limitAddress(app, request);
  if (counted.size >= MOST_SIGNATURES) counted.clear();
  counted.add(signature);
  const { paymentService } = REQUEST_LIMITS;
  const limit = perMinute === null ? paymentService : { ...paymentService, most: perMinute };
  await consume(app, request, limit, paymentServiceId).catch((refusal: unknown) => {
    counted.delete(signature);
    throw refusal;
  });
}

/** The signatures that were counted lately, in this process. */
const countedSignatures = perInstance((_app: App) => new Set<string>());

const MOST_SIGNATURES = 20_000;

/**
 * Counts a wrong signature after the check. A payment service's own requests never reach this count, so nobody can
 * exhaust it for them by sending wrong signatures.
 */
export async function limitWrongSignature(app: App, request: FastifyRequest, serviceToken: string): Promise<void> {
  // The network is counted first: it bounds how many invented Service Tokens a client can have counted.
  await consume(app, request, REQUEST_LIMITS.wrongCredentials, clientNetwork(request.ip));
  await consume(app, request, REQUEST_LIMITS.wrongSignatures, serviceToken);
}

/**
 * Returns the failure of a request, or `RATE_LIMITED` if the network has sent too many wrong credentials. Other
 * failures are not counted: they look nothing up, and cost less than counting.
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

/** Adds headers with the rest of every limit that counted this request. */
export function addLimitHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const fields = usesOf(request).map(({ limit, use }) => limitFields({ ...limit, ...use }));
  for (const name of ['ratelimit-policy', 'ratelimit'] as const) {
    // A refusal already has the fields of the exceeded limit.
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
  const uses = usesOf(request);
  // A batch is counted twice; a refusal has the fields of the limit itself.
  const before = uses.findIndex((one) => one.limit === limit);
  if (before >= 0) uses.splice(before, 1);
  if (!use.allowed) {
    // A batch may exceed the limit while a smaller request would not.
    if (spent === null && times === 1) spentUses(app).keep(key, use);
    app.metrics.refused.inc({ reason: limit.name });
    throw limitProblem(limit, use);
  }
  uses.push({ limit, use });
}

/** Limits exceeded within the last second. A client that is refused all the time rarely reaches the store. */
const spentUses = perInstance((app: App) =>
  createExpiringCache<LimitUse>({ lifetimeMs: 1_000, capacity: 10_000, now: app.now }),
);

/** If the store cannot count, the request goes on: with a full disk, reads still work. */
function unlessStoreFailed(error: unknown): null {
  if (error instanceof StorageError) return null;
  throw error;
}
