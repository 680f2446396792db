import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import type { Outage } from './db/outage.ts';
import type { Clock } from './lib/clock.ts';
import type { Mailer } from './lib/network/mailer.ts';
import type { SafeFetch } from './lib/network/safe-fetch.ts';
import type { Metrics } from './metrics.ts';
import type { PaymentMethod } from './payment-methods/payment-method.ts';
import type { OpenPayoutSender } from './payout-senders/payout-sender.ts';
import type { ValidationProvider } from './validation-providers/validation-provider.ts';

/** Everything that an operation may use. Built once in `compose-app.ts`; tests build one with other parts. */
export type App = {
  readonly config: Config;
  readonly db: Database;
  /** Drops repeated errors of a database that does not respond: `outage` reports them once. */
  readonly log: Logger;
  readonly outage: Outage;
  readonly metrics: Metrics;
  /** UTC milliseconds. Never goes back within a process. */
  readonly now: Clock;
  /** Uniform in [0, 1). For jitter; never for a secret. */
  readonly random: () => number;
  /** The only way to send requests to external servers. Refuses private addresses and follows no redirect. */
  readonly fetch: SafeFetch;
  /** Sends mail to payers. `null` if no SMTP server is set. */
  readonly mailer: Mailer | null;
  readonly paymentMethods: readonly PaymentMethod[];
  /** `null` if no online provider is configured. */
  readonly validationProvider: ValidationProvider | null;
  /** Opens a sender of payouts that the operator has configured. */
  readonly openPayoutSender: OpenPayoutSender;
  /** Aborted when the process begins to stop: long polls end, new work is refused. */
  readonly stopping: AbortSignal;
};
