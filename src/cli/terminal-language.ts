import { environmentVariable } from '../config.ts';
import type { Language } from '../lib/language.ts';

/**
 * Returns the language of the terminal, for example from `LANG=es_CL.UTF-8`. The first usual variable that is set
 * counts.
 */
export function terminalLanguage(): Language {
  const set = ['LC_ALL', 'LC_MESSAGES', 'LANG'].map(environmentVariable).find(Boolean);
  return set !== undefined && /^es/i.test(set) ? 'es' : 'en';
}
