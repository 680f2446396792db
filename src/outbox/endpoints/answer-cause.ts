import type { Language } from '../../lib/language.ts';
import { isMove } from '../redirect.ts';
import { CAUSES, type CauseCode } from './cause-texts.ts';

/**
 * The stored result of an attempt. `failure`: a reason and a code, such as `timeout: ETIMEDOUT`. `excerpt`: the start
 * of the response, if it was read.
 */
export type StoredAnswer = {
  status: number | null;
  failure: string | null;
  location: string | null;
  excerpt?: string | null;
};

/** Why the shop did not accept a callback, in a sentence, and how to fix it. */
export type Cause = { code: CauseCode; cause: string; fix: string };

/** The reasons of failures before any response that have their own text. */
const REASONS: readonly string[] = [
  'timeout',
  'connect',
  'dns',
  'tls',
  'reset',
  'refused_address',
  'too_large',
  'protocol',
] satisfies CauseCode[];

/** The causes of Node's certificate errors, and of bytes that are not TLS. */
const CERTIFICATES: Readonly<Record<string, CauseCode>> = {
  CERT_HAS_EXPIRED: 'tls_expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_name',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_chain',
  UNABLE_TO_GET_ISSUER_CERT: 'tls_chain',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_chain',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_self_signed',
  ERR_SSL_WRONG_VERSION_NUMBER: 'tls_none',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'tls_none',
};

/** Failures of TLS in which no certificate was seen. */
const HANDSHAKE = /^(?:ERR_SSL_|E[A-Z]+$)/;

/** The causes by status. Other statuses from 500 on are `error`; the rest are `other`. */
const STATUSES: Readonly<Record<number, CauseCode>> = {
  400: 'refused',
  401: 'asks_login',
  403: 'forbidden',
  404: 'not_found',
  405: 'not_post',
  409: 'refused',
  410: 'gone',
  422: 'refused',
  429: 'busy',
};

/** Log-in pages: by path, and by content even with status 200. */
const LOGIN_PATH = /(?:^|[/_-])(?:log-?in|sign-?in|wp-login\.php|auth|ingresar|iniciar-sesion|acceso)(?:[/.?_-]|$)/i;
const LOGIN_PAGE = /<input[^<>]{0,200}\btype=["']?password/i;
/** Words of firewalls in front of a shop. */
const FIREWALL = /attention required|just a moment|cloudflare|incapsula|sucuri|mod_?security|access denied|captcha/i;
/** Words of receivers that reject a signature. */
const SIGNATURE = /signature|firma|hmac|checksum/i;

/** Returns the cause of a response and its fix; null if the response is fine. `url`: the URL of the post. */
export function causeOf(url: string, answer: StoredAnswer, language: Language = 'en'): Cause | null {
  const code = codeOf(url, answer);
  if (code === null) return null;
  const { status, failure, location, excerpt } = answer;
  if (code === 'other' && failure !== null)
    return { code, cause: failure, fix: language === 'en' ? 'Look at the shop.' : 'Mira la tienda.' };
  return tellCause(code, language, {
    status: String(status ?? ''),
    to: location ?? '',
    detail: FIREWALL.exec(excerpt ?? '')?.[0] ?? '',
  });
}

/** Returns a cause in words, with `values` filled in. */
export function tellCause(code: CauseCode, language: Language, values: Readonly<Record<string, string>>): Cause {
  const [cause, fix] = CAUSES[code][language];
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  return { code, cause: fill(cause), fix: fill(fix) };
}

function codeOf(url: string, { status, failure, location, excerpt = null }: StoredAnswer): CauseCode | null {
  if (failure !== null) return codeOfFailure(failure);
  if (status === null) return null;
  if (status >= 200 && status < 300) return LOGIN_PAGE.test(excerpt ?? '') ? 'login' : null;
  if (status >= 300 && status < 400) return codeOfRedirect(url, status, location);
  if (LOGIN_PAGE.test(excerpt ?? '')) return 'login';
  if ([403, 429, 503].includes(status) && FIREWALL.test(excerpt ?? '')) return 'firewall';
  if ([400, 401, 403, 422].includes(status) && SIGNATURE.test(excerpt ?? '')) return 'signature';
  return STATUSES[status] ?? (status >= 500 ? 'error' : 'other');
}

function codeOfFailure(failure: string): CauseCode {
  if (failure.startsWith('connect: EPROXY')) return 'proxy';
  const [reason = '', detail = ''] = failure.split(': ');
  if (reason === 'tls') return CERTIFICATES[detail] ?? (HANDSHAKE.test(detail) ? 'tls_handshake' : 'tls');
  return REASONS.includes(reason) ? (reason as CauseCode) : 'other';
}

function codeOfRedirect(url: string, status: number, location: string | null): CauseCode | null {
  if (isLogin(url, location)) return 'login';
  if ((status === 302 || status === 303) && !isMove(url, location)) return null;
  return location === null ? 'redirect' : 'moved';
}

/** Returns whether a redirect leads to a log-in page; then the post was not handled. */
function isLogin(url: string, location: string | null): boolean {
  const to = location === null ? null : URL.parse(location, url);
  return to !== null && to.pathname !== new URL(url).pathname && LOGIN_PATH.test(to.pathname);
}
