import type { IncomingMessage } from 'node:http';
import { Problem } from '../error-catalogue.ts';
import type { Endpoint, MediaType } from './endpoint.ts';

/** Headers that must not occur twice: the parser would silently take the first value. */
const SINGLE = new Set([
  'host',
  'authorization',
  'content-type',
  'content-length',
  'transfer-encoding',
  'content-encoding',
  'x-api-key',
]);

/** Headers that must not occur with _ for -: a proxy in front may read _ as -, and then sees a second value. */
const MISTAKABLE = new Set([...SINGLE, 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host']);

/**
 * Refuses what Node's parser accepts and proxies in front may read differently: an absolute or malformed target,
 * another HTTP version, a transfer coding other than chunked, a repeated header. Throws `Problem`.
 */
export function checkFraming(raw: IncomingMessage): void {
  const target = raw.url ?? '';
  if (target.charCodeAt(0) !== 0x2f)
    throw new Problem('HTTP_MALFORMED', {
      detail: {
        en: 'Send the path of the request, not a whole URL.',
        es: 'Envía la ruta de la solicitud, no una URL completa.',
      },
    });
  if (raw.httpVersionMajor !== 1 || raw.httpVersionMinor > 1)
    throw new Problem('HTTP_MALFORMED', { detail: { en: 'Speak HTTP/1.1.', es: 'Habla HTTP/1.1.' } });
  checkPath(target);
  if (!raw.headers.host && raw.httpVersionMinor === 1)
    throw new Problem('HTTP_MALFORMED', {
      detail: { en: 'The Host header is missing.', es: 'Falta el encabezado Host.' },
    });
  const coding = raw.headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || raw.httpVersionMinor === 0)) {
    throw new Problem('HTTP_MALFORMED', {
      detail: {
        en: 'The only transfer coding taken is chunked.',
        es: 'La única codificación de transferencia que se acepta es chunked.',
      },
    });
  }
  // Node also continues with a list of expectations.
  const expectation = raw.headers.expect;
  if (expectation !== undefined && expectation.toLowerCase() !== '100-continue')
    throw new Problem('EXPECTATION_FAILED');
  checkHeaders(raw.rawHeaders);
}

/** Refuses a body whose media type the endpoint does not read. Throws `Problem`. */
export function checkMediaType(endpoint: Endpoint, raw: IncomingMessage): void {
  if (endpoint.consumes === undefined || (endpoint.bodyOptional && !hasBody(raw))) return;
  if (raw.headers['content-encoding'] !== undefined)
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', {
      detail: { en: 'Send the body without compression.', es: 'Envía el cuerpo sin comprimir.' },
    });
  const media = mediaTypeOf(raw);
  if (media === null || !endpoint.consumes.includes(media)) throw new Problem('UNSUPPORTED_MEDIA_TYPE');
}

/** Returns the media type of the body if it is known and its charset, if given, is UTF-8. */
export function mediaTypeOf(raw: IncomingMessage): MediaType | null {
  const header = raw.headers['content-type'];
  if (header === 'application/json' || header === 'application/x-www-form-urlencoded') return header;
  const [type = '', ...parameters] = (header ?? '').split(';', 4).map((part) => part.trim());
  // A form with a file; its parser looks for the boundary.
  if (type.toLowerCase() === 'multipart/form-data') return 'multipart/form-data';
  if (parameters.at(-1) === '') parameters.pop();
  const [charset, ...others] = parameters;
  if (others.length > 0 || (charset !== undefined && !UTF_8.test(charset))) return null;
  return MEDIA_TYPES.find((one) => one === type.toLowerCase()) ?? null;
}

const UTF_8 = /^charset\s*=\s*"?utf-?8"?$/i;
const MEDIA_TYPES: readonly MediaType[] = ['application/json', 'application/x-www-form-urlencoded'];

/** Refuses unknown query parameters of an endpoint with a body. They are not signed, and must not seem to be. */
export function checkQuery(endpoint: Endpoint, raw: IncomingMessage): void {
  const target = raw.url as string;
  const mark = target.indexOf('?');
  if (mark === -1 || endpoint.consumes === undefined) return;
  for (const name of new URLSearchParams(target.slice(mark + 1)).keys()) {
    if (!endpoint.query?.includes(name)) throw new Problem('UNEXPECTED_QUERY');
  }
  if (endpoint.query === undefined) throw new Problem('UNEXPECTED_QUERY');
}

/**
 * Refuses a fragment, which the router would cut off, and escapes in the path. No path of this service needs an escape,
 * and proxies differ in whether they decode it. PostgreSQL accepts no NUL.
 */
function checkPath(target: string): void {
  if (target.includes('#'))
    throw new Problem('HTTP_MALFORMED', {
      detail: { en: 'Leave the fragment (#) out of the path.', es: 'Quita el fragmento (#) de la ruta.' },
    });
  const escape = target.indexOf('%');
  if (escape === -1) return;
  const query = target.indexOf('?');
  if (query === -1 || escape < query) throw new Problem('NOT_FOUND');
  // PostgreSQL rejects such a text even as a search parameter.
  if (target.includes('%00', query))
    throw new Problem('HTTP_MALFORMED', {
      detail: { en: 'Leave NUL (%00) out of the query.', es: 'Quita el carácter NUL (%00) de la consulta.' },
    });
}

/** Returns whether the headers announce a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function checkHeaders(rawHeaders: readonly string[]): void {
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    if (name.includes('_') && MISTAKABLE.has(name.replaceAll('_', '-')))
      throw new Problem('INVALID_HEADER', {
        detail: { en: 'Write header names with dashes.', es: 'Escribe los nombres de los encabezados con guiones.' },
      });
    if (!SINGLE.has(name)) continue;
    if (seen.includes(name))
      throw new Problem('DUPLICATE_HEADER', {
        detail: { en: `Send the header ${name} once.`, es: `Envía una sola vez el encabezado ${name}.` },
      });
    seen.push(name);
  }
}
