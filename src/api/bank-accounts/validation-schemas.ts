import { CHECK_IDS } from '../../bank-validation/check.ts';
import { NAME_GRADES } from '../../bank-validation/holder/holder-checks.ts';
import { RUT_FORMATS } from '../../bank-validation/rut.ts';
import { replyOf, Type } from '../../http/json-schema.ts';

/** The most characters of a name. */
export const LONGEST_NAME = 200;

/** The account to validate, in the shape of the electronic transfers API 1.1.0. */
export const AccountRequestSchema = Type.Object(
  {
    rut: Type.String({ minLength: 1, description: 'RUT of the holder, such as 12345678-5' }),
    bankData: Type.Object(
      {
        bankSBIFNumber: Type.String({ minLength: 1, description: 'Three digits with leading zeros, such as 012' }),
        bankAccount: Type.String({ minLength: 1, description: 'Digits, with leading zeros' }),
      },
      { additionalProperties: false },
    ),
    holderName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: LONGEST_NAME,
        description: 'Name of the holder as you have it. An online provider says how well it matches. It is not stored',
      }),
    ),
    rut_format: Type.Optional(
      Type.String({
        enum: RUT_FORMATS,
        description:
          'Whether a RUT that is only digits ends with its check character; required if it can be read both ways',
      }),
    ),
  },
  { $id: 'BankAccountRequest', additionalProperties: false },
);

export const ACCOUNT_REQUEST_EXAMPLE = {
  rut: '12345678-5',
  bankData: { bankSBIFNumber: '012', bankAccount: '12345678' },
};

/** The source of a check. */
export const ProvenanceSchema = Type.Object(
  {
    kind: Type.String({ enum: ['rule', 'dataset', 'provider'] }),
    name: Type.String(),
    version: Type.Nullable(Type.String()),
    as_of: Type.Nullable(Type.String(), { description: 'Date of the information' }),
    confidence: Type.Nullable(Type.String({ enum: ['high', 'medium', 'low'] })),
    source: Type.Nullable(Type.String()),
  },
  { $id: 'Provenance' },
);

/** One check of a validation. */
export const CheckSchema = Type.Object(
  {
    id: Type.String({ enum: CHECK_IDS }),
    result: Type.String({ enum: ['pass', 'fail', 'warn', 'not_performed', 'error'] }),
    code: Type.Nullable(Type.String(), {
      description: 'Stable code; null if the check passed without remarks',
    }),
    message: Type.String({ description: 'Message in English or Spanish, by `Accept-Language`' }),
    field: Type.String({ description: 'JSON pointer to the field of the request' }),
    grade: Type.Optional(
      Type.String({
        enum: NAME_GRADES,
        description: 'Only for `holder.name_match`: how well `holderName` matches the name of the holder',
      }),
    ),
    provenance: ProvenanceSchema,
  },
  { $id: 'Check' },
);

const SuggestionSchema = Type.Object(
  { field: Type.String(), code: Type.String(), value: Type.String(), message: Type.String() },
  { $id: 'Suggestion' },
);

export const ValidationSchema = Type.Object(
  {
    id: Type.String(),
    state: Type.String({ enum: ['completed', 'pending'] }),
    verdict: Type.String({ enum: ['invalid', 'plausible', 'confirmed', 'mismatch', 'undetermined'] }),
    assurance: Type.String({
      enum: ['format', 'holder'],
      description: '`holder`: a provider said whether the account is of the RUT',
    }),
    isValid: Type.Boolean({ description: 'true for `plausible` and `confirmed`' }),
    rut: Type.Nullable(Type.String(), {
      description: 'RUT in canonical form; null if it is wrong or the validation is read again',
    }),
    readings: Type.Optional(
      Type.Array(Type.Object({ rut_format: Type.String({ enum: RUT_FORMATS }), rut: Type.Nullable(Type.String()) }), {
        description:
          'Only with RUT_CHECK_DIGIT_MAYBE_MISSING: the RUT read with and without its check character; null if that reading is impossible',
      }),
    ),
    bank: Type.Nullable(
      Type.Object({ code: Type.String(), name: Type.Nullable(Type.String()), status: Type.String() }),
    ),
    account: Type.Object({ masked: Type.String() }),
    suggestions: Type.Array(SuggestionSchema),
    expiresAt: Type.Nullable(Type.String(), { description: 'End of validity of the provider’s answer' }),
    validatedAt: Type.String(),
    checks: Type.Array(CheckSchema, {
      description: 'All checks. An id occurs once for each code that the check found',
    }),
  },
  { $id: 'BankAccountValidation' },
);

export const ValidationReplySchema = replyOf('BankAccountValidationReply', ValidationSchema);

export const VALIDATION_EXAMPLE = {
  id: 'bav_0mkfedmo0cbdeeedde06e9b56',
  state: 'completed',
  verdict: 'plausible',
  assurance: 'format',
  isValid: true,
  rut: '12345678-5',
  bank: { code: '012', name: 'Banco del Estado de Chile', status: 'active' },
  account: { masked: '•••••5678' },
  suggestions: [],
  expiresAt: null,
  validatedAt: '2026-01-15T12:00:00.000Z',
  checks: [
    {
      id: 'rut.check_character',
      result: 'pass',
      code: null,
      message: 'The check character is right.',
      field: '/rut',
      provenance: {
        kind: 'rule',
        name: 'rut',
        version: '1',
        as_of: '2026',
        confidence: 'high',
        source: 'modulo 11, as in python-stdnum stdnum/cl/rut.py and the Oracle documentation for Chile',
      },
    },
  ],
};

export const VALIDATION_REPLY_EXAMPLE = {
  message: 'The bank account data is plausible. Who owns the account was not checked.',
  errors: null,
  data: VALIDATION_EXAMPLE,
};

export const PENDING_REPLY_EXAMPLE = {
  message: 'The provider is still checking the bank account.',
  errors: null,
  data: { ...VALIDATION_EXAMPLE, state: 'pending', verdict: 'undetermined', isValid: false },
};

/** The error codes that every endpoint of the transfers part may return. */
export const PAYOUTS_ERRORS = ['PAYOUTS_NOT_ENABLED'] as const;

export const LANGUAGE_PARAMETER = {
  name: 'Accept-Language',
  in: 'header',
  description: 'Language of the messages: en or es',
  schema: Type.String(),
} as const;
