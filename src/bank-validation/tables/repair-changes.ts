import type { Language } from '../../lib/language.ts';
import type { Repair } from './repair-account.ts';
import type { ValidatedRow } from './validated-row.ts';

/** `kind`: `repair` for a change by rule, `suggestion` for one that a person must decide. */
export const CHANGE_COLUMNS = ['line', 'kind', 'column', 'rule', 'before', 'after', 'why', 'proposal'] as const;

/** Returns the lines about one row in the file of changes; none if the row stays as it was. */
export function changeLines(
  line: number,
  { input, result, whole }: ValidatedRow,
  repairs: readonly Repair[],
  language: Language,
): string[][] {
  const made = repairs.map(({ column, rule, before, after, why }) => [
    String(line),
    'repair',
    column === 'checkCharacter' ? 'dv' : column,
    rule,
    before,
    after,
    why[language],
    whole,
  ]);
  const suggestions = 'validation' in result ? result.validation.suggestions : [];
  const proposals = suggestions.map(({ field, code, value, message }) => {
    const column = field.endsWith('bankAccount') ? 'account' : 'bank';
    const before = String(column === 'account' ? input.account : input.bankCode);
    return [String(line), 'suggestion', column, code, before, value, message[language], whole];
  });
  return [...made, ...proposals];
}
