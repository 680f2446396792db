import { hash } from 'node:crypto';

/** Returns a URL as an act has it: a query can contain a secret of the receiver, and many people read the audit log. */
export function withoutQuery(url: string | null): string | null {
  return url?.split('?', 1)[0] ?? null;
}

/** Returns the SHA-256 of a whole URL for an act, so that a change of its query is found. */
export function hashOfUrl(url: string | null): string | null {
  return url === null ? null : hash('sha256', url);
}
