import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../http/html.ts';
import type { Language } from '../lib/language.ts';
import { type ConsoleText, tell } from './console-texts.ts';

/** Shows why something was refused; nothing for an empty text. Screen readers announce it at once. */
export function alertNotice(text: string): Html {
  return text === '' ? html`` : html`<p class="notice" role="alert">${text}</p>`;
}

/** Shows that something was done. */
export function doneNotice(text: string): Html {
  return html`<p class="notice done" role="status">${text}</p>`;
}

/** Shows the refusal `said`; without one, the result of the previous form, whose text `done` in the address names. */
export function resultNotice(
  { request, language }: { request: FastifyRequest; language: Language },
  texts: Readonly<Record<string, ConsoleText>>,
  said = '',
): Html | false {
  if (said !== '') return alertNotice(said);
  const { done } = request.query as Record<string, unknown>;
  const text = typeof done === 'string' && Object.hasOwn(texts, done) ? texts[done] : undefined;
  return text !== undefined && doneNotice(tell(language, text));
}
