import { type CauseCode, FIXES } from '../../protocol/signature-causes.ts';
import { SIGNING_CATALOGUE, type SigningCode } from '../../protocol/signing-error.ts';
import { SPANISH_CAUSES } from '../cause-spanish.ts';
import { CATALOGUE, type ErrorCode } from '../error-catalogue.ts';
import { SPANISH_ERRORS, SPANISH_SIGNING } from '../error-spanish.ts';
import { foldText } from '../lib/fold-text.ts';
import type { Language } from '../lib/language.ts';

/** The source of the error: the service, the explainer of refused signatures, or the SDK in the shop. */
export type ErrorKind = 'service' | 'signature' | 'sdk';

/** `status` is null for a code that is never a response by itself. */
export type ListedError = { code: string; kind: ErrorKind; status: number | null; title: string; fix: string };

/** Lists every code with its title and fix in one language: of the service, of refused signatures, of the SDK only. */
export function listErrors(language: Language): ListedError[] {
  const service = Object.entries(CATALOGUE).map(([code, entry]): ListedError => {
    const { title, fix } = language === 'es' ? SPANISH_ERRORS[code as ErrorCode] : entry;
    return { code, kind: 'service', status: entry.status, title, fix };
  });
  const signature = Object.entries(FIXES).map(([code, { fix }]): ListedError => {
    const said = language === 'es' ? SPANISH_CAUSES[code as CauseCode] : fix;
    return {
      code,
      kind: 'signature',
      status: CATALOGUE.SIGNATURE_INVALID.status,
      title: firstSentence(said),
      fix: said,
    };
  });
  const sdk = Object.entries(SIGNING_CATALOGUE).flatMap(([code, english]): ListedError[] => {
    if (Object.hasOwn(CATALOGUE, code)) return [];
    const [predicate, fix] = language === 'es' ? SPANISH_SIGNING[code as SigningCode] : english;
    const title = `${language === 'es' ? 'Un campo o el cuerpo' : 'A field or the body'} ${predicate}`;
    return [{ code, kind: 'sdk', status: null, title, fix }];
  });
  return [...service, ...signature, ...sdk];
}

/**
 * Finds the errors that have every word in their code, status or texts, in either language. `words` come from
 * `wordsIn`.
 */
export function findErrors(words: readonly string[], language: Language): ListedError[] {
  const other = new Map(listErrors(language === 'es' ? 'en' : 'es').map((error) => [error.code, error]));
  return listErrors(language).filter((error) => {
    const texts = [error, other.get(error.code)].flatMap((one) => [one?.code, one?.status, one?.title, one?.fix]);
    const all = foldText(texts.join(' '));
    return words.every((word) => all.includes(word));
  });
}

function firstSentence(text: string): string {
  const end = text.search(/[.:](?= |$)/);
  return end === -1 ? text : text.slice(0, end);
}
