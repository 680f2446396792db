import { validateOnce } from '../../bank-validation/validate-once.ts';
import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { readIdempotencyKey } from '../../http/read-idempotency-key.ts';
import { invalidBody } from '../../http/read-members.ts';
import { readStrictJson } from '../../http/read-strict-json.ts';
import { requireUser } from '../../http/require-user.ts';
import { readAccountInput } from './read-account-input.ts';
import { apiLanguage, validationReply } from './validation-reply.ts';
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
    'Within a day the same key answers with the first result, and no provider is asked twice; while its answer is awaited, with 202',
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
      'Every well-formed request is answered with a verdict and the checks behind it: a wrong check character is a verdict, not an error. Without an online provider the best verdict is `plausible`.',
    tag: 'Bank account validation',
    parameters: [LANGUAGE_PARAMETER, IDEMPOTENCY_PARAMETER],
    body: AccountRequestSchema,
    bodyExample: ACCOUNT_REQUEST_EXAMPLE,
    replies: {
      200: {
        description: 'The verdict',
        headers: { 'Idempotency-Hit': 'true when this key had been answered before' },
        schema: ValidationReplySchema,
        example: VALIDATION_REPLY_EXAMPLE,
      },
      202: {
        description: 'The online provider is still checking: look again at `Location`, or wait for the event.',
        schema: ValidationReplySchema,
        example: PENDING_REPLY_EXAMPLE,
        headers: { Location: 'Where the validation is read', 'Retry-After': 'Seconds after which to look' },
      },
    },
    errors: [
      ...PAYOUTS_ERRORS,
      'INVALID_JSON',
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
    return validationReply(app, reply, validation, apiLanguage(request));
  },
});
