/** The queue that a URL belongs to: without its query, which merchants fill with the order. */
export function endpointAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
