import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import type { BankView } from '../../bank-validation/bank-findings.ts';
import {
  type Check,
  isValid,
  leavesOpen,
  type Provenance,
  type Verdict,
  verdictMessage,
} from '../../bank-validation/check.ts';
import { PENDING_MESSAGE } from '../../bank-validation/check-messages.ts';
import { nameGradeOf } from '../../bank-validation/holder/holder-checks.ts';
import type { Validation } from '../../bank-validation/stored-validation.ts';
import type { Written } from '../../http/endpoint.ts';
import type { Static } from '../../http/json-schema.ts';
import { isoTime } from '../../lib/iso-time.ts';

import type { Language } from '../../lib/language.ts';
import { perInstance } from '../../lib/per-instance.ts';
import type { CheckSchema, ValidationReplySchema } from './validation-schemas.ts';

/**
 * Returns the response body and sets status and headers: 200 with the verdict, or 202 with `Location` and `Retry-After`
 * while the provider is still checking.
 */
export function validationReply(
  app: App,
  reply: FastifyReply,
  validation: Validation,
  language: Language,
): Written<Static<typeof ValidationReplySchema>> {
  const pending = validation.state === 'pending';
  const message = (pending ? PENDING_MESSAGE : verdictMessage(validation.verdict, validation.checks))[language];
  if (pending) {
    reply.code(202);
    reply.header('location', `${app.config.basePath}/validations/BankAccount/${validation.id}`);
    reply.header('retry-after', '2');
  }
  const before = `{"message":"${message}","errors":null,"data":{`;
  reply.headers({
    'content-type': 'application/json; charset=utf-8',
    'content-language': language,
    vary: 'accept-language',
  });
  const body = Buffer.concat([...validationJson(validation, language, before), CLOSING_BRACE]);
  return body as Written<Static<typeof ValidationReplySchema>>;
}

const CLOSING_BRACE = Buffer.from('}');

/**
 * Returns a validation as JSON, in pieces. `before` is the text before its first member, at least an opening brace. The
 * pieces are bytes, because a text of this length would be measured, copied and widened before it becomes bytes. With
 * `provenances`, only checks that failed, warned or stayed open are included, each with the index of its provenance.
 */
export function validationJson(
  validation: Validation,
  language: Language,
  before: string,
  provenances: ProvenanceIndex | null = null,
): Uint8Array[] {
  const checks =
    provenances === null
      ? checksJson(validation.checks, language)
      : Buffer.from(JSON.stringify(shortChecks(validation.checks, language, provenances)));
  return [Buffer.from(`${before}${headJson(validation, language)},"checks":`), checks, CLOSING_BRACE];
}

/**
 * Returns the members before the checks; they differ in every response. Ids, RUTs, masks and our own codes hold nothing
 * that JSON would escape.
 */
function headJson(validation: Validation, language: Language): string {
  const { id, state, verdict, rut, readings, bank, maskedAccount, suggestions, expiresAt, validatedAt } = validation;
  const judged = `"verdict":"${verdict}","assurance":"${assuranceOf(verdict)}","isValid":${isValid(verdict)}`;
  const holder = `"rut":${quoted(rut)}${readings.length === 0 ? '' : `,"readings":${readingsJson(readings)}`}`;
  const account = `"bank":${bank === null ? 'null' : bankJson(bank)},"account":{"masked":"${maskedAccount}"}`;
  const advice = suggestions.length === 0 ? '[]' : suggestionsJson(suggestions, language);
  const times = `"expiresAt":${quoted(isoTime(expiresAt))},"validatedAt":${quoted(isoTime(validatedAt))}`;
  return `"id":"${id}","state":"${state}",${judged},${holder},${account},"suggestions":${advice},${times}`;
}

function quoted(text: string | null): string {
  return text === null ? 'null' : `"${text}"`;
}

function readingsJson(readings: Validation['readings']): string {
  return JSON.stringify(readings.map((one) => ({ rut_format: one.format, rut: one.rut })));
}

/** Caches the JSON of each bank. All responses share one object per bank while the bank list stays the same. */
const bankJson = perInstance((bank: BankView) => JSON.stringify(bank));

function suggestionsJson(suggestions: Validation['suggestions'], language: Language): string {
  return JSON.stringify(suggestions.map((one) => ({ ...one, message: one.message[language] })));
}

/** The provenances of the checks, each once, in the order of first use. */
export type ProvenanceIndex = { readonly list: readonly Provenance[]; placeOf(provenance: Provenance): number };

/** Creates an empty index. */
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

function shortChecks(checks: readonly Check[], language: Language, provenances: ProvenanceIndex): object[] {
  return checks.filter(isOpenOrFailed).map((check) => {
    const provenance = provenances.placeOf(check.provenance);
    return { ...check, message: check.message[language], provenance, ...gradeOf(check) };
  });
}

/**
 * Returns `holder` only when a source that knows the holder has said yes or no: `isValid` must not be read as proof of
 * ownership.
 */
function assuranceOf(verdict: Verdict): 'format' | 'holder' {
  return verdict === 'confirmed' || verdict === 'mismatch' ? 'holder' : 'format';
}

/** Adds `grade` to the check of the holder's name: how well the name fits. */
function gradeOf(check: Check): Pick<Static<typeof CheckSchema>, 'grade'> {
  return check.id === 'holder.name_match' ? { grade: nameGradeOf(check) } : {};
}

/** A node of a tree of check sequences: the JSON of the checks from the root to this node, and the next nodes. */
type KeptChecks = { json: Uint8Array | null; readonly next: Map<Check, KeptChecks> };

// Caches the JSON of check sequences. Most responses have the same checks in the same order, and writing them would be
// the most expensive part of a response.
const WRITTEN: Record<Language, KeptChecks> = {
  en: { json: null, next: new Map() },
  es: { json: null, next: new Map() },
};

/** Each cached sequence takes 5 KB, and clients choose which sequences occur. At this number the cache is emptied. */
const MOST_WRITTEN = 256;
let written = 0;

function checksJson(checks: readonly Check[], language: Language): Uint8Array {
  let at = WRITTEN[language];
  for (const check of checks) {
    let next = at.next.get(check);
    if (next === undefined) at.next.set(check, (next = { json: null, next: new Map() }));
    at = next;
  }
  if (at.json !== null) return at.json;
  if (++written > MOST_WRITTEN) {
    written = 0;
    for (const { next } of Object.values(WRITTEN)) next.clear();
  }
  const told = checks.map(
    (check): Static<typeof CheckSchema> => ({ ...check, message: check.message[language], ...gradeOf(check) }),
  );
  // Bytes with memory of their own: a small part of the pool of buffers would keep all of it.
  return (at.json = new TextEncoder().encode(JSON.stringify(told)));
}
