import { type Html, html } from '../http/html.ts';

/**
 * Returns a form that a script submits after `afterMs`; null waits for its button, which is always shown. The button
 * has no name, so that it adds no field to the signed ones.
 */
export function submittingForm(
  url: string,
  fields: Record<string, string>,
  button: string,
  afterMs: number | null,
): Html {
  const marked = afterMs !== null && html` data-submit-after="${afterMs}"`;
  return html`<form method="post" action="${url}" accept-charset="utf-8"${marked}>
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button class="primary">${button}</button>
</form>`;
}
