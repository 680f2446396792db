import type { SigningKey } from '../../protocol/hmac.ts';

/** In which language receipts leave, or that they do not. */
export type ReceiptWish = 'es' | 'en' | 'off';

export const RECEIPT_WISHES: readonly ReceiptWish[] = ['es', 'en', 'off'];

/** Where nothing was said. */
export const DEFAULT_RECEIPTS: ReceiptWish = 'es';

/** The environment of the tokens that are used. Not how the program runs: every server takes both. */
export type Environment = 'development' | 'production';

export const ENVIRONMENTS: readonly Environment[] = ['development', 'production'];

/** The most signed requests a minute that a payment service can be given. */
export const MOST_PER_MINUTE = 10_000_000;

/** A limit of signed requests a minute; null where the text cannot be one. */
export function readPerMinute(text: string): number | null {
  const perMinute = Number(text);
  return /^\d{1,8}$/.test(text) && perMinute >= 1 && perMinute <= MOST_PER_MINUTE ? perMinute : null;
}

/** The most declined attempts that a transaction can be given. */
export const MOST_PAYER_ATTEMPTS = 50;

/** How many declined attempts end a transaction; null where the text cannot say it. */
export function readPayerAttempts(text: string): number | null {
  const attempts = Number(text);
  return /^\d{1,2}$/.test(text) && attempts >= 1 && attempts <= MOST_PAYER_ATTEMPTS ? attempts : null;
}

/** Reads the name that payers see on the pay page, without spaces around it; null where the text cannot be that. */
export function readServiceName(text: string): string | null {
  const name = text.trim();
  return name === '' || name.length > 100 || /\p{Cc}/u.test(name) ? null : name;
}

/** One environment of one payment service, with what is needed to check and to make signatures. */
export type ServiceEnvironment = {
  id: number;
  paymentServiceId: string;
  paymentServiceName: string;
  /** Signed requests that it may send in a minute; null: what docs/limits.md says. */
  perMinute: number | null;
  /** How many declined attempts end a transaction; null: DEFAULT_PAYER_ATTEMPTS. */
  payerAttempts: number | null;
  /** In which language receipts leave by mail; null: they do not. */
  receipts: 'es' | 'en' | null;
  environment: Environment;
  serviceToken: string;
  /** Where refunds are told as JSON; null: nowhere. */
  eventsUrl: string | null;
  /** Codes of the payment methods that have been given what they need to collect for it. */
  configuredMethods: readonly string[];
  secrets: SecretToken[];
  /** Where it is while another database serves it, or is about to; null: here. */
  elsewhere: Elsewhere | null;
};

/** `moving`: its requests wait for a moment. `moved`: they belong to `address`. */
export type Elsewhere = { state: 'moving' | 'moved'; address: string };

/** `closesAt` is null for the current one; during a rotation the old one closes at that time (UTC milliseconds). */
export type SecretToken = { id: string; text: string; key: SigningKey; createdAt: number; closesAt: number | null };
