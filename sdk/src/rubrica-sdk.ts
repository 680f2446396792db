export { type Cause, type ExplainOptions, type Explanation, explain } from '../../protocol/explain-signature.ts';
export type { GrammarOptions } from '../../protocol/field-grammar.ts';
export { computeSignature, type SigningKey, signatureMatches, signingKey } from '../../protocol/hmac.ts';
export type { OtherSecret } from '../../protocol/key-hypotheses.ts';
export { type RequestInput, type SignedRequest, sign, signAsync } from '../../protocol/sign-fields.ts';
export type { CauseCode, ProgramLanguage as Language } from '../../protocol/signature-causes.ts';
export { type Problem, type SigningCode, SigningError } from '../../protocol/signing-error.ts';
export {
  type CallbackData,
  type CallbackVerification,
  compareWithOrder,
  type ExpectedOrder,
  type VerifyCallbackOptions,
  verifyCallback,
  verifyCallbackAsync,
} from '../../protocol/verify-callback.ts';
export {
  type Notice,
  type NoticeVerification,
  type VerifyNoticeOptions,
  verifyNotice,
  verifyNoticeAsync,
} from '../../protocol/verify-notice.ts';
export { signWebhook, webhookKey } from '../../protocol/webhook-signature.ts';
export type * as Api from './api-types.ts';
export type { KeyOption, LanguageOption, Order, RubricaClientOptions } from './client-options.ts';
export { createRubricaClient, type RubricaClient } from './rubrica-client.ts';
export { RubricaError, type RubricaErrorCode } from './rubrica-error.ts';
export type { Fetch } from './send-request.ts';
