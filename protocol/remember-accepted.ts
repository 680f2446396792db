const MOST_REMEMBERED = 256;

/**
 * The same check, which knows the texts that it accepted last: it answers null for them, and its refusal for others. For
 * what is checked with every request and seldom differs, such as the addresses of a shop, whose parsing costs as much as
 * reading the rest of the request.
 */
export function rememberAccepted<Refusal>(check: (text: string) => Refusal | null): (text: string) => Refusal | null {
  const known = new Set<string>();
  return (text) => {
    if (known.has(text)) return null;
    const refusal = check(text);
    if (refusal !== null) return refusal;
    if (known.size === MOST_REMEMBERED) known.clear();
    known.add(text);
    return null;
  };
}
