export { currencyExponent } from './currency-exponents.ts';
export { type GrammarOptions, parseAmount } from './field-grammar.ts';
export { CALLBACK_FIELDS, REQUEST_FIELDS, UNSIGNED_FIELDS } from './field-names.ts';
export { type Problem, SigningError } from './signing-error.ts';
export { signWebhook, webhookKey } from './webhook-signature.ts';
