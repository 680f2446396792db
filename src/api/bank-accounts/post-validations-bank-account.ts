import { validateOnce } from '../../bank-validation/validate-once.ts';
import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { answerLanguage } from '../../http/problem-words.ts';
import { readIdempotencyKey } from '../../http/read-idempotency-key.ts';
import { invalidBody } from '../../http/read-members.ts';
import { readStrictJson } from '../../http/read-strict-json.ts';
import { requireUser } from '../../http/require-user.ts';
import { readAccountInput } from './read-account-input.ts';
import { validationReply } from './validation-reply.ts';
import {
  ACCOUNT_REQUEST_EXAMPLE,
  AccountRequestSchema,
  LANGUAGE_PARAMETER,
  PAYOUTS_ERRORS,
  PENDING_REPLY_EXAMPLE,
  VALIDATION_REPLY_EXAMPLE,
  ValidationReplySchema,
} from './validation-schemas.ts';

const IDEMPOTENCY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'For a day, the same key returns the first result and asks no provider again. While the provider is still checking, the response is 202',
  schema: Type.String({ minLength: 1, maxLength: 200 }),
} as const;

const LIMITS = { depth: 4, members: 64, anyText: true } as const;

/** Validates one bank account and its RUT. */
export const postValidationsBankAccount = operation({
  consumes: ['application/json'],
  describe: {
    operationId: 'validateBankAccount',
    summary: 'Validate a bank account',
    description:
      'Returns a verdict and the checks behind it for every well-formed request. A wrong check character is a verdict, not an error. Without an online provider the best verdict is `plausible`.',
    tag: 'Bank account validation',
    parameters: [LANGUAGE_PARAMETER, IDEMPOTENCY_PARAMETER],
    body: AccountRequestSchema,
    bodyExample: ACCOUNT_REQUEST_EXAMPLE,
    replies: {
      200: {
        description: 'The verdict',
        headers: { 'Idempotency-Hit': 'true if this key was used before' },
        schema: ValidationReplySchema,
        example: VALIDATION_REPLY_EXAMPLE,
      },
      202: {
        description: 'The online provider is still checking. Read `Location` later, or wait for the event.',
        schema: ValidationReplySchema,
        example: PENDING_REPLY_EXAMPLE,
        headers: { Location: 'URL of the validation', 'Retry-After': 'Seconds to wait before reading it' },
      },
    },
    errors: [
      ...PAYOUTS_ERRORS,
      'INVALID_JSON',
      'INVALID_HEADER',
      'DUPLICATE_KEY',
      'INVALID_BODY',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'IDEMPOTENCY_KEY_REUSED',
      'RATE_LIMITED',
      'OUTCOME_UNKNOWN',
    ],
  },
  handle: async (app, request, reply) => {
    const user = await requireUser(app, request);
    const reading = readAccountInput(readStrictJson(request.body as Buffer | undefined, LIMITS));
    if ('errors' in reading) throw invalidBody(reading.errors);
    const key = readIdempotencyKey(request);
    const { validation, replayed } = await validateOnce(app, user, reading.input, key);
    if (replayed) reply.header('idempotency-hit', 'true');
    return validationReply(app, reply, validation, answerLanguage(request.headers['accept-language']));
  },
});
