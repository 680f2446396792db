import { CATALOGUE, type ErrorCode, Problem } from '../error-catalogue.ts';
import { wordsOf } from '../http/problem-words.ts';
import type { Language } from '../lib/language.ts';
import { tell } from './console-texts.ts';

/**
 * Returns the status and texts of an expected refusal. `lines`: the line of each row in the file. Throws every other
 * error again, also NOT_FOUND and the errors of a moved payment service.
 */
export function formRefusal(
  language: Language,
  error: unknown,
  lines: readonly number[] = [],
): { status: number; said: string; errors: string[] } {
  if (!(error instanceof Problem) || OF_WHOLE_PAGE.includes(error.code)) throw error;
  const { title, detail, errors } = wordsOf(error, language);
  const isListed = lines.length > 0 && errors.length > 0 && error.extras.detail === undefined;
  return {
    status: CATALOGUE[error.code].status,
    // The detail repeats the first error, and the list below it has them all, except one of no single payout.
    said: isListed ? `${title}.` : detail.startsWith(title) ? detail : `${title}. ${detail}`,
    errors: (isListed ? errors : errors.filter(({ pointer }) => pointer !== '')).map(({ pointer, message, fix }) => {
      const line = lines[Number(/^\/(\d+)\//.exec(pointer)?.[1] ?? -1)];
      const text = `${message} ${fix}`;
      return line === undefined ? text : tell(language, 'upload.line', { line, text });
    }),
  };
}

/** These errors have a page of their own, in `consoleHandler`. */
const OF_WHOLE_PAGE: readonly ErrorCode[] = ['NOT_FOUND', 'PAYMENT_SERVICE_MOVED', 'PAYMENT_SERVICE_MOVING'];

/** Returns the field of a form that the error is about. `fields`: the fields by their names in requests. */
export function fieldAtFault(error: unknown, fields: Readonly<Record<string, string>>): string | undefined {
  const [first] = error instanceof Problem ? (error.extras.errors ?? []) : [];
  return fields[first?.pointer?.split('/').at(-1) ?? ''];
}
