/** The text without all that it ends with of one character. An expression such as `0+$` takes quadratic time for it. */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** Digits, after a sign perhaps, in groups of three from the right. */
export function groupThousands(whole: string, separator: string): string {
  const sign = whole.startsWith('-') ? '-' : '';
  const digits = whole.slice(sign.length);
  const first = ((digits.length - 1) % 3) + 1;
  return sign + [digits.slice(0, first), ...(digits.slice(first).match(/.{3}/g) ?? [])].join(separator);
}
