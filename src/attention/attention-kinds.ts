import type { App } from '../app.ts';
import { IN_DOUBT_AFTER_MS } from '../checkout/payment-attempt.ts';
import {
  measureWaitingAttempts,
  selectWaitingAttempts,
  type WaitingAttempt,
} from '../checkout/waiting-attempt-queries.ts';
import type { SqlRow } from '../db/database.ts';
import type { Epoch } from '../epochs/epoch.ts';
import { findHeld } from '../epochs/hold.ts';
import type { InBoth } from '../error-catalogue.ts';
import { type ListedMail, measureStuckMails, selectStuckMails } from '../mail/mail-queries.ts';
import { measureUnresolved, type SuspenseEntry, selectUnresolved } from '../movements/movement-queries.ts';
import { causeOf } from '../outbox/endpoints/answer-cause.ts';
import {
  type GoneEndpoint,
  measureFailing,
  measureGone,
  selectFailing,
  selectGone,
} from '../outbox/endpoints/failing-endpoint-queries.ts';
import { type GivenUpCallback, measureGivenUp, selectGivenUp } from '../outbox/endpoints/given-up-callback-queries.ts';
import { receiverOf } from '../outbox/webhooks/find-subscribers.ts';
import { endCommand, sayWebhook } from '../outbox/webhooks/say-webhook.ts';
import { REFUND_IN_DOUBT_AFTER } from '../refunds/refund.ts';
import { measureWaitingRefunds, selectWaitingRefunds, type WaitingRefund } from '../refunds/waiting-refund-queries.ts';
import { measureOpenLines, type OpenLine, selectOpenLines } from '../statements/bank-statement-queries.ts';
import { bookingCommand, findSecondLines, type SecondLine } from '../statements/find-second-lines.ts';
import { sayNote } from '../statements/line-notes.ts';
import type { AttentionKind, Waiting } from './attention.ts';
import { KEY_ATTENTION } from './key-attention.ts';
import { MOVE_ATTENTION } from './move-attention.ts';
import { dutyKind } from './neglected-duties.ts';
import { APPROVAL_ATTENTION, PAYOUT_ATTENTION, withMissing } from './payout-attention.ts';
import { REFUND_REQUEST_ATTENTION } from './refund-request-attention.ts';
import { sayPaymentDoubt, sayRefundDoubt } from './say-doubt.ts';
import { SETTLEMENT_ATTENTION } from './settlement-attention.ts';

const DAY = 24 * 60 * 60_000;

/** A callback that was given up earlier than this is no longer listed. */
const CALLBACK_MS = 7 * DAY;

/** THE TABLE of everything that can wait for a person, each kind with the command that ends it. */
export const ATTENTION_KINDS: readonly AttentionKind[] = [
  {
    kind: 'restore',
    nouns: ['unreleased restore', 'unreleased restores'],
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
    nouns: ['unresolved payment', 'unresolved payments'],
    measure: (app) => measureWaitingAttempts(app.db, app.now() - IN_DOUBT_AFTER_MS),
    list: async (app, limit) =>
      (await selectWaitingAttempts(app.db, app.now() - IN_DOUBT_AFTER_MS, limit)).map(waitingPayment),
  },
  {
    kind: 'refund',
    nouns: ['unresolved refund', 'unresolved refunds'],
    measure: (app) => measureWaitingRefunds(app.db, refundsSince(app)),
    list: async (app, limit) => (await selectWaitingRefunds(app.db, refundsSince(app), limit)).map(waitingRefund),
  },
  REFUND_REQUEST_ATTENTION,
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
  {
    kind: 'endpoint',
    nouns: ['failing endpoint', 'failing endpoints'],
    measure: (app) => measureUnreached(app),
    list: async (app, limit) => (await selectUnreached(app, limit)).map(waitingEndpoint),
  },
  KEY_ATTENTION,
  MOVE_ATTENTION,
  PAYOUT_ATTENTION,
  APPROVAL_ATTENTION,
  SETTLEMENT_ATTENTION,
  {
    kind: 'statement',
    nouns: ['line of a statement in suspense', 'lines of statements in suspense'],
    measure: (app) => measureOpenLines(app.db),
    list: async (app, limit) => {
      const open = await selectOpenLines(app.db, limit);
      const second = open.length === 0 ? [] : await findSecondLines(app);
      return open.map((line) =>
        waitingLine(
          line,
          second.find((one) => one.line === `${line.statement_id}/${line.file_line}`),
        ),
      );
    },
  },
  dutyKind('backup', ['old backup', 'old backups']),
  dutyKind('books', ['verification of the books that is due', 'verifications of the books that are due']),
  {
    kind: 'mail',
    nouns: ['unsent receipt', 'unsent receipts'],
    measure: (app) => measureStuckMails(app.db, app.now() - DAY),
    list: async (app, limit) => (await selectStuckMails(app.db, app.now() - DAY, limit)).map(waitingMail),
  },
];

