import type { Exchange } from '../../../src/lib/network/exchange-request.ts';
import type { FetchOutcome, FetchRequest, SafeFetch } from '../../../src/lib/network/safe-fetch.ts';
import type { FaultPlan } from './fault-plan.ts';
import type { Life } from './life.ts';
import type { Answer, Merchant } from './merchant.ts';
import type { World } from './world.ts';

/** One delivery attempt, as seen on the wire. */
export type Attempt = {
  readonly id: string;
  readonly life: Life;
  readonly merchant: Merchant;
  readonly startedAt: number;
  /** The row of the callback at that moment. */
  row: { state: string; attempts: number } | null;
  /** The result that the worker received, and when. Null while it waits, and for ever if it died. */
  outcome: FetchOutcome | null;
  endedAt: number | null;
  /** The merchant accepted the callback, but the worker cannot know. */
  answerLost: boolean;
};

export type CourierOptions = {
  world: World;
  plan: () => FaultPlan;
  merchantOf: (url: string) => Merchant;
  /** Receives every attempt when it begins. */
  observe: (attempt: Attempt) => void;
};

/** As in `createSafeFetch`: from the DNS look-up to the end of the body. */
const TIME_OUT_MS = 15_000;

/** Creates the network between a worker and a merchant's server, which delays, loses and repeats messages. */
export function createCourier(options: CourierOptions, life: Life): SafeFetch {
  const { world, plan, merchantOf, observe } = options;

  return (request) =>
    new Promise((resolve) => {
      const merchant = merchantOf(request.url);
      const attempt = newAttempt(request, merchant, life, world.now());
      observe(attempt);
      world.note(`${life.name} sends ${attempt.id} to ${merchant.name} ${String(request.body)}`);
      const end = (outcome: FetchOutcome) => {
        attempt.outcome = outcome;
        attempt.endedAt = world.now();
        world.note(`${life.name} hears of ${attempt.id}: ${told(outcome)}`);
        resolve(outcome);
      };
      travel(request, attempt, (after, outcome) =>
        world.after(after, () => life.arrive(() => end({ ...outcome, durationMs: after }))),
      );
      if (world.chance(plan().crashInFlight)) world.after(world.between(0, 400), () => life.crash('in flight'));
    });

  function travel(request: FetchRequest, attempt: Attempt, reply: (after: number, outcome: Exchange) => void): void {
    if (world.chance(plan().requestLost)) {
      if (world.chance(0.5)) return reply(world.between(1, 50), failed('connect', 'ECONNREFUSED'));
      return reply(TIME_OUT_MS, failed('timeout', 'ETIMEDOUT'));
    }
    const delay = world.between(5, 300);
    world.after(delay, () => {
      const answer = attempt.merchant.receive(request);
      attempt.answerLost = answer !== null && isTaken(answer) && world.chance(plan().answerLost);
      if (answer === null) return reply(TIME_OUT_MS - delay, failed('timeout', 'ETIMEDOUT'));
      if (attempt.answerLost && world.chance(0.5)) return reply(world.between(5, 300), failed('reset', 'ECONNRESET'));
      if (attempt.answerLost) return reply(TIME_OUT_MS - delay, failed('timeout', 'ETIMEDOUT'));
      return reply(world.between(5, 300), answered(answer));
    });
    if (world.chance(plan().arrivesTwice)) {
      world.after(delay + world.between(1, 60_000), () => void attempt.merchant.receive(request));
    }
  }
}

function newAttempt(request: FetchRequest, merchant: Merchant, life: Life, startedAt: number): Attempt {
  const id = request.headers['webhook-id'] as string;
  return { id, life, merchant, startedAt, row: null, outcome: null, endedAt: null, answerLost: false };
}

function failed(reason: 'connect' | 'timeout' | 'reset', detail: string): Exchange {
  return { kind: 'failed', reason, detail };
}

function answered(answer: Answer): Exchange {
  return { kind: 'answered', excerpt: '', ...answer };
}

function isTaken({ status, location }: Answer): boolean {
  return status === 200 || location === '/thanks';
}

function told(outcome: FetchOutcome): string {
  return outcome.kind === 'answered' ? `${outcome.status} ${outcome.retryAfter ?? ''}` : outcome.reason;
}
