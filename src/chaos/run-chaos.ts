import { setTimeout as sleep } from 'node:timers/promises';
import { signingKey } from '../../protocol/hmac.ts';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { worldTime } from '../lib/clock.ts';
import { randomHex } from '../lib/ids.ts';
import { dialAddress } from '../lib/network/dial-address.ts';
import { loseAnswers } from '../lib/network/lose-answers.ts';
import { ownPlaces } from '../lib/network/own-places.ts';
import { createSafeFetch, type FetchOutcome, type SafeFetch } from '../lib/network/safe-fetch.ts';
import { createSeededRandom } from '../lib/seeded-random.ts';
import { endpointAddress } from '../outbox/endpoints/endpoint-address.ts';
import { findKnownSecrets } from '../payment-services/find-known-secrets.ts';
import type { SecretToken, ServiceEnvironment } from '../payment-services/payment-service.ts';
import { CHAOS_CLASSES, type ChaosClass, type ChaosClassName } from './chaos-class.ts';
import type { ChaosOrder } from './chaos-order.ts';
import { answersText, type ChaosAnswer, type ChaosVerdict, isTaken, judgeChaos } from './judge-chaos.ts';
import { type OrderState, readOrderState } from './order-state.ts';
import { type ChaosPost, type ChaosStage, PLAYS, playOrdinary } from './play-class.ts';

export type ChaosPlan = {
  environment: ServiceEnvironment;
  /** The URL for callbacks, and the URL where the shop reports an order; `{reference}` stands for the order. */
  receiver: string;
  orderUrl: string | null;
  /** One more than there are classes: the first order is for an ordinary callback. */
  orders: readonly ChaosOrder[];
  classes: readonly ChaosClass[];
  seed: number;
  /** The shop is set up for real payments, not for tests. */
  live: boolean;
  /** How long an order may take to change after its callback. */
  patienceMs: number;
};

export type ChaosResult = {
  class: ChaosClassName;
  title: string;
  verdict: ChaosVerdict;
  reference: string;
  did: string;
  why: string;
  /** The fix of a failure; null if nothing failed. */
  fix: string | null;
  order: { before: string; after: string } | null;
  answers: readonly ChaosAnswer[];
};

export type ChaosReport = {
  passed: boolean;
  receiver: string;
  payment_service: string;
  seed: number;
  judged_by: 'orders' | 'answers';
  started_at: string;
  counts: Record<ChaosVerdict, number>;
  classes: readonly ChaosResult[];
};

/** Why the run cannot begin, and what the shop must do first. */
export type NotReady = { kind: 'not_ready'; why: string; fix: string };

/**
 * Posts the disturbances of each class to a receiver, signed with the development tokens, and reports what the shop
 * did. An ordinary callback comes first: a shop that refuses it refuses everything.
 */
export async function runChaos(
  app: App,
  plan: ChaosPlan,
  by: Actor,
): Promise<NotReady | { kind: 'ran'; report: ChaosReport }> {
  const { environment, seed } = plan;
  const startedAt = app.now();
  await app.db.transaction((tx) => {
    const subject = { kind: 'payment_service', id: environment.paymentServiceId };
    return recordAudit(tx, { at: startedAt, by, action: 'chaos.run', subject, after: { seed } });
  });
  const unheard = createSafeFetch({ ownPlaces: () => ownPlaces(app.config), dial: loseAnswers(dialAddress) });
  const run: Run = {
    app,
    plan,
    unheard: unheard.fetch,
    closedSecret: await findClosedSecret(app, environment),
  };
  try {
    const paid = await tryOrdinary(run);
    if ('kind' in paid) return paid;
    const classes: ChaosResult[] = [];
    for (const [at, one] of plan.classes.entries()) {
      const result = await tryClass(run, one, stageOf(run, at + 1, CHAOS_CLASSES.indexOf(one) + 1), paid);
      if ('kind' in result) return result;
      classes.push(result);
    }
    return { kind: 'ran', report: reportOf(plan, startedAt, classes) };
  } finally {
    await unheard.close();
  }
}