/** A restore concerns all payment services: their callbacks and refunds wait. */
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
    reason: {
      en: 'held after restore: callbacks and refunds wait until a person has compared what was lost',
      es: 'detenido después de restaurar: los callbacks y las devoluciones esperan hasta que una persona compare lo que se perdió',
    },
    command: 'bin/rubrica release',
  };
}

function waitingPayment(attempt: WaitingAttempt): Waiting {
  const { id, since, amount, currency } = attempt;
  return {
    ...ownerOf(attempt),
    id,
    since,
    amount,
    currency,
    reason: sayPaymentDoubt(attempt),
    command: `bin/rubrica payment settle ${id} --outcome approved|declined|aborted --evidence FILE --reason TEXT`,
  };
}

function refundsSince(app: App) {
  const { accepted, asked } = REFUND_IN_DOUBT_AFTER;
  return { accepted: app.now() - accepted, asked: app.now() - asked };
}

function waitingRefund(refund: WaitingRefund): Waiting {
  const { id, since, amount, currency } = refund;
  return {
    ...ownerOf(refund),
    id,
    since,
    amount,
    currency,
    reason: sayRefundDoubt(refund),
    command: `bin/rubrica refund settle ${id} --outcome completed|failed --evidence FILE --reason TEXT`,
  };
}

function waitingSuspense(suspended: SuspenseEntry): Waiting {
  const { payment_service_id, name, environment, transaction_id, created_at, amount, currency } = suspended;
  const which =
    transaction_id === null
      ? `--entry ${suspended.environment_id}/${suspended.entry}`
      : `--transaction ${transaction_id} --entry ${suspended.entry}`;
  return {
    payment_service: payment_service_id,
    name,
    environment,
    transaction: transaction_id,
    id: suspended.entry,
    since: created_at,
    amount,
    currency,
    reason:
      suspended.kind === 'late_payment'
        ? {
            en: 'a payment method took money that no order asked for',
            es: 'un medio de pago cobró dinero que ninguna orden pedía',
          }
        : {
            en: 'money went back at a payment method that no refund asked for, as in a chargeback',
            es: 'un medio de pago devolvió dinero que ninguna devolución pedía, como en un contracargo',
          },
    command: `bin/rubrica books resolve ${which} --decision returned|kept --reason TEXT`,
  };
}

function waitingCallback(callback: GivenUpCallback): Waiting {
  const webhook = receiverOf(callback);
  const said = webhook === null ? { en: 'shop', es: 'la tienda' } : sayWebhook(webhook);
  return {
    ...ownerOf(callback),
    id: String(callback.id),
    endpoint: callback.endpoint_id,
    since: callback.since,
    amount: null,
    currency: null,
    reason: {
      en: `the ${said.en} did not take it in ${attemptsOf(callback).en} and will not hear of it again`,
      es: `${webhook === null ? '' : 'user_id' in webhook ? 'el ' : 'la '}${said.es} no lo recibió en ${attemptsOf(callback).es} y no se le avisa otra vez`,
    },
    command: webhook?.url === null ? endCommand(webhook) : `bin/rubrica callback resend ${callback.id}`,
  };
}

/**
 * Measures endpoints that fail, answered 410 or keep callbacks from a 410, except in the `elsewhere` environments.
 * `oldest`: since when, in UTC milliseconds.
 */
export async function measureUnreached(app: App, elsewhere?: ReadonlySet<number>) {
  const failing = await measureFailing(app.db, elsewhere);
  const gone = await measureGone(app.db, app.now() - CALLBACK_MS, elsewhere);
  const since = [failing.oldest, gone.oldest].filter((time) => time !== null);
  return { count: failing.count + gone.count, oldest: since.length === 0 ? null : Math.min(...since) };
}

/** Lists the same endpoints, the oldest first. */
export async function selectUnreached(
  app: App,
  limit: number,
  elsewhere?: ReadonlySet<number>,
): Promise<GoneEndpoint[]> {
  const failing = (await selectFailing(app.db, limit, elsewhere)).map((one) => ({ ...one, kept_since: null }));
  const gone = await selectGone(app.db, app.now() - CALLBACK_MS, limit, elsewhere);
  return [...failing, ...gone].sort((one, other) => sinceOf(one) - sinceOf(other)).slice(0, limit);
}

