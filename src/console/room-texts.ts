import type { Language } from '../checkout/texts.ts';

/** The texts of a room in both languages; `tsc` sees to it that both have every key. `{name}` is filled in by `tell`. */
export function roomTexts<Key extends string>(
  es: Record<Key, string>,
  en: Record<NoInfer<Key>, string>,
): Record<Language, Record<Key, string>> {
  return { es, en };
}