type Run = { app: App; plan: ChaosPlan; unheard: SafeFetch; closedSecret: SecretToken };

/**
 * The order after one ordinary callback; `settleMs` is how long the shop may take. Null: the shop does not report it.
 */
type Paid = { state: OrderState; settleMs: number } | { state: null };

/**
 * Returns a Secret Token that was rotated and is closed. Without one, an unknown token has the same effect on the
 * shop.
 */
async function findClosedSecret(app: App, environment: ServiceEnvironment): Promise<SecretToken> {
  const known = await findKnownSecrets(app, environment);
  const open = new Set(environment.secrets.map(({ text }) => text));
  const closed = known?.others.find(({ label, secret }) => label === 'rotated' && !open.has(secret));
  const text = closed?.secret ?? randomHex(32);
  return { id: 'closed', text, key: signingKey(text), createdAt: 0, closesAt: 0 };
}

/**
 * `order` numbers the orders of the plan, `place` the classes of the table. So each class gets the same random numbers,
 * whichever classes are left out.
 */
function stageOf(run: Run, order: number, place: number): ChaosStage {
  const { app, plan, closedSecret } = run;
  const { environment, seed, live } = plan;
  const send = (fetch: SafeFetch, lost: boolean) => async (post: ChaosPost) =>
    answerOf(await fetch(requestOf(run, post)), lost);
  return {
    environment,
    order: plan.orders[order] as ChaosOrder,
    // Far above real transaction ids, which begin at 1001.
    transactionId: 9_000_000_000_000 + (seed % 1_000_000) * 100 + place,
    eventId: `evt_chaos_${seed}_${place}`,
    live,
    closedSecret,
    random: createSeededRandom(seed * 100 + place),
    now: worldTime(app.now),
    send: send(app.fetch, false),
    sendUnheard: send(run.unheard, true),
  };
}

function requestOf({ app, plan }: Run, { order, query, headers, body }: ChaosPost): Parameters<SafeFetch>[0] {
  const url = new URL(fill(plan.receiver, order));
  if (query !== null) url.search = url.search === '' ? query : `${url.search}&${query}`;
  return {
    url: url.href,
    method: 'POST',
    headers,
    body,
    allowPrivate: app.config.allowPrivateCallbacks,
    merchant: plan.environment.id,
  };
}

function fill(template: string, reference: string): string {
  return template.replaceAll('{reference}', encodeURIComponent(reference));
}

function answerOf(outcome: FetchOutcome, lost: boolean): ChaosAnswer {
  const ms = outcome.durationMs;
  if (outcome.kind === 'answered') return { status: outcome.status, failure: null, ms, lost };
  return { status: null, failure: `${outcome.reason}: ${outcome.detail}`, ms, lost };
}

const ASK_EVERY_MS = 50;
/** After its response, a shop may continue for this many times the duration of the ordinary callback. */
const SETTLE_TIMES = 3;
const LEAST_SETTLE_MS = 100;

async function tryOrdinary(run: Run): Promise<Paid | NotReady> {
  const stage = stageOf(run, 0, 0);
  const { reference, amount, currency } = stage.order;
  const before = await readOrder(run, reference);
  if (before !== null && 'kind' in before) return before;
  const answers = await playOrdinary(stage);
  const order = `order ${reference}, ${amount} ${currency} in minor units`;
  if (!answers.some(isTaken))
    return notReady(
      `The receiver answered ${answersText(answers)} to an ordinary callback (${order})`,
      'It must know the orders that bin/rubrica chaos orders prints, or the orders of --orders, and the Secret Token for development of this payment service. bin/rubrica verify says why a callback is refused.',
    );
  if (before === null) return { state: null };
  const askedAt = performance.now();
  for (;;) {
    const state = await readOrder(run, reference);
    if (state === null || 'kind' in state) return state ?? { state };
    const took = performance.now() - askedAt;
    if (state.text !== before.text) return { state, settleMs: Math.max(LEAST_SETTLE_MS, took * SETTLE_TIMES) };
    if (took > run.plan.patienceMs)
      return notReady(
        `The receiver took an ordinary callback, and the order is still ${before.text} (${order})`,
        'Make the order anew or take another --seed where it was paid before; otherwise look at what --order-url tells.',
      );
    await sleep(ASK_EVERY_MS);
  }
}

