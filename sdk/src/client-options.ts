import { trimEnd } from '../../protocol/plain-text.ts';
import type { RequestInput } from '../../protocol/sign-fields.ts';
import type * as Api from './api-types.ts';
import type { Connection, Fetch } from './send-request.ts';

export type RubricaClientOptions = {
  /** The address of the service, with its base path: `https://pay.example.cl`. */
  baseUrl: string;
  /** The Service Token. Needed to create transactions and to list payment methods. */
  serviceToken?: string | undefined;
  /** The Secret Token. Needed to create transactions. It signs, and never leaves this process. */
  secretToken?: string | undefined;
  /** Needed to read, refund and validate: an access token, or a login with which the client gets one when needed. */
  accessToken?: string | undefined;
  login?: Api.LoginRequest | { apiToken: string } | undefined;
  /** The `fetch` function. The platform's by default. */
  fetch?: Fetch | undefined;
  /** The longest time for one response; 10,000 by default. */
  timeoutMs?: number | undefined;
  /**
   * The last attempt of a call begins at most this long after the first; `Infinity` by default. 5,000 while a payer
   * waits.
   */
  patienceMs?: number | undefined;
};

/** The fields of a transaction. The client adds the Service Token and the signature. */
export type Order = Omit<RequestInput, 'x_account_id'>;

export type LanguageOption = { language?: 'en' | 'es' | undefined };

/**
 * Your own key, 1 to 200 visible characters: requests with the same key are carried out once. By default each call has
 * a new key.
 */
export type KeyOption = { idempotencyKey?: string | undefined };

/** Returns the address and the limits of a client, with the defaults. Throws `TypeError` for a wrong address. */
export function connectionOf(options: RubricaClientOptions): Connection {
  const { baseUrl, fetch = globalThis.fetch, timeoutMs = 10_000, patienceMs = Infinity } = options;
  return { baseUrl: readBaseUrl(baseUrl), fetch, timeoutMs, patienceMs };
}

/** Returns the error of a call that needs an option which the client does not have. */
export function missing(what: string): TypeError {
  return new TypeError(`This call needs ${what}. Give it to createRubricaClient.`);
}

/**
 * Returns the base URL without a trailing slash. Throws `TypeError` with the address, unless the address may hold a
 * password.
 */
function readBaseUrl(given: string | undefined): string {
  // A missing setting is undefined.
  const text = String(given);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (text.includes('@'))
    throw new TypeError('baseUrl holds a user or a password: give createRubricaClient a login instead');
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // Suggest http only for a service on this machine.
    const scheme = /^(?:localhost|127\.)/.test(text) ? 'http' : 'https';
    const example = /^[\w.-]+(?::\d+)?(?:\/|$)/.test(text) ? `${scheme}://${text}` : 'https://pay.example.cl';
    throw new TypeError(`baseUrl is '${text}': write the whole address, with its scheme, such as ${example}`);
  }
  if (url.search !== '' || url.hash !== '')
    throw new TypeError('baseUrl has a query or a fragment: leave out what follows the path');
  return trimEnd(url.href, '/');
}
