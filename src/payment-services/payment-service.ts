import type { SigningKey } from '../../protocol/hmac.ts';
import { MISLEADING } from '../lib/misleading-text.ts';

/** The language of mailed receipts, or `off`: none. */
export type ReceiptWish = 'es' | 'en' | 'off';

export const RECEIPT_WISHES: readonly ReceiptWish[] = ['es', 'en', 'off'];

export const DEFAULT_RECEIPTS: ReceiptWish = 'es';

/** The environment of the tokens of a request. Not the mode of the program: every server accepts both. */
export type Environment = 'development' | 'production';

export const ENVIRONMENTS: readonly Environment[] = ['development', 'production'];

/** The highest limit of signed requests a minute of a payment service. */
export const MOST_PER_MINUTE = 10_000_000;

/** Reads a limit of signed requests a minute; null if the text is not valid. */
export function readPerMinute(text: string): number | null {
  const perMinute = Number(text);
  return /^\d{1,8}$/.test(text) && perMinute >= 1 && perMinute <= MOST_PER_MINUTE ? perMinute : null;
}

/** The highest number of declined attempts of a transaction. */
export const MOST_PAYER_ATTEMPTS = 50;

/** Reads the number of declined attempts that ends a transaction; null if the text is not valid. */
export function readPayerAttempts(text: string): number | null {
  const attempts = Number(text);
  return /^\d{1,2}$/.test(text) && attempts >= 1 && attempts <= MOST_PAYER_ATTEMPTS ? attempts : null;
}

/** Reads the name for the pay page, without spaces around it; null if the text is not valid. */
export function readServiceName(text: string): string | null {
  const name = text.trim();
  return name === '' || name.length > 100 || MISLEADING.test(name) ? null : name;
}

/** One environment of one payment service, with everything to check and to make signatures. */
export type ServiceEnvironment = {
  id: number;
  paymentServiceId: string;
  paymentServiceName: string;
  /** How many signed requests it may send in a minute; null: the default in docs/limits.md. */
  perMinute: number | null;
  /** How many declined attempts end a transaction; null: DEFAULT_PAYER_ATTEMPTS. */
  payerAttempts: number | null;
  /** The language of mailed receipts; null: none are mailed. */
  receipts: 'es' | 'en' | null;
  environment: Environment;
  serviceToken: string;
  /** The URL to which events of refunds are posted as JSON; null: none. */
  eventsUrl: string | null;
  /** Codes of the payment methods with an account in use. */
  configuredMethods: readonly string[];
  secrets: SecretToken[];
  /** Where the payment service is served if another database serves it, or is about to; null: here. */
  elsewhere: Elsewhere | null;
};

/** `moving`: its requests wait for a moment. `moved`: send them to `address`. */
export type Elsewhere = { state: 'moving' | 'moved'; address: string };

/** `closesAt`: null for the current one; after a rotation the time at which the old one closes, in UTC milliseconds. */
export type SecretToken = { id: string; text: string; key: SigningKey; createdAt: number; closesAt: number | null };
