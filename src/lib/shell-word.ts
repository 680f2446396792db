/** A text as one word of a shell, for a command that a person copies: others chose it, and `$(…)` in it would be run. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
