import { trimEnd } from '../../protocol/plain-text.ts';
import { MISLEADING } from './misleading-text.ts';
import type { SmtpServer } from './network/mailer.ts';
import type { EgressProxy } from './network/open-tunnel.ts';
import { type Network, readPrivateNetwork } from './network/private-networks.ts';

/** An invalid setting. The message says what to write instead. */
export class ConfigError extends Error {}

// Each function parses the text of the setting `name`, and throws `ConfigError` for an invalid text.

/** The levels that pino knows. */
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * Returns the text of any setting; null if not set. A line break in it would begin another header or another line of a
 * page or a log.
 */
export function oneLine(name: string, text: string | null): string | null {
  if (text !== null && MISLEADING.test(text))
    throw new ConfigError(
      `${name} has a line break or a character like one in it: write it on one line, without tabs.`,
    );
  return text;
}

/** Parses a key that is sent in a header; null if not set. */
export function bearerKey(name: string, text: string | null): string | null {
  if (text !== null && !/^[\x20-\x7e]*$/.test(text))
    throw new ConfigError(`${name} must be letters, digits and signs of ASCII, as the provider gave it.`);
  return text;
}

/** Parses a whole number from `least` to `most`. */
export function integer(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new ConfigError(`${name} must be a whole number from ${least} to ${most}.`);
  }
  return value;
}

/** Parses a switch: true, on, 1, yes, or false, off, 0, no. */
export function flag(name: string, text: string | null, fallback: boolean): boolean {
  if (text === null) return fallback;
  return ['true', 'on', '1', 'yes'].includes(oneOf(name, text, ['true', 'on', '1', 'yes', 'false', 'off', '0', 'no']));
}

/** Parses one of a list of words. */
export function oneOf<Choice extends string>(name: string, text: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw new ConfigError(`${name} must be one of ${choices.join(', ')}.`);
  return choice;
}

/** Parses words separated by commas; `none` for an empty list. */
export function words(text: string): string[] {
  return text === 'none' ? [] : text.split(',').map((word) => word.trim());
}

/** Parses an origin without a final slash; null if not set. */
export function origin(name: string, text: string | null): string | null {
  if (text === null) return null;
  const url = URL.parse(text);
  const extras = url === null ? '' : url.username + url.password + url.search + url.hash;
  if (url === null || !/^https?:$/.test(url.protocol) || extras !== '') {
    throw new ConfigError(`${name} must be an origin such as https://pay.example.cl.`);
  }
  return url.href.replace(/\/$/, '');
}

/** Parses the address of a server that the operator has chosen; null if not set. */
export function ownAddress(name: string, text: string | null): string | null {
  if (text === null) return null;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password + url.hash !== '') {
    throw new ConfigError(
      `${name} must be an address such as https://verify.example.cl/holders, without user, password or #.`,
    );
  }
  return url.href;
}

/** Parses the address of the store. */
export function databaseUrl(text: string): string {
  if (text.startsWith('sqlite:file:')) {
    throw new ConfigError('DATABASE_URL takes a path and no file: address. Write sqlite:/var/lib/rubrica/rubrica.db');
  }
  if (/^sqlite:./.test(text)) return text;
  const isPostgres = /^postgres(ql)?:\/\//.test(text);
  if (isPostgres && isServerAddress(text)) return text;
  if (isPostgres)
    throw new ConfigError(
      'DATABASE_URL cannot be read. In its user and password write % as %25, # as %23, / as %2F, ? as %3F and @ as %40; a port is at most 65535.',
    );
  throw new ConfigError('DATABASE_URL must be sqlite:FILE or postgres://USER:PASSWORD@HOST/DATABASE.');
}

/** Returns whether the driver of PostgreSQL reads this address as it is meant. */
function isServerAddress(text: string): boolean {
  // The driver takes an empty host after @: it connects to the socket or to PGHOST.
  const url = URL.parse(text.replace('@/', '@host/'));
  if (url === null) return false;
  // A bare /, ? or # in the password ends the host early: in `user:12/34@db` the host is user and the port 12. A query
  // may have an @ in the value of a few parameters, but without a path and a user, or before a / (`?a=3@db/x`), it is
  // more likely such a password.
  const parameters = url.search.slice(1).split('&');
  const isPassword = url.pathname + url.username === '' || /@[^@&/]*\//.test(url.search);
  const query = isPassword ? url.search : parameters.filter((one) => !MAY_HAVE_AT.test(one)).join('&');
  return !`${url.pathname}${url.hash}${query}`.includes('@');
}

/** The parameters of the driver whose values may have an @. */
const MAY_HAVE_AT =
  /^(?:user|password|database|host|options|(?:fallback_)?application_name|sslcert|sslkey|sslrootcert)=/;

