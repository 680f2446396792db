/**
 * One error in a request, in one language. `pointer` is a JSON pointer into the body, or a header or parameter name.
 */
export type AnsweredError = { pointer: string; code: string } & ErrorWords;

/** The same in English and, in `es`, in Spanish. */
export type ErrorItem = AnsweredError & { es: ErrorWords };

type ErrorWords = { message: string; fix: string };

/** `words`: message and fix in English, then in Spanish. */
export function errorItem(pointer: string, code: string, words: readonly [string, string, string, string]): ErrorItem {
  const [message, fix, spanish, spanishFix] = words;
  return { pointer, code, message, fix, es: { message: spanish, fix: spanishFix } };
}
