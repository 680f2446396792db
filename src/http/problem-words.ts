import type { SigningCode } from '../../protocol/signing-error.ts';
import { SPANISH_CAUSES } from '../cause-spanish.ts';
import { CATALOGUE, type ErrorItem, type Problem } from '../error-catalogue.ts';
import { SPANISH_ERRORS, SPANISH_SIGNING } from '../error-spanish.ts';
import { preferredLanguage } from '../lib/accept-language.ts';

export type AnswerLanguage = 'en' | 'es';

/** The words of a problem in one language. `errors` are as they are answered. */
export type ProblemWords = { title: string; fix: string; detail: string; errors: ErrorItem[] };

/** English, unless the client asks for Spanish. */
export function answerLanguage(acceptLanguage: string | undefined): AnswerLanguage {
  return preferredLanguage(acceptLanguage, ['en', 'es']) ?? 'en';
}

/** The words of a problem. A detail that it does not have is told from its errors, or is the fix. */
export function wordsOf({ code, extras }: Problem, language: AnswerLanguage): ProblemWords {
  const { title, fix } = language === 'es' ? SPANISH_ERRORS[code] : CATALOGUE[code];
  const errors = (extras.errors ?? []).map((item) => itemIn(item, language));
  return { title, fix, errors, detail: extras.detail?.[language] ?? detailOf(errors) ?? fix };
}

function detailOf(errors: readonly ErrorItem[]): string | undefined {
  const [first] = errors;
  if (first === undefined) return undefined;
  // Each cause of a wrong signature says its fix itself.
  return Object.hasOwn(SPANISH_CAUSES, first.code)
    ? errors.map(({ message }) => message).join(' ')
    : `${first.message} ${first.fix}`;
}

function itemIn({ es, ...item }: ErrorItem, language: AnswerLanguage): ErrorItem {
  if (language === 'en') return item;
  if (es !== undefined) return { ...item, ...es };
  if (Object.hasOwn(SPANISH_CAUSES, item.code)) {
    return { ...item, message: SPANISH_CAUSES[item.code as keyof typeof SPANISH_CAUSES] };
  }
  const name = item.pointer.split('/').at(-1)?.replaceAll('~1', '/').replaceAll('~0', '~') ?? '';
  const words = (name.startsWith('x_') ? undefined : UNSIGNED[item.code]) ?? SPANISH_SIGNING[item.code as SigningCode];
  if (words === undefined) return item;
  return { ...item, message: `${name === '' ? 'El cuerpo' : name} ${words[0]}.`, fix: words[1] };
}

/** Where nothing is signed. */
const UNSIGNED: Readonly<Record<string, readonly [predicate: string, fix: string]>> = {
  MISSING_FIELD: ['falta', 'Envíalo.'],
  EMPTY_FIELD: ['está vacío', 'Dale un valor.'],
  INVALID_TYPE: ['tiene el tipo equivocado', 'Envía el tipo que muestra la referencia de la API.'],
  UNKNOWN_FIELD: ['no va aquí', 'Envía solo los campos que muestra la referencia de la API.'],
};
