import { environmentVariable } from '../config.ts';

/** The language that a person at a terminal has set, as `LANG=es_CL.UTF-8` does: the first of the usual variables counts. */
export function terminalLanguage(variable: (name: string) => string | undefined = environmentVariable): 'en' | 'es' {
  const set = ['LC_ALL', 'LC_MESSAGES', 'LANG'].map(variable).find(Boolean);
  return set !== undefined && /^es/i.test(set) ? 'es' : 'en';
}
