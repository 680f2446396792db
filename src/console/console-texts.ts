import type { Language } from '../lib/language.ts';
import { ACCOUNT_TEXTS } from './accounts/account-texts.ts';
import { MOVEMENT_TEXTS } from './accounts/movement-texts.ts';
import { SETTLE_TEXTS } from './attention/settle-texts.ts';
import { SUSPENSE_TEXTS } from './attention/suspense-texts.ts';
import { BANK_ACCOUNT_TEXTS } from './bank-accounts/bank-account-texts.ts';
import { CALLBACK_TEXTS } from './callbacks/callback-texts.ts';
import { MAIL_TEXTS } from './callbacks/mail-texts.ts';
import { ENGLISH } from './console-english.ts';
import { SPANISH } from './console-spanish.ts';
import { HEALTH_TEXTS } from './health/health-texts.ts';
import { RESTORE_TEXTS } from './health/restore-texts.ts';
import { VERIFICATION_TEXTS } from './health/verification-texts.ts';
import { LOOK_FORM_TEXTS } from './merchants/look-form-texts.ts';
import { MERCHANT_TEXTS } from './merchants/merchant-texts.ts';
import { PAYMENT_LINK_TEXTS } from './merchants/payment-link-texts.ts';
import { REFUND_REQUEST_TEXTS } from './payments/refund-request-texts.ts';
import { BANK_FILE_TEXTS } from './payouts/bank-file-texts.ts';
import { PAYEE_TEXTS } from './payouts/payee-texts.ts';
import { PAYOUT_TEXTS } from './payouts/payout-texts.ts';
import { PRIVACY_TEXTS } from './privacy/privacy-texts.ts';
import { REQUEST_TEXTS } from './requests/request-texts.ts';
import { SETTLEMENT_TEXTS } from './settlements/settlement-texts.ts';
import { PERSON_TEXTS } from './staff/person-texts.ts';
import { STAFF_TEXTS } from './staff/staff-texts.ts';
import { BANK_STATEMENT_TEXTS } from './statements/bank-statement-texts.ts';

/** The texts of all screens. Each room lists its texts with `roomTexts` and is included here. Keys are unique. */
export const ROOMS = [
  { es: SPANISH, en: ENGLISH },
  REFUND_REQUEST_TEXTS,
  SETTLE_TEXTS,
  CALLBACK_TEXTS,
  MAIL_TEXTS,
  ACCOUNT_TEXTS,
  MOVEMENT_TEXTS,
  SUSPENSE_TEXTS,
  BANK_ACCOUNT_TEXTS,
  PRIVACY_TEXTS,
  HEALTH_TEXTS,
  RESTORE_TEXTS,
  VERIFICATION_TEXTS,
  MERCHANT_TEXTS,
  LOOK_FORM_TEXTS,
  PAYMENT_LINK_TEXTS,
  REQUEST_TEXTS,
  SETTLEMENT_TEXTS,
  PERSON_TEXTS,
  PAYOUT_TEXTS,
  PAYEE_TEXTS,
  STAFF_TEXTS,
  BANK_FILE_TEXTS,
  BANK_STATEMENT_TEXTS,
] as const satisfies readonly Record<Language, Record<string, string>>[];

type KeysOf<Room> = Room extends { es: infer Texts } ? keyof Texts : never;
export type ConsoleText = KeysOf<(typeof ROOMS)[number]>;

const TEXTS: Record<Language, Record<ConsoleText, string>> = { es: textsOf('es'), en: textsOf('en') };

function textsOf(language: Language): Record<ConsoleText, string> {
  return Object.assign({}, ...ROOMS.map((room) => room[language])) as Record<ConsoleText, string>;
}

/**
 * Returns a text in a language, with `values` filled in. `{n pago|pagos}` counts: "1 pago", "2 pagos". Spanish and
 * English both use the singular for 1 only.
 */
export function tell(language: Language, key: ConsoleText, values: Record<string, string | number> = {}): string {
  return TEXTS[language][key].replace(
    /\{(\w+)(?: ([^|{}]+)\|([^|{}]+))?\}/g,
    (_, name: string, one?: string, many?: string) => {
      const value = values[name] ?? '';
      return one === undefined ? String(value) : `${value} ${String(value) === '1' ? one : many}`;
    },
  );
}

/** Returns several texts, such as the names of columns. */
export function tellAll(language: Language, keys: readonly ConsoleText[]): string[] {
  return keys.map((key) => tell(language, key));
}

/** Returns the text whose key is made of a group and a kind or state; without such a text, the stored word. */
export function tellKind(language: Language, group: string, kind: string, values: Record<string, string> = {}): string {
  const key = `${group}.${kind}`;
  return key in TEXTS[language] ? tell(language, key as ConsoleText, values) : kind;
}
