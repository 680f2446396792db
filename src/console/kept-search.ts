import type { FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import type { User } from '../auth/user.ts';
import { perInstance } from '../lib/per-instance.ts';
import { deriveKey, open, seal, sealingKey } from '../lib/seal.ts';
import { addressQuery } from './kept-typing.ts';

/**
 * The lists that are searched by personal data. Their forms post to one screen, so that the data stays out of the
 * address.
 */
const LISTS = ['/payments', '/recipients', '/payouts'] as const;

/** The typed fields of a search, and `list`: the list that it searches. */
type Search = Readonly<Record<string, string>>;

/** Reads a posted search. */
export function searchOf({ body }: FastifyRequest): Search {
  // Not the reader of signed bodies, which refuses a tab: people copy one, or a space, with an address or a RUT.
  const fields = new URLSearchParams((body as Buffer | undefined)?.toString() ?? '');
  return Object.fromEntries([...fields].map(([name, text]) => [name, text.trim()] as const));
}

/** Returns the path below `/console` of the searched list. Personal data in it is encrypted for this person. */
export function searchPath(visit: { app: App; user: Pick<User, 'id'> }, { list, ...typed }: Search): string {
  const path = LISTS.find((one) => one === list) ?? LISTS[0];
  return `${path}?${addressQuery(visit, typed)}`;
}

const keyOf = perInstance((app: App) => sealingKey(deriveKey(app.config.masterKey, 'kept-search')));

/**
 * Encrypts a search for a field of the sign-in page, where nobody is known yet. It is never part of an address, because
 * everyone who signs in could open it there.
 */
export function keepSearch(app: App, search: Search): string {
  return seal(keyOf(app), JSON.stringify(search), 'sign-in');
}

/** Returns the path of a kept search for the person who has signed in; null without a valid one. */
export function keptSearchPath(app: App, userId: string, kept: string): string | null {
  if (kept === '') return null;
  try {
    return searchPath({ app, user: { id: userId } }, JSON.parse(open(keyOf(app), kept, 'sign-in')) as Search);
  } catch {
    return null;
  }
}
