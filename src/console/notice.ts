import type { FastifyRequest } from 'fastify';
import { type Html, html } from '../http/html.ts';
import { beginSentence } from '../lib/begin-sentence.ts';
import type { Language } from '../lib/language.ts';
import type { Cause } from '../outbox/endpoints/answer-cause.ts';
import { type ConsoleText, tell } from './console-texts.ts';

/** Why a form was refused; `said` is empty if it was not. `field`: the field at fault, as `formField` names it. */
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
  return field === undefined ? said : html`<a href="#refused-${field}">${said}</a>`;
}

/**
 * Shows a field of a form, and beside it why it was refused, if it is at fault; then the page opens in this field.
 * `show` puts the attributes into the field. `hint`: the id of the text that explains the field.
 */
export function formField(refused: string | Fault, name: string, show: (attributes: Html | false) => Html, hint = '') {
  if (!isAtFault(refused, name)) return show(hint !== '' && html` aria-describedby="${hint}"`);
  const why = `refused-${name}-why`;
  const describedBy = hint === '' ? why : `${why} ${hint}`;
  return html`${show(html` id="refused-${name}" aria-invalid="true" aria-describedby="${describedBy}" autofocus`)}
<p class="refused" id="${why}">${faultOf(refused).said}</p>`;
}

/** Whether this field is at fault. */
export function isAtFault(refused: string | Fault, name: string): boolean {
  return faultOf(refused).field === name;
}

/** Shows radio buttons under one name, as `formField` does. `choices`: each with its label. */
export function radioField(refused: string | Fault, name: string, legend: string, choices: readonly Html[]): Html {
  return formField(
    refused,
    name,
    (attributes) => html`<fieldset role="radiogroup" tabindex="-1"${attributes}><legend>${legend}</legend>
${choices}
</fieldset>`,
  );
}

/**
 * Shows the field for the reason of an act. `as`: how `Fault` names it, where a page has several.
 */
export function reasonField(
  language: Language,
  refused: string | Fault,
  { value = '', as = 'reason', isOptional = false }: { value?: string | undefined; as?: string; isOptional?: boolean },
): Html {
  const hint = `${as}-hint`;
  const label = tell(language, isOptional ? 'refund.reason_optional' : 'refund.reason');
  return html`${formField(
    refused,
    as,
    (attributes) =>
      html`<label>${label}<input name="reason"${!isOptional && html` required`} maxlength="200" value="${value}"${attributes}></label>`,
    hint,
  )}
<p class="quiet" id="${hint}">${tell(language, 'refund.reason_hint')}</p>`;
}

function faultOf(refused: string | Fault): Fault {
  return typeof refused === 'string' ? { said: refused } : refused;
}

/** Shows why a shop did not accept a callback, and how to fix it. */
export function causeText({ cause, fix }: Cause): Html {
  return html`<strong>${beginSentence(cause)}.</strong> ${fix}`;
}

/** Asks before an act that ends something: opens what it means, and its form. */
export function askFirst(act: string, means: string, form: Html): Html {
  return html`<details><summary>${act}…</summary><p>${means}</p>${form}</details>`;
}

/** Shows that something was done. */
export function doneNotice(text: string): Html {
  return html`<p class="notice done" role="status">${text}</p>`;
}

/** Returns a count in an address; null for anything else. */
export function countIn(text: unknown): number | null {
  return typeof text === 'string' && /^\d{1,6}$/.test(text) ? Number(text) : null;
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
