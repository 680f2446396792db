import type { Repair } from '../../bank-validation/tables/repair-account.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { tell } from '../console-texts.ts';

/** Says each repair that an account had before its validation. The RUT and the number are not in it. */
export function repairNotes(language: Language, repairs: readonly Repair[]): Html[] {
  return repairs.map(
    ({ why }) => html`<p class="quiet">${tell(language, 'bank_accounts.repaired_typed', { why: why[language] })}</p>`,
  );
}
