import type { Language } from '../checkout/texts.ts';
import { ACCOUNT_TEXTS } from './accounts/account-texts.ts';
import { BANK_ACCOUNT_TEXTS } from './bank-accounts/bank-account-texts.ts';
import { CALLBACK_TEXTS } from './callbacks/callback-texts.ts';
import { ENGLISH } from './console-english.ts';
import { SPANISH } from './console-spanish.ts';
import { HEALTH_TEXTS } from './health/health-texts.ts';
import { MERCHANT_TEXTS } from './merchants/merchant-texts.ts';
import { PAYMENT_LINK_TEXTS } from './merchants/payment-link-texts.ts';
import { BANK_FILE_TEXTS } from './payouts/bank-file-texts.ts';
import { PAYEE_TEXTS } from './payouts/payee-texts.ts';
import { PAYOUT_TEXTS } from './payouts/payout-texts.ts';
import { PRIVACY_TEXTS } from './privacy/privacy-texts.ts';
import { REQUEST_TEXTS } from './requests/request-texts.ts';
import { SETTLEMENT_TEXTS } from './settlements/settlement-texts.ts';
import { PERSON_TEXTS } from './staff/person-texts.ts';
import { STAFF_TEXTS } from './staff/staff-texts.ts';

/** What all screens say; a room brings what only its own screens say (`roomTexts`) and stands here. */
const TEXTS = {
  es: {
    ...SPANISH,
    ...CALLBACK_TEXTS.es,
    ...ACCOUNT_TEXTS.es,
    ...BANK_ACCOUNT_TEXTS.es,
    ...PRIVACY_TEXTS.es,
    ...HEALTH_TEXTS.es,
    ...MERCHANT_TEXTS.es,
    ...PAYMENT_LINK_TEXTS.es,
    ...REQUEST_TEXTS.es,
    ...SETTLEMENT_TEXTS.es,
    ...PERSON_TEXTS.es,
    ...PAYOUT_TEXTS.es,
    ...PAYEE_TEXTS.es,
    ...STAFF_TEXTS.es,
    ...BANK_FILE_TEXTS.es,
  },
  en: {
    ...ENGLISH,
    ...CALLBACK_TEXTS.en,
    ...ACCOUNT_TEXTS.en,
    ...BANK_ACCOUNT_TEXTS.en,
    ...PRIVACY_TEXTS.en,
    ...HEALTH_TEXTS.en,
    ...MERCHANT_TEXTS.en,
    ...PAYMENT_LINK_TEXTS.en,
    ...REQUEST_TEXTS.en,
    ...SETTLEMENT_TEXTS.en,
    ...PERSON_TEXTS.en,
    ...PAYOUT_TEXTS.en,
    ...PAYEE_TEXTS.en,
    ...STAFF_TEXTS.en,
    ...BANK_FILE_TEXTS.en,
  },
} satisfies Record<Language, Record<string, string>>;

export type ConsoleText = keyof (typeof TEXTS)['es'];

/** A text of the console in a language, with `values` in the place of their names. */
export function tell(language: Language, key: ConsoleText, values: Record<string, string | number> = {}): string {
  return TEXTS[language][key].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** Several texts, such as the names of columns. */
export function tellAll(language: Language, keys: readonly ConsoleText[]): string[] {
  return keys.map((key) => tell(language, key));
}

/** The same for a key that is made of a state or a kind; without a text of its own it is said as it is stored. */
export function tellKind(language: Language, group: string, kind: string, values: Record<string, string> = {}): string {
  const key = `${group}.${kind}`;
  return key in TEXTS[language] ? tell(language, key as ConsoleText, values) : kind;
}
