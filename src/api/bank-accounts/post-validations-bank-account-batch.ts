import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import type { User } from '../../auth/user.ts';
import type { Message } from '../../bank-validation/check-messages.ts';
import { RUT_FORMATS, type RutFormat } from '../../bank-validation/rut.ts';
import { type BatchResult, validateBatch } from '../../bank-validation/validate-batch.ts';
import { CATALOGUE, type Problem } from '../../error-catalogue.ts';
import { errorItem } from '../../error-item.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { answerLanguage, wordsOf } from '../../http/problem-words.ts';
import { invalidBody, unknownMember } from '../../http/read-members.ts';
import { readStrictJson } from '../../http/read-strict-json.ts';
import { limitItems } from '../../http/request-limits.ts';
import { requireUser } from '../../http/require-user.ts';
import type { Language } from '../../lib/language.ts';
import { isObject, isRutFormat, readAccountInput, rutFormatError } from './read-account-input.ts';
import { indexProvenances, type ProvenanceIndex, validationJson } from './validation-reply.ts';
import {
  ACCOUNT_REQUEST_EXAMPLE,
  AccountRequestSchema,
  CheckSchema,
  LANGUAGE_PARAMETER,
  PAYOUTS_ERRORS,
  ProvenanceSchema,
  VALIDATION_EXAMPLE,
  ValidationSchema,
} from './validation-schemas.ts';

/** The most items in one batch. */
export const MOST_ITEMS = 1000;
const LONGEST_REFERENCE = 100;
/** Limits of the JSON reader. Ten members per item leave room for unknown members, so that errors can name them. */
const LIMITS = { depth: 4, members: 10 * MOST_ITEMS, anyText: true } as const;

/** Validates up to a thousand bank accounts. */
export const postValidationsBankAccountBatch = operation({
  consumes: ['application/json'],
  bodyLimit: 512 * 1024,
  describe: {
    operationId: 'validateBankAccounts',
    summary: 'Validate up to 1,000 bank accounts',
    description:
      'Returns one result per item, in the order of the items. An item that cannot be read, or is refused while the provider is asked, has an `error` and does not affect the others. A batch that fails with 503 stores nothing, unless the code is OUTCOME_UNKNOWN.',
    tag: 'Bank account validation',
    parameters: [
      {
        name: 'checks',
        in: 'query',
        description:
          '`failed`: only the checks that failed, warn or leave the verdict open, with each provenance listed once in `data.provenance`. Default: `all`',
        schema: Type.String({ enum: ['all', 'failed'] }),
      },
      LANGUAGE_PARAMETER,
    ],
    body: batchSchema(),
    bodyExample: { items: [{ reference: 'payroll-1', ...ACCOUNT_REQUEST_EXAMPLE }] },
    replies: {
      200: { description: 'One result for each item', schema: batchReplySchema(), example: batchReplyExample() },
    },
    errors: [
      ...PAYOUTS_ERRORS,
      'INVALID_PARAMETER',
      'INVALID_JSON',
      'INVALID_BODY',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
    ],
  },
  handle: async (app, request, reply, query) => {
    const user = await requireUser(app, request);
    const provenances = query().checks === 'failed' ? indexProvenances() : null;
    const { items: entries, rutFormat } = readBatch(request);
    const items = entries.map((entry, index) => readItem(entry, index, rutFormat));
    await limitItems(app, request, user.id, items.length);
    const results = await validateItems(app, user, items);
    const language = answerLanguage(request.headers['accept-language']);
    return reply
      .headers({
        'content-type': 'application/json; charset=utf-8',
        'content-language': language,
        vary: 'accept-language',
      })
      .send(batchJson(items, results, language, provenances));
  },
});

type Item = { reference: string | null; reading: ReturnType<typeof readAccountInput> };

function readBatch(request: FastifyRequest): { items: unknown[]; rutFormat: RutFormat | null } {
  const { items, rut_format: rutFormat, ...others } = readStrictJson(request.body as Buffer | undefined, LIMITS);
  const [stranger] = Object.keys(others);
  if (stranger !== undefined) throw invalidBody([unknownMember(stranger, ['items', 'rut_format'])]);
  if (!Array.isArray(items)) {
    const code = items === undefined ? 'MISSING_FIELD' : 'INVALID_TYPE';
    throw wrongBatch('/items', code, 'items is not an array.', 'items no es un arreglo.');
  }
  const { length } = items;
  if (length < 1 || length > MOST_ITEMS) {
    throw wrongBatch('/items', 'INVALID_LENGTH', `items has ${length} entries.`, `items tiene ${length} elementos.`);
  }
  if (!isRutFormat(rutFormat)) throw invalidBody([rutFormatError('')]);
  return { items, rutFormat: rutFormat ?? null };
}

function wrongBatch(pointer: string, code: string, message: string, spanish: string): Problem {
  const fix = `Send only items, an array of 1 to ${MOST_ITEMS} objects, and rut_format if you like.`;
  const spanishFix = `Envía solo items, un arreglo de 1 a ${MOST_ITEMS} objetos, y rut_format si quieres.`;
  return invalidBody([errorItem(pointer, code, [message, fix, spanish, spanishFix])]);
}