/** Parses paths separated by commas, each without a final slash; empty if not set. */
export function basePaths(text: string | null): string[] {
  const paths = (text ?? '').split(',').map((one) => basePath(one.trim()));
  return [...new Set(paths)].filter((path) => path !== '');
}

function basePath(text: string): string {
  if (text === '' || text === '/') return '';
  const path = `/${trimEnd(text.replace(/^\/+/, ''), '/')}`;
  if (!/^(\/[\w.~-]+)+$/.test(path)) throw new ConfigError('BASE_PATH must be paths such as /pagos or /v1,/dev.');
  return path;
}

/** Parses private networks separated by commas; empty if not set. */
export function privateNetworks(name: string, text: string | null): readonly Network[] {
  const parts = text === null ? [] : text.split(',').map((part) => part.trim());
  return parts.map((part) => {
    const network = readPrivateNetwork(part);
    if (network !== null) return network;
    throw new ConfigError(`${name} must be private networks such as 10.20.0.0/16,fd12:3456::/32, with commas between.`);
  });
}

/** Parses the address of an HTTP proxy. Its credentials become the `authorization` header. */
export function proxyAddress(name: string, text: string | null): EgressProxy | null {
  if (text === null) return null;
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' || url.hostname === '' || url.pathname !== '/' || url.search + url.hash !== '')
    throw new ConfigError(
      `${name} must be an address such as http://proxy.example.cl:3128, with USER:PASSWORD@ if it asks.`,
    );
  const credentials = credentialsOf(name, url).join(':');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || 80,
    authorization: url.username === '' ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
  };
}

/** Parses smtp://USER:PASSWORD@HOST:PORT or smtps://…; null if not set. */
export function smtpServer(name: string, text: string | null): SmtpServer | null {
  if (text === null) return null;
  const url = URL.parse(text);
  const isPlain = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && url.search + url.hash === '';
  if (!isPlain || !['', '/'].includes(url.pathname))
    throw new ConfigError(`${name} must be an address such as smtp://USER:PASSWORD@smtp.example.cl:587 or smtps://….`);
  const secure = url.protocol === 'smtps:';
  const [user = '', password = ''] = credentialsOf(name, url);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    user: user || null,
    password: password || null,
  };
}

/** Returns the user and the password of a URL. An error contains neither. */
function credentialsOf(name: string, { username, password }: URL): string[] {
  try {
    return [username, password].map(decodeURIComponent);
  } catch {
    throw new ConfigError(`${name} has a % in its user or password that stands for no character: write it as %25.`);
  }
}

/**
 * Returns the sender's address: the setting, else the SMTP user if it is an address, else an address at this service's
 * own host.
 */
export function senderAddress(
  name: string,
  text: string | null,
  smtp: SmtpServer | null,
  publicUrl: string | null,
): string {
  const isAddress = (one: string) => /^[^\s@<>"]+@[^\s@<>"]+$/.test(one);
  if (text !== null && !isAddress(text)) throw new ConfigError(`${name} must be an address such as pagos@example.cl.`);
  const user = smtp?.user ?? '';
  return text ?? (isAddress(user) ? user : `no-reply@${URL.parse(publicUrl ?? '')?.hostname || 'localhost'}`);
}

/** Parses 32 bytes in hexadecimal digits or base64. */
function secretKey(name: string, text: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64url');
  const wellFormed = /^[0-9a-f]{64}$/i.test(text) || /^[\w+/-]{43}=?$/.test(text);
  if (!wellFormed || key.length !== 32)
    throw new ConfigError(`${name} must be 32 bytes: 64 hexadecimal digits or base64.`);
  return key;
}

/** Returns a URL without its password and query, which may hold secrets. A malformed URL is not shown at all. */
export function withoutPassword(address: string): string {
  if (address.startsWith('sqlite:')) return address;
  const url = URL.parse(address);
  if (url === null || `${url.pathname}${url.search}${url.hash}`.includes('@')) return 'yes';
  Object.assign(url, { password: '', search: '', hash: '' });
  return url.href;
}

/** Returns MASTER_KEY and the key that it replaces. */
export function masterKeys(
  text: string,
  previousText: string | null,
): { masterKey: Buffer; masterKeyPrevious: Buffer | null } {
  const key = secretKey('MASTER_KEY', text);
  const previous = previousText === null ? null : secretKey('MASTER_KEY_PREVIOUS', previousText);
  if (previous?.equals(key) === true)
    throw new ConfigError('MASTER_KEY_PREVIOUS is the same key as MASTER_KEY: set MASTER_KEY to a new one.');
  return { masterKey: key, masterKeyPrevious: previous };
}

/** Parses a number of days; null if not set. */
export function days(name: string, text: string | null): number | null {
  return text === null ? null : integer(name, text, 1, 36_500);
}
