/**
 * Quotes a text as one shell word, for a command that a person copies. The text comes from others, and a shell would
 * run a `$(…)` in it.
 */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
