/** The languages of texts for people. */
export type Language = 'en' | 'es';

/** A sentence in English, and in Spanish where it has a translation. */
export type Said = string | Readonly<Record<Language, string>>;

/** Returns the sentence in a language; English if it has no translation. */
export function sayIn(said: Said, language: Language): string {
  return typeof said === 'string' ? said : said[language];
}

/**
 * Returns the entry of `languages` that an `Accept-Language` header prefers, or null when the header names none of
 * them. `languages` are primary tags such as `es`. `es-CL` matches `es`; `*` matches the first entry.
 */
export function preferredLanguage<Tag extends string>(
  header: string | undefined,
  languages: readonly Tag[],
): Tag | null {
  if (header === undefined) return null;
  let best: Tag | null = null;
  let bestWeight = 0;
  for (const range of header.split(',')) {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
    const primary = tag.trim().split('-', 1)[0];
    const language = primary === '*' ? languages[0] : languages.find((known) => known === primary);
    const weight = weightOf(parameters);
    if (language === undefined || weight <= bestWeight) continue;
    best = language;
    bestWeight = weight;
  }
  return best;
}

function weightOf(parameters: readonly string[]): number {
  const quality = parameters.map((parameter) => /^\s*q=([01](?:\.\d{0,3})?)\s*$/.exec(parameter)?.[1]).find(Boolean);
  return quality === undefined ? 1 : Number(quality);
}
