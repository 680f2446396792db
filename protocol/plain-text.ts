/**
 * Removes all occurrences of one character from the end of a text. An expression such as `0+$` takes quadratic time for
 * this.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** Groups the digits of a number, with an optional sign, in threes from the right. */
export function groupThousands(whole: string, separator: string): string {
  const sign = whole.startsWith('-') ? '-' : '';
  const digits = whole.slice(sign.length);
  const first = ((digits.length - 1) % 3) + 1;
  return sign + [digits.slice(0, first), ...(digits.slice(first).match(/.{3}/g) ?? [])].join(separator);
}
