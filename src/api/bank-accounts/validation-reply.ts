import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { type Check, isValid, leavesOpen, type Provenance, type Verdict } from '../../bank-validation/check.ts';
import { type Language, PENDING_MESSAGE, VERDICT_MESSAGES } from '../../bank-validation/check-messages.ts';
import { nameGradeOf } from '../../bank-validation/holder/holder-checks.ts';
import type { Validation } from '../../bank-validation/stored-validation.ts';
import type { Static } from '../../http/json-schema.ts';
import { preferredLanguage } from '../../lib/accept-language.ts';
import type { CheckSchema, ValidationSchema } from './validation-schemas.ts';

/** The language that a client of the API asks for; English when it asks for none that we speak. */
export function apiLanguage(request: FastifyRequest): Language {
  return preferredLanguage(request.headers['accept-language'], ['en', 'es']) ?? 'en';
}

/** Answers one validation: 200 with its verdict, or 202 and where to look while the provider is still checking. */
export function sendValidation(
  app: App,
  reply: FastifyReply,
  validation: Validation,
  language: Language,
): FastifyReply {
  const pending = validation.state === 'pending';
  const message = (pending ? PENDING_MESSAGE : VERDICT_MESSAGES[validation.verdict])[language];
  if (pending) {
    reply.code(202);
    reply.header('location', `${app.config.basePath}/validations/BankAccount/${validation.id}`);
    reply.header('retry-after', '2');
  }
  const before = `{"message":${JSON.stringify(message)},"errors":null,"data":{`;
  return reply
    .headers({
      'content-type': 'application/json; charset=utf-8',
      'content-language': language,
      vary: 'accept-language',
    })
    .send(Buffer.concat([...validationJson(validation, language, before), END_OF_DATA]));
}

const END_OF_DATA = Buffer.from('}');

/**
 * A validation as JSON, in pieces; `before` is what stands before its first member, an opening brace at least. Bytes and
 * not text, because text of this length is measured, copied and widened before it is bytes. With `provenances` it has the
 * checks alone that did not pass, each with the place of its provenance.
 */
export function validationJson(
  validation: Validation,
  language: Language,
  before: string,
  provenances: ProvenanceIndex | null = null,
): Buffer[] {
  const { id, state, verdict, rut, readings, bank, maskedAccount, suggestions, expiresAt, validatedAt } = validation;
  const head: Omit<Static<typeof ValidationSchema>, 'checks'> = {
    id,
    state,
    verdict,
    assurance: assuranceOf(verdict),
    isValid: isValid(verdict),
    rut,
    ...(readings.length > 0 && { readings: readings.map((one) => ({ rut_format: one.format, rut: one.rut })) }),
    bank,
    account: { masked: maskedAccount },
    suggestions: suggestions.map((one) => ({ ...one, message: one.message[language] })),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    validatedAt: new Date(validatedAt).toISOString(),
  };
  const [first = NOTHING, ...others] =
    provenances === null
      ? validation.checks.map((check) => checkJson(check, language))
      : validation.checks.filter(isOpenOrFailed).map((check) => shortCheckJson(check, language, provenances));
  return [
    Buffer.from(`${before}${JSON.stringify(head).slice(1, -1)},"checks":[`),
    first.subarray(1),
    ...others,
    END_OF_CHECKS,
  ];
}

/** The sources of the checks, each once, in the order in which they were first met. */
export type ProvenanceIndex = { readonly list: readonly Provenance[]; placeOf(provenance: Provenance): number };

/** An index of nothing yet. */
export function indexProvenances(): ProvenanceIndex {
  const places = new Map<string, number>();
  const list: Provenance[] = [];
  return {
    list,
    placeOf: (provenance) => {
      const key = JSON.stringify(provenance);
      const place = places.get(key) ?? list.push(provenance) - 1;
      places.set(key, place);
      return place;
    },
  };
}

function isOpenOrFailed(check: Check): boolean {
  return check.result === 'fail' || check.result === 'warn' || leavesOpen(check);
}

/** With a comma in front, as all others. */
function shortCheckJson(check: Check, language: Language, provenances: ProvenanceIndex): Buffer {
  const provenance = provenances.placeOf(check.provenance);
  return Buffer.from(
    `,${JSON.stringify({ ...check, message: check.message[language], provenance, ...gradeOf(check) })}`,
  );
}

const NOTHING = Buffer.alloc(0);

const END_OF_CHECKS = Buffer.from(']}');

/** `holder` only where somebody who knows the holder has spoken: nobody shall read `isValid` as ownership. */
function assuranceOf(verdict: Verdict): 'format' | 'holder' {
  return verdict === 'confirmed' || verdict === 'mismatch' ? 'holder' : 'format';
}

/** The check of the name says in one word how well it fits. */
function gradeOf(check: Check): Pick<Static<typeof CheckSchema>, 'grade'> {
  return check.id === 'holder.name_match' ? { grade: nameGradeOf(check) } : {};
}

// Most checks are shared by all answers, and writing them out anew would be the dearest part of an answer.
const WRITTEN = { en: new WeakMap<Check, Buffer>(), es: new WeakMap<Check, Buffer>() };

/** With a comma in front. */
function checkJson(check: Check, language: Language): Buffer {
  let json = WRITTEN[language].get(check);
  if (json === undefined) {
    const told: Static<typeof CheckSchema> = { ...check, message: check.message[language], ...gradeOf(check) };
    json = Buffer.from(`,${JSON.stringify(told)}`);
    WRITTEN[language].set(check, json);
  }
  return json;
}
