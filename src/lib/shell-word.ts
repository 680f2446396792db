/** Writes a text between single quotes, for a shell. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Writes a text as one shell word, quoted if it must be, for a command that a person copies. The text comes from
 * others, and a shell would run a `$(…)` in it.
 */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : shellQuote(text);
}