async function tryClass(run: Run, of: ChaosClass, stage: ChaosStage, paid: Paid): Promise<ChaosResult | NotReady> {
  const { reference } = stage.order;
  const before = paid.state === null ? null : await readOrder(run, reference);
  if (before !== null && 'kind' in before) return before;
  if (before !== null && before.text === paid.state?.text)
    return notReady(
      `Order ${reference} is ${before.text} before anything was sent`,
      'Take another --seed, or make the orders anew.',
    );
  const answers = await PLAYS[of.name](stage);
  const after = paid.state === null ? null : await readSettled(run, of, reference, paid);
  if (after !== null && 'kind' in after) return after;
  const order = before === null || after === null || paid.state === null ? null : { before, after, paid: paid.state };
  const { verdict, did } = judgeChaos(of, { answers, order });
  return {
    class: of.name,
    title: of.title,
    verdict,
    reference,
    did,
    why: of.why,
    fix: verdict === 'failed' ? of.fix : null,
    order: order === null ? null : { before: order.before.text, after: order.after.text },
    answers,
  };
}

/** Reads the state after the shop has had its time: it waits until the order is paid, and then for later changes. */
async function readSettled(
  run: Run,
  of: ChaosClass,
  reference: string,
  paid: Paid,
): Promise<OrderState | NotReady | null> {
  if (paid.state === null) return null;
  const until = performance.now() + run.plan.patienceMs;
  while (of.must === 'once' && performance.now() < until) {
    const state = await readOrder(run, reference);
    if (state === null || 'kind' in state || state.text === paid.state.text) break;
    await sleep(ASK_EVERY_MS);
  }
  await sleep(paid.settleMs);
  return readOrder(run, reference);
}

/** Null if no order URL was given. */
async function readOrder({ app, plan }: Run, reference: string): Promise<OrderState | NotReady | null> {
  if (plan.orderUrl === null) return null;
  const url = new URL(fill(plan.orderUrl, reference)).href;
  const headers = { accept: 'application/json' };
  const { allowPrivateCallbacks: allowPrivate } = app.config;
  const outcome = await app.fetch({ url, method: 'GET', headers, body: null, allowPrivate });
  const state = outcome.kind === 'answered' ? readOrderState(outcome.status, outcome.excerpt) : null;
  return (
    state ??
    notReady(
      `--order-url answered ${answersText([answerOf(outcome, false)])} for ${reference}, and no state can be read in it`,
      'Let it answer 200 with JSON such as {"state": "paid", "deliveries": 1}, below 2 KiB, and 404 for an order that there is not.',
    )
  );
}

function notReady(why: string, fix: string): NotReady {
  return { kind: 'not_ready', why, fix };
}

function reportOf(plan: ChaosPlan, startedAt: number, classes: readonly ChaosResult[]): ChaosReport {
  const count = (verdict: ChaosVerdict) => classes.filter((one) => one.verdict === verdict).length;
  const counts = { passed: count('passed'), failed: count('failed'), unclear: count('unclear') };
  return {
    passed: counts.failed === 0,
    // The query may contain a secret of the shop.
    receiver: endpointAddress(fill(plan.receiver, '…')),
    payment_service: plan.environment.paymentServiceId,
    seed: plan.seed,
    judged_by: plan.orderUrl === null ? 'answers' : 'orders',
    started_at: new Date(startedAt).toISOString(),
    counts,
    classes,
  };
}
