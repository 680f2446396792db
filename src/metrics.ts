import { createAnswerMeter } from './lib/answer-meter.ts';
import { Counter, Gauge, Registry } from './lib/meters.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** A queue of waiting work, such as a batcher. */
type Queue = { depth: () => number };

/**
 * Creates the metrics of `/metrics`. No label ever contains a reference, an address or other text that a stranger
 * chooses.
 */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const queues = new Map<string, Queue>();
  return {
    registry,
    /** Shows the length of a queue, and returns the queue. `name` is one of a few fixed names. */
    watchQueue: <Watched extends Queue>(name: string, queue: Watched): Watched => {
      queues.set(name, queue);
      return queue;
    },
    queueDepth: new Gauge({
      name: 'rubrica_queue_depth',
      help: 'Items waiting for the next commit, by queue',
      labelNames: ['queue'],
      registers,
      collect() {
        for (const [queue, { depth }] of queues) this.set({ queue }, depth());
      },
    }),
    answered: createAnswerMeter(registry, 'rubrica_http_requests_total', 'rubrica_http_request_seconds'),
    ...createMoneyCounters(registers),
    ...createStrangerMeters(registers),
    methodAnswers: new Counter({
      name: 'rubrica_payment_method_answers_total',
      help: 'Responses of payment methods, by outcome; credentials_refused means that the configured key is wrong',
      labelNames: ['method', 'outcome'],
      registers,
    }),
    policyViolations: new Counter({
      name: 'rubrica_policy_violations_total',
      help: 'Content-Security-Policy reports from browsers; anybody can send them',
      registers,
    }),
    deliveries: createDeliveryCounter(registers),
    databaseUnavailable: new Gauge({
      name: 'rubrica_database_unavailable',
      help: '1 while the database does not answer',
      registers,
    }),
    feedHeldSeconds: new Gauge({
      name: 'rubrica_feed_held_seconds',
      help: 'Age of the transaction that blocks the feed on PostgreSQL, by its process; 0 if none is older than 5 s',
      labelNames: ['pid', 'application', 'database'],
      registers,
    }),
    ...createEndpointGauges(registers),
    callbacksLateSeconds: new Gauge({
      name: 'rubrica_callbacks_late_seconds',
      help: 'Time since the oldest waiting callback was due',
      registers,
    }),
    validations: new Counter({
      name: 'rubrica_validations_total',
      help: 'Bank account validations, by verdict',
      labelNames: ['verdict'],
      registers,
    }),
  };
}

/** Creates the metrics of refused work, and of an untrusted proxy. */
function createStrangerMeters(registers: Registry[]) {
  return {
    refused: new Counter({
      name: 'rubrica_refused_total',
      help: 'Requests and connections refused or closed to protect other clients, by reason: the name of a limit, or what a connection did',
      labelNames: ['reason'],
      registers,
    }),
    untrustedProxy: new Gauge({
      name: 'rubrica_untrusted_proxy',
      help: '1 if a nearby proxy has forwarded requests while TRUST_PROXY is off',
      registers,
    }),
  };
}

function createDeliveryCounter(registers: Registry[]) {
  const deliveries = new Counter({
    name: 'rubrica_delivery_attempts_total',
    help: 'Delivery attempts, by outcome; each dead or disable needs a person',
    labelNames: ['outcome'],
    registers,
  });
  // Starts at 0: a counter that appears with 1 never shows an increase, and the first case must be noticed.
  for (const outcome of ['dead', 'disable']) deliveries.inc({ outcome }, 0);
  return deliveries;
}

/**
 * Creates gauges for the few endpoints that have failed for longest. Their labels are ids, because anybody can read the
 * metrics.
 */
function createEndpointGauges(registers: Registry[]) {
  const labelNames = ['payment_service', 'endpoint'] as const;
  return {
    endpointWaiting: new Gauge({
      name: 'rubrica_failing_endpoint_callbacks',
      help: 'Callbacks that wait for a failing endpoint, read from the store; see bin/rubrica callback endpoints',
      labelNames,
      registers,
    }),
    endpointFailingSeconds: new Gauge({
      name: 'rubrica_failing_endpoint_seconds',
      help: 'Time since the endpoint began to fail',
      labelNames,
      registers,
    }),
  };
}

/** Creates the counters of money: outcomes, and how much waits for a person. */
function createMoneyCounters(registers: Registry[]) {
  return {
    transactions: new Counter({
      name: 'rubrica_transactions_total',
      help: 'Transactions that reached a state',
      labelNames: ['state'],
      registers,
    }),
    conflicts: new Counter({
      name: 'rubrica_conflicts_total',
      help: 'Responses of payment methods that contradict the state of their transaction; each needs a person',
      registers,
    }),
    attention: new Gauge({
      name: 'rubrica_attention',
      help: 'Items that wait for a person, by kind, read from the store; see bin/rubrica attention list',
      labelNames: ['kind'],
      registers,
    }),
    attentionOldest: new Gauge({
      name: 'rubrica_attention_oldest_seconds',
      help: 'Age of the oldest item of a kind that waits for a person; 0 if none waits',
      labelNames: ['kind'],
      registers,
    }),
    unresolvedPayments: new Gauge({
      name: 'rubrica_unresolved_payments',
      help: 'Undecided payments in suspense; each needs a person',
      registers,
    }),
    refunds: new Counter({
      name: 'rubrica_refunds_total',
      help: 'Refunds that have ended',
      labelNames: ['state'],
      registers,
    }),
    unansweredRefunds: new Counter({
      name: 'rubrica_unanswered_refunds_total',
      help: 'Look-ups that did not resolve a refund accepted more than a day ago; each needs a person',
      registers,
    }),
  };
}
