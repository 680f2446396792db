import type { Language } from '../lib/language.ts';

/** The texts of a room in both languages; `tsc` checks that both have every key. `tell` fills in `{name}`. */
export function roomTexts<Key extends string>(
  es: Record<Key, string>,
  en: Record<NoInfer<Key>, string>,
): Record<Language, Record<Key, string>> {
  return { es, en };
}
