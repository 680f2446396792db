import type { Language } from '../checkout/texts.ts';
import { ENGLISH } from './console-english.ts';
import { type ConsoleText, SPANISH } from './console-spanish.ts';

const TEXTS: Record<Language, Record<ConsoleText, string>> = { es: SPANISH, en: ENGLISH };

/** A text of the console in a language, with `values` in the place of their names. */
export function tell(language: Language, key: ConsoleText, values: Record<string, string | number> = {}): string {
  return TEXTS[language][key].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** The same for a key that is made of a state or a kind; without a text of its own it is said as it is stored. */
export function tellKind(language: Language, group: string, kind: string, values: Record<string, string> = {}): string {
  const key = `${group}.${kind}`;
  return key in TEXTS[language] ? tell(language, key as ConsoleText, values) : kind;
}
