/** Returns the address of a URL's endpoint: the URL without its query, where merchants put the order. */
export function endpointAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
