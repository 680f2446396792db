import { SIGNING_CATALOGUE, type Problem as SigningProblem } from '../../protocol/signing-error.ts';
import { SPANISH_CAUSES } from '../cause-spanish.ts';
import { CATALOGUE, type Problem } from '../error-catalogue.ts';
import type { AnsweredError, ErrorItem } from '../error-item.ts';
import { SPANISH_ERRORS, SPANISH_SIGNING, SPANISH_SIGNING_DETAILS } from '../error-spanish.ts';
import { type Language, preferredLanguage } from '../lib/language.ts';

/** The texts of a problem in one language. */
export type ProblemWords = { title: string; fix: string; detail: string; errors: AnsweredError[] };

/** Returns English, unless the client prefers Spanish. */
export function answerLanguage(acceptLanguage: string | undefined): Language {
  return preferredLanguage(acceptLanguage, ['en', 'es']) ?? 'en';
}

/** Returns the texts of a problem. A missing detail is taken from its errors, or is the fix. */
export function wordsOf({ code, extras }: Problem, language: Language): ProblemWords {
  const { title, fix } = language === 'es' ? SPANISH_ERRORS[code] : CATALOGUE[code];
  const errors = (extras.errors ?? []).map(({ es, ...item }) => (language === 'es' ? { ...item, ...es } : item));
  return { title, fix, errors, detail: extras.detail?.[language] ?? detailOf(errors) ?? fix };
}

function detailOf(errors: readonly AnsweredError[]): string | undefined {
  const [first] = errors;
  if (first === undefined) return undefined;
  // Each cause of a wrong signature has its own fix.
  return Object.hasOwn(SPANISH_CAUSES, first.code)
    ? errors.map(({ message }) => message).join(' ')
    : `${first.message} ${first.fix}`;
}

/** Returns a finding of a body parser in both languages. `field` is null if the whole body is at fault. */
export function signingItem({ code, field, message, fix }: SigningProblem): ErrorItem {
  const isUnsigned = code === 'INVALID_TYPE' && field !== null && !field.startsWith('x_');
  const [predicate, spanishFix] = isUnsigned ? UNSIGNED_TYPE : SPANISH_SIGNING[code];
  const subject = field === null ? 'El cuerpo' : field || 'El nombre vacío';
  const es = { message: `${subject} ${predicate}${spanishDetail(code, message)}.`, fix: spanishFix };
  return { pointer: pointerTo(field), code, message, fix, es };
}

/** Returns the detail after the colon of a message in Spanish. The name of a field stays as it is. */
function spanishDetail(code: SigningProblem['code'], message: string): string {
  const start = `${SIGNING_CATALOGUE[code][0]}: `;
  const at = message.indexOf(start);
  if (at === -1) return '';
  const detail = message.slice(at + start.length, -1);
  const [number = ''] = /(?<=character at |at most )\d+/.exec(detail) ?? [];
  const spanish = SPANISH_SIGNING_DETAILS[number === '' ? detail : detail.replace(number, '*')];
  return `: ${spanish?.replace('*', number) ?? detail}`;
}

/** Returns the JSON pointer of a top-level field; null stands for the whole body. */
export function pointerTo(field: string | null): string {
  return field === null ? '' : `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

const UNSIGNED_TYPE = ['tiene el tipo equivocado', 'Envía el tipo que muestra la referencia de la API.'] as const;
