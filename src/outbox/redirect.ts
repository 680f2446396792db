/**
 * Returns whether a redirect leads to the same path with another scheme, host or port: the URL has moved and the post
 * was not handled. Ignores a slash at the end. `location`: the header as sent, or null.
 */
export function isMove(url: string, location: string | null): boolean {
  const from = URL.parse(url);
  const to = location === null ? null : URL.parse(location, url);
  return from !== null && to !== null && to.origin !== from.origin && pagePath(to) === pagePath(from);
}

function pagePath({ pathname }: URL): string {
  return pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
}