function sinceOf({ failing_since, disabled_at, kept_since }: GoneEndpoint): number {
  return failing_since ?? disabled_at ?? kept_since ?? 0;
}

/** Says that an endpoint takes callbacks again while others are kept for it; null: it fails or is disabled. */
export function sayKept({ address, failing_since, disabled_at, kept_since }: GoneEndpoint): InBoth | null {
  if (failing_since !== null || disabled_at !== null || kept_since === null) return null;
  return {
    en: `${address} takes callbacks again, but the callbacks that were kept while it answered 410 are not sent`,
    es: `${address} vuelve a recibir callbacks, pero los que se guardaron mientras respondía 410 no se envían`,
  };
}

function waitingEndpoint(endpoint: GoneEndpoint): Waiting {
  const { id, payment_service, name, environment } = endpoint;
  // The end of a webhook sends none of the shop's callbacks that are kept for the same address.
  const webhook = endpoint.kept_since === null ? receiverOf(endpoint) : null;
  return {
    payment_service,
    name,
    environment,
    transaction: null,
    id: String(id),
    since: sinceOf(endpoint),
    amount: null,
    currency: null,
    reason: sayKept(endpoint) ?? failureOf(endpoint, webhook),
    command: webhook?.url === null ? endCommand(webhook) : `bin/rubrica callback resend --endpoint ${id}`,
  };
}

function waitingMail(mail: ListedMail): Waiting {
  const { id, created_at, state } = mail;
  const en = mail.failure ?? 'it was never tried, as without SMTP_URL';
  const es = mail.failure ?? 'nunca se intentó, como cuando falta SMTP_URL';
  return {
    ...ownerOf(mail),
    id,
    since: created_at,
    amount: null,
    currency: null,
    reason:
      state === 'dead'
        ? {
            en: `the receipt was given up after ${attemptsOf(mail).en}: ${en}`,
            es: `el comprobante no salió tras ${attemptsOf(mail).es}: ${es}`,
          }
        : {
            en: `the receipt has waited for more than a day: ${en}`,
            es: `el comprobante espera hace más de un día: ${es}`,
          },
    command: `bin/rubrica mail resend ${id}`,
  };
}

function attemptsOf({ attempts }: { attempts: number }): InBoth {
  return {
    en: attempts === 1 ? '1 attempt' : `${attempts} attempts`,
    es: attempts === 1 ? '1 intento' : `${attempts} intentos`,
  };
}

function failureOf(endpoint: GoneEndpoint, webhook: ReturnType<typeof receiverOf>): InBoth {
  const { address, waiting } = endpoint;
  const said = webhook === null ? null : sayWebhook(webhook);
  const [english, spanish] = [causeOf(address, endpoint, 'en'), causeOf(address, endpoint, 'es')];
  const waits =
    waiting === 0
      ? { en: 'its callbacks are kept and not sent', es: 'sus callbacks se guardan y no se envían' }
      : {
          en: waiting === 1 ? '1 callback waits' : `${waiting} callbacks wait`,
          es: waiting === 1 ? 'espera 1 callback' : `esperan ${waiting} callbacks`,
        };
  return {
    en: `${said === null ? '' : `${said.en}: `}${address} fails: ${english?.cause ?? 'unknown'}; ${waits.en}. ${english?.fix ?? ''}`.trim(),
    es: `${said === null ? '' : `${said.es}: `}${address} falla: ${spanish?.cause ?? 'no se sabe por qué'}; ${waits.es}. ${spanish?.fix ?? ''}`.trim(),
  };
}

function waitingLine(line: OpenLine, second: SecondLine | undefined): Waiting {
  const { statement_id, file_line, file_name, environment, kept_at, amount, currency, note } = line;
  const said = sayNote(note ?? '');
  return {
    payment_service: line.payment_service_id ?? '—',
    name: line.name ?? '—',
    environment,
    transaction: null,
    id: `${statement_id}/${file_line}`,
    since: kept_at,
    amount,
    currency,
    reason: withMissing(
      { en: `line ${file_line} of ${file_name}: ${said.en}`, es: `línea ${file_line} de ${file_name}: ${said.es}` },
      second,
    ),
    command:
      second !== undefined
        ? bookingCommand(second)
        : `bin/rubrica statement resolve ${statement_id} --line ${file_line} --use ${(amount ?? 0) < 0 ? 'payout' : 'deposit|return'}|other --reason TEXT --as EMAIL`,
  };
}

type Owned = SqlRow & { payment_service: string; name: string; environment: string; transaction_id: number };

function ownerOf({ payment_service, name, environment, transaction_id }: Owned) {
  return { payment_service, name, environment, transaction: transaction_id };
}
