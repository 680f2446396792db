import { type Html, html } from '../http/html.ts';

/**
 * A form that sends itself after `afterMs`; null: only by its button, which is there in any case. The button has no name: it
 * would become a field of its own beside the signed ones.
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