function readItem(item: unknown, index: number, rutFormat: RutFormat | null): Item {
  const pointer = `/items/${index}`;
  if (!isObject(item)) {
    const words = [
      'The item is not an object.',
      'Send an object with rut, bankData and, if you like, reference.',
      'El elemento no es un objeto.',
      'Envía un objeto con rut, bankData y, si quieres, reference.',
    ] as const;
    return { reference: null, reading: { errors: [errorItem(pointer, 'INVALID_TYPE', words)] } };
  }
  const reading = readAccountInput(item, pointer, ['reference'], rutFormat);
  const { reference = null } = item;
  if (reference === null || (typeof reference === 'string' && reference.length <= LONGEST_REFERENCE))
    return { reference, reading };
  const error = errorItem(`${pointer}/reference`, 'INVALID_REFERENCE', [
    'The reference cannot be used.',
    `Send a text of at most ${LONGEST_REFERENCE} characters, or leave it out.`,
    'La referencia no se puede usar.',
    `Envía un texto de ${LONGEST_REFERENCE} caracteres como máximo, o no la envíes.`,
  ]);
  return { reference: null, reading: { errors: 'errors' in reading ? [...reading.errors, error] : [error] } };
}

/** Returns one result per item, in order. An unreadable item has an error as its result. */
async function validateItems(app: App, user: User, items: readonly Item[]): Promise<BatchResult[]> {
  const inputs = items.flatMap(({ reading }) => ('input' in reading ? [reading.input] : []));
  const validated = (await validateBatch(app, user, inputs)).values();
  return items.map(({ reading }) =>
    'input' in reading ? (validated.next().value as BatchResult) : { problem: invalidBody(reading.errors) },
  );
}

function batchJson(
  items: readonly Item[],
  results: readonly BatchResult[],
  language: Language,
  provenances: ProvenanceIndex | null,
): Buffer {
  const summary = {
    total: results.length,
    invalid: 0,
    plausible: 0,
    confirmed: 0,
    mismatch: 0,
    undetermined: 0,
    errors: 0,
  };
  const lines = results.flatMap((result, index) => {
    const before = `${index === 0 ? '' : ','}{"reference":${JSON.stringify(items[index]?.reference ?? null)},"error":`;
    if ('problem' in result) {
      summary.errors++;
      return Buffer.from(`${before}${JSON.stringify(errorOf(result.problem, language))}}`);
    }
    summary[result.validation.verdict]++;
    return validationJson(result.validation, language, `${before}null,`, provenances);
  });
  const before = `{"message":"${messageOf(results.length - summary.errors)[language]}","errors":null,"data":{"summary":${JSON.stringify(summary)},"results":[`;
  const after = provenances === null ? '' : `,"provenance":${JSON.stringify(provenances.list)}`;
  return Buffer.concat([Buffer.from(before), ...lines, Buffer.from(`]${after}}}`)]);
}

function messageOf(count: number): Message {
  if (count === 1) return { en: '1 account was checked.', es: '1 cuenta revisada.' };
  return { en: `${count} accounts were checked.`, es: `${count} cuentas revisadas.` };
}

function errorOf(problem: Problem, language: Language) {
  const { detail, errors } = wordsOf(problem, language);
  return { status: CATALOGUE[problem.code].status, code: problem.code, detail, errors };
}

function batchSchema() {
  const { rut, bankData, holderName, rut_format } = AccountRequestSchema.properties;
  const reference = Type.String({
    maxLength: LONGEST_REFERENCE,
    description: 'Your own reference, returned with the result',
  });
  const item = Type.Object(
    { reference: Type.Optional(reference), rut, bankData, holderName, rut_format },
    { additionalProperties: false },
  );
  const items = Type.Array(item, { minItems: 1, maxItems: MOST_ITEMS });
  const ofAll = Type.String({ enum: RUT_FORMATS, description: 'Default for items without their own `rut_format`' });
  return Type.Object(
    { items, rut_format: Type.Optional(ofAll) },
    { $id: 'BankAccountBatch', additionalProperties: false },
  );
}

function batchReplySchema() {
  const count = Type.Integer();
  const summary = Type.Object({
    total: count,
    invalid: count,
    plausible: count,
    confirmed: count,
    mismatch: count,
    undetermined: count,
    errors: count,
  });
  const reference = Type.Nullable(Type.String());
  const error = Type.Object({
    status: Type.Integer(),
    code: Type.String(),
    detail: Type.String(),
    errors: Type.Array(Type.Any()),
  });
  const place = Type.Integer({ description: 'With `checks=failed`: index in `data.provenance`' });
  const check = Type.Object({
    ...CheckSchema.properties,
    provenance: Type.Union([ProvenanceSchema, place]),
  });
  const validation = Type.Object({ ...ValidationSchema.properties, checks: Type.Array(check) });
  const result = Type.Union([
    Type.Intersect([Type.Object({ reference, error: Type.Null() }), validation]),
    Type.Object({ reference, error }),
  ]);
  const provenance = Type.Optional(Type.Array(ProvenanceSchema, { description: 'Only with `checks=failed`' }));
  return replyOf('BankAccountBatchReply', Type.Object({ summary, results: Type.Array(result), provenance }));
}

function batchReplyExample() {
  return {
    message: '1 account was checked.',
    errors: null,
    data: {
      summary: { total: 1, invalid: 0, plausible: 1, confirmed: 0, mismatch: 0, undetermined: 0, errors: 0 },
      results: [{ reference: 'payroll-1', error: null, ...VALIDATION_EXAMPLE }],
    },
  };
}
