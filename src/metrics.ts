import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** What `/metrics` shows. No label ever holds a reference, an address or anything else that a stranger chooses. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Counter({
      name: 'rubrica_http_requests_total',
      help: 'Answers given, by route and status',
      labelNames: ['route', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'rubrica_http_request_seconds',
      help: 'Time from the request head to the end of the answer',
      labelNames: ['route'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    transactions: new Counter({
      name: 'rubrica_transactions_total',
      help: 'Transactions that reached a state',
      labelNames: ['state'],
      registers,
    }),
    conflicts: new Counter({
      name: 'rubrica_conflicts_total',
      help: 'Answers of payment methods that contradict the state of their transaction: each needs a person',
      registers,
    }),
    unansweredPayments: new Counter({
      name: 'rubrica_unanswered_payments_total',
      help: 'Look-ups without an end of payments that began more than a day ago: each needs a person',
      registers,
    }),
    policyViolations: new Counter({
      name: 'rubrica_policy_violations_total',
      help: 'Reports of browsers that the policy of a page stopped something; anybody can send them',
      registers,
    }),
    refunds: new Counter({
      name: 'rubrica_refunds_total',
      help: 'Refunds that reached their end',
      labelNames: ['state'],
      registers,
    }),
    unansweredRefunds: new Counter({
      name: 'rubrica_unanswered_refunds_total',
      help: 'Look-ups without an end of refunds that were accepted more than a day ago: each needs a person',
      registers,
    }),
    deliveries: new Counter({
      name: 'rubrica_delivery_attempts_total',
      help: 'Delivery attempts, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    callbacksLateSeconds: new Gauge({
      name: 'rubrica_callbacks_late_seconds',
      help: 'How long ago the callback that waits longest was due',
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
