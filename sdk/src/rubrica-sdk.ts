export type * as Api from './api-types.ts';
export { type Cause, type ExplainOptions, type Explanation, explain } from './explain-signature.ts';
export type { GrammarOptions } from './field-grammar.ts';
export { computeSignature, type SigningKey, signatureMatches, signingKey } from './hmac.ts';
export type { OtherSecret } from './key-hypotheses.ts';
export {
  createRubricaClient,
  type KeyOption,
  type LanguageOption,
  type Order,
  type RubricaClient,
  type RubricaClientOptions,
} from './rubrica-client.ts';
export { RubricaError, type RubricaErrorCode } from './rubrica-error.ts';
export type { Fetch } from './send-request.ts';
export { type RequestInput, type SignedRequest, sign } from './sign-fields.ts';
export type { CauseCode, Language } from './signature-causes.ts';
export { type Problem, type SigningCode, SigningError } from './signing-error.ts';
export {
  type CallbackData,
  type CallbackVerification,
  compareWithOrder,
  type ExpectedOrder,
  type VerifyCallbackOptions,
  verifyCallback,
} from './verify-callback.ts';
export { signWebhook, webhookKey } from './webhook-signature.ts';
