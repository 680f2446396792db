/** Returns the word with the fewest edits from `text`; null if more than a third of its letters would change. */
export function nearestWord(text: string, words: readonly string[]): string | null {
  const ranked = words
    .map((word) => ({ word, edits: editsBetween(text.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, edits }) => edits <= Math.max(1, Math.ceil(word.length / 3)))
    .sort((one, other) => one.edits - other.edits);
  return ranked[0]?.word ?? null;
}

/** Counts the letters to insert, remove or replace. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let line = 1; line <= one.length; line++) {
    const next = [line];
    for (let at = 1; at <= other.length; at++) {
      const replaced = (row[at - 1] as number) + (one[line - 1] === other[at - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[at] as number) + 1, (next[at - 1] as number) + 1));
    }
    row = next;
  }
  return row[other.length] as number;
}
