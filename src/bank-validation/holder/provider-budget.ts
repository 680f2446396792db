import type { App } from '../../app.ts';
import type { Tx } from '../../db/database.ts';
import { Problem } from '../../error-catalogue.ts';
import {
  countQuestionedRuts,
  countRefusal,
  lockBudget,
  refundBudget,
  updateBudget,
} from './provider-budget-queries.ts';

/**
 * The budget that limits guessing who owns an account, modelled on the Pix DICT: a token bucket per user and one per
 * RUT. An answer costs one token; a mismatch costs twenty, because guessing consists of mismatches. In addition, a user
 * may ask about a limited number of different RUTs per day.
 */
const CAPACITY = 1000;
const MISMATCH_COST = 20;
const ANSWER_COST = 1;
const MS_PER_TOKEN = 30_000;
const RUTS_PER_DAY = 1000;
const MS_PER_DAY = 86_400_000;

/** After this long without a question, a bucket is full again, so its row can be deleted. */
export const FULL_AFTER_MS = (CAPACITY + MISMATCH_COST) * MS_PER_TOKEN;

/**
 * Why a question is refused: `waitMs` says when its budget has room again. `isHeld`: questions under way may hold what it
 * lacks, and return most of it when they are answered.
 */
export type SpentBudget = { readonly waitMs: number; readonly isHeld: boolean };

/**
 * Takes the price of a mismatch before the question, so that concurrent questions cannot exceed the bucket. Returns null
 * if it was taken.
 */
export function takeProviderBudget(app: App, actor: string, rutHash: string): Promise<SpentBudget | null> {
  const now = app.now();
  return app.db
    .transaction((tx) => reserve(tx, bucketsOf(app, actor, rutHash), actor, rutHash, now))
    .catch((error: unknown) => {
      if (error instanceof BudgetSpent) return error.spent;
      throw error;
    });
}

/**
 * Takes the same price. Throws `Problem` RATE_LIMITED with the time to wait if the budget is spent. The first refusal of
 * a day is logged for the operator.
 */
export async function reserveProviderBudget(app: App, actor: string, rutHash: string): Promise<void> {
  const spent = await takeProviderBudget(app, actor, rutHash);
  if (spent !== null) throw await refusal(app, actor, app.now(), spent.waitMs);
}

/**
 * Refunds the difference for an answer that is not a mismatch; `all`: the full price, if nothing was asked. Joins the
 * transaction that stores the answer.
 */
export async function refundProviderBudget(
  app: App,
  tx: Tx,
  actor: string,
  rutHash: string,
  what: 'mismatch' | 'all' = 'mismatch',
): Promise<void> {
  const tokens = what === 'all' ? MISMATCH_COST : MISMATCH_COST - ANSWER_COST;
  for (const bucket of bucketsOf(app, actor, rutHash)) await refundBudget(tx, bucket, tokens, CAPACITY);
}

/** Records the refusal of a question, by our budget or by the provider's limit, and returns its error. */
export async function refusal(app: App, actor: string, now: number, waitMs: number): Promise<Problem> {
  const first = await app.db.transaction((tx) => countRefusal(tx, actor, utcDayOf(now), now));
  if (first)
    app.log.warn(
      { actor, code: 'RATE_LIMITED' },
      'requests to the validation provider are refused: its daily budget or its own limit is used up',
    );
  return new Problem('RATE_LIMITED', {
    detail: {
      en: 'The budget of questions to the online provider is spent. Checks that need no provider are not limited.',
      es: 'Se acabaron las consultas al proveedor en línea por ahora. Las comprobaciones sin proveedor no tienen límite.',
    },
    waitMs,
  });
}

/** Returns the bucket of a RUT. */
export function bucketOfRut(rutHash: string): string {
  return `rut:${rutHash}`;
}

/** Returns the number of days since 1970, UTC. */
export function utcDayOf(now: number): number {
  return Math.floor(now / MS_PER_DAY);
}

/** Thrown inside the transaction, so that a refused question costs nothing. */
class BudgetSpent extends Error {
  readonly spent: SpentBudget;

  constructor(spent: SpentBudget) {
    super('provider budget spent');
    this.spent = spent;
  }
}

async function reserve(tx: Tx, buckets: string[], actor: string, rutHash: string, now: number): Promise<null> {
  for (const bucket of buckets) {
    const kept = await lockBudget(tx, { bucket, tokens: CAPACITY, refilled_at: now });
    const steps = Math.max(0, Math.floor((now - kept.refilled_at) / MS_PER_TOKEN));
    const tokens = Math.min(CAPACITY, kept.tokens + steps);
    const refilledAt = kept.refilled_at + steps * MS_PER_TOKEN;
    if (tokens < 1) throw new BudgetSpent({ waitMs: refilledAt + (1 - tokens) * MS_PER_TOKEN - now, isHeld: true });
    await updateBudget(tx, { bucket, tokens: tokens - MISMATCH_COST, refilled_at: refilledAt });
  }
  const day = utcDayOf(now);
  const ruts = await countQuestionedRuts(tx, actor, day, rutHash);
  if (ruts > RUTS_PER_DAY) throw new BudgetSpent({ waitMs: (day + 1) * MS_PER_DAY - now, isHeld: false });
  return null;
}

/** Always in the same order, so that two questions cannot deadlock. */
function bucketsOf(app: App, actor: string, rutHash: string): string[] {
  const ofUser = `user:${actor}`;
  return app.validationProvider?.realHolders === false ? [ofUser] : [bucketOfRut(rutHash), ofUser];
}
