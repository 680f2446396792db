const MOST_REMEMBERED = 256;

/**
 * The same check, which knows the texts that it accepted last. For what is checked with every request and seldom differs,
 * such as the addresses of a shop, whose parsing costs as much as reading the rest of the request.
 */
export function rememberAccepted(accepts: (text: string) => boolean): (text: string) => boolean {
  const known = new Set<string>();
  return (text) => {
    if (known.has(text)) return true;
    if (!accepts(text)) return false;
    if (known.size === MOST_REMEMBERED) known.clear();
    known.add(text);
    return true;
  };
}
