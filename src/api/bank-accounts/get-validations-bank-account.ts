import { findValidation } from '../../bank-validation/find-validation.ts';
import { notFound } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { answerLanguage } from '../../http/problem-words.ts';
import { requireUser } from '../../http/require-user.ts';
import { validationReply } from './validation-reply.ts';
import {
  LANGUAGE_PARAMETER,
  PAYOUTS_ERRORS,
  PENDING_REPLY_EXAMPLE,
  VALIDATION_REPLY_EXAMPLE,
  ValidationReplySchema,
} from './validation-schemas.ts';

/** Returns the current state of a validation that the user requested. */
export const getValidationsBankAccount = operation({
  describe: {
    operationId: 'readBankAccountValidation',
    summary: 'Read a validation',
    description: 'Returns a stored validation. Its RUT is null, because the RUT is not stored.',
    tag: 'Bank account validation',
    parameters: [
      { name: 'id', in: 'path', required: true, description: 'Id of the validation', schema: Type.String() },
      LANGUAGE_PARAMETER,
    ],
    replies: {
      200: { description: 'The validation', schema: ValidationReplySchema, example: VALIDATION_REPLY_EXAMPLE },
      202: {
        description: 'The online provider is still checking',
        schema: ValidationReplySchema,
        example: PENDING_REPLY_EXAMPLE,
      },
    },
    errors: [...PAYOUTS_ERRORS, 'NOT_FOUND'],
  },
  handle: async (app, request, reply) => {
    const user = await requireUser(app, request);
    const { id } = request.params as { id: string };
    const validation = await findValidation(app, user, id);
    if (validation === null) throw notFound('There is no such validation.', 'No existe esa validación.');
    return validationReply(app, reply, validation, answerLanguage(request.headers['accept-language']));
  },
});
