/** Returns the text with a capital as its first letter, as a sentence begins. */
export function beginSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
