import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../http/html.ts';
import type { Language } from '../lib/language.ts';
import { type ConsoleText, tell } from './console-texts.ts';

/** Why a form was refused; `said` is empty if it was not. `field`: the name of the field at fault, if it is one. */
export type Fault = { said: string; field?: string | undefined };

/**
 * Shows why something was refused; nothing for an empty text. Screen readers announce it at once. If a field is at
 * fault, the text leads to it.
 */
export function alertNotice(refused: string | Fault): Html {
  const fault = faultOf(refused);
  return fault.said === '' ? html`` : html`<p class="notice" role="alert">${linkToField(fault)}</p>`;
}

/** Returns the text as a link to the field at fault. */
export function linkToField({ said, field }: Fault): Html | string {
  return field === undefined ? said : html`<a href="#refused">${said}</a>`;
}

/**
 * Shows a field of a form, and beside it why it was refused, if it is at fault. `show` puts the attributes into the
 * field. `hint`: the id of the text that explains the field.
 */
export function formField(refused: string | Fault, name: string, show: (attributes: Html | false) => Html, hint = '') {
  const { said, field } = faultOf(refused);
  if (field !== name) return show(hint !== '' && html` aria-describedby="${hint}"`);
  const describedBy = ['refused-why', hint].join(' ').trim();
  return html`${show(html` id="refused" aria-invalid="true" aria-describedby="${describedBy}"`)}
<p class="refused" id="refused-why">${said}</p>`;
}

function faultOf(refused: string | Fault): Fault {
  return typeof refused === 'string' ? { said: refused } : refused;
}

/** Shows that something was done. */
export function doneNotice(text: string): Html {
  return html`<p class="notice done" role="status">${text}</p>`;
}

/** Shows the refusal; without one, the result of the previous form, whose text `done` in the address names. */
export function resultNotice(
  { request, language }: { request: FastifyRequest; language: Language },
  texts: Readonly<Record<string, ConsoleText>>,
  refused: string | Fault = '',
): Html | false {
  if (faultOf(refused).said !== '') return alertNotice(refused);
  const { done } = request.query as Record<string, unknown>;
  const text = typeof done === 'string' && Object.hasOwn(texts, done) ? texts[done] : undefined;
  return text !== undefined && doneNotice(tell(language, text));
}
