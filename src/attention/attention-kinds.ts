import type { App } from '../app.ts';
import {
  measureWaitingAttempts,
  selectWaitingAttempts,
  type WaitingAttempt,
} from '../checkout/waiting-attempt-queries.ts';
import type { SqlRow } from '../db/database.ts';
import type { Epoch } from '../epochs/epoch.ts';
import { findHeld } from '../epochs/hold.ts';
import { type LatePayment, measureUnresolved, selectUnresolved } from '../movements/movement-queries.ts';
import { type GivenUpCallback, measureGivenUp, selectGivenUp } from '../outbox/given-up-callback-queries.ts';
import { measureWaitingRefunds, selectWaitingRefunds, type WaitingRefund } from '../refunds/waiting-refund-queries.ts';
import type { AttentionKind, Waiting } from './attention.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Longer than a payer can be on the page of a payment method, and longer than the worker needs to end what they left. */
const PAYMENT_MS = 30 * MINUTE;
const REFUND_MS = DAY;
/** What was given up before has been seen, or nobody looks. */
const CALLBACK_MS = 7 * DAY;

/** THE TABLE of what can wait for a person: whatever can wait has a row here, with the command that ends it. */
export const ATTENTION_KINDS: readonly AttentionKind[] = [
  {
    kind: 'restore',
    nouns: ['restore that waits for its release', 'restores that wait for their release'],
    measure: async (app) => {
      const held = await findHeld(app);
      return { count: held === null ? 0 : 1, oldest: held?.began_at ?? null };
    },
    list: async (app) => {
      const held = await findHeld(app);
      return held === null ? [] : [waitingRestore(held)];
    },
  },
  {
    kind: 'payment',
    nouns: ['payment without an end', 'payments without an end'],
    measure: (app) => measureWaitingAttempts(app.db, app.now() - PAYMENT_MS),
    list: async (app, limit) =>
      (await selectWaitingAttempts(app.db, app.now() - PAYMENT_MS, limit)).map(waitingPayment),
  },
  {
    kind: 'refund',
    nouns: ['refund without an end', 'refunds without an end'],
    measure: (app) => measureWaitingRefunds(app.db, app.now() - REFUND_MS),
    list: async (app, limit) => (await selectWaitingRefunds(app.db, app.now() - REFUND_MS, limit)).map(waitingRefund),
  },
  {
    kind: 'suspense',
    nouns: ['amount in suspense', 'amounts in suspense'],
    measure: (app) => measureUnresolved(app.db),
    list: async (app, limit) => (await selectUnresolved(app.db, limit)).map(waitingSuspense),
  },
  {
    kind: 'callback',
    nouns: ['callback given up', 'callbacks given up'],
    measure: (app) => measureGivenUp(app.db, app.now() - CALLBACK_MS),
    list: async (app: App, limit) => (await selectGivenUp(app.db, app.now() - CALLBACK_MS, limit)).map(waitingCallback),
  },
];

/** Everybody's: callbacks and refunds of all payment services wait. */
function waitingRestore({ epoch, began_at }: Epoch): Waiting {
  return {
    payment_service: '—',
    name: '—',
    environment: '—',
    transaction: null,
    id: String(epoch),
    since: began_at,
    amount: null,
    currency: null,
    reason: 'held after restore: callbacks and refunds wait until a person has compared what was lost',
    command: 'bin/rubrica release',
  };
}

function waitingPayment(attempt: WaitingAttempt): Waiting {
  const { id, since, amount, currency, payment_method, commit_sent_at, contradiction } = attempt;
  return {
    ...ownerOf(attempt),
    id,
    since,
    amount,
    currency,
    reason:
      contradiction !== null
        ? `${payment_method} says something else than what is known: ${contradiction}`
        : `${payment_method} has not said what became of it${commit_sent_at === null ? '' : '; it was told to take the money'}`,
    command: `bin/rubrica payment settle ${id} --outcome approved|declined|aborted --evidence FILE --reason TEXT`,
  };
}

function waitingRefund(refund: WaitingRefund): Waiting {
  const { id, since, amount, currency } = refund;
  return {
    ...ownerOf(refund),
    id,
    since,
    amount,
    currency,
    reason: 'the payment method has not said for a day what became of it',
    command: 'bin/rubrica refund list',
  };
}

function waitingSuspense(late: LatePayment): Waiting {
  const { payment_service_id, name, environment, transaction_id, created_at, amount, currency } = late;
  return {
    payment_service: payment_service_id,
    name,
    environment,
    transaction: transaction_id,
    id: late.entry,
    since: created_at,
    amount,
    currency,
    reason: 'a payment method took money that no order asked for',
    command: `bin/rubrica books resolve --transaction ${transaction_id} --as returned|kept --reason TEXT`,
  };
}

function waitingCallback(callback: GivenUpCallback): Waiting {
  return {
    ...ownerOf(callback),
    id: String(callback.id),
    since: callback.since,
    amount: null,
    currency: null,
    reason: `the shop did not take it in ${callback.attempts} attempts, and nobody tells it any more`,
    command: `bin/rubrica callback resend ${callback.id}`,
  };
}

type Owned = SqlRow & { payment_service: string; name: string; environment: string; transaction_id: number };

function ownerOf({ payment_service, name, environment, transaction_id }: Owned) {
  return { payment_service, name, environment, transaction: transaction_id };
}
