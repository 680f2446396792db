import type { Bank } from '../../bank-validation/directory/bank-directory.ts';
import { type Html, html } from '../../http/html.ts';

/** Returns the banks as the options of a form, by name. */
export function bankOptions(banks: Iterable<Bank>, chosen = ''): Html {
  const byName = [...banks].sort((one, other) => one.name.localeCompare(other.name, 'es'));
  return html`<option value=""></option>${byName.map(
    ({ code, name }) => html`<option value="${code}"${code === chosen && html` selected`}>${name} (${code})</option>`,
  )}`;
}
