const MOST_REMEMBERED = 256;

/**
 * Wraps a check so that it remembers the texts that it accepted last. Returns null for them, and the check's result for
 * others. For checks of every request whose input rarely changes, such as a shop's URLs: parsing them costs as much as
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
