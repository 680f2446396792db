import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isInNetworks, type Network } from './private-networks.ts';

/** The reason why a URL is refused, as its sender reads it. Neither text quotes the URL, which may hold a secret. */
export type UrlRefusal = {
  code: 'INVALID_URL' | 'URL_NOT_ALLOWED';
  message: string;
  fix: string;
  /** Both texts in Spanish. */
  es: { message: string; fix: string };
};

export type UrlPolicy = {
  /** Accepts `http:`, private hosts and every port. For development only. */
  allowPrivate: boolean;
} & OwnPlaces;

/** The addresses of this program, which it never calls, and the private networks that it may call. */
export type OwnPlaces = {
  /** Host names and IP addresses of this program. They are refused on every port, and when a name resolves to them. */
  ownAddresses?: readonly string[];
  /**
   * Origins of this program. They are refused in development too, where other programs listen on other ports of the
   * host.
   */
  ownOrigins?: readonly string[];
  /** Private networks that the operator lets merchants name. */
  networks?: readonly Network[];
};

/** The kind of host in a parsed URL: only a `name` can be a public host. */
export type HostKind = 'address' | 'local-name' | 'single-label' | 'malformed' | 'name';

const publicPorts = new Set(['', '443', '8443']);
const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Names that never leave a machine or a company (RFC 6761, RFC 6762, RFC 8375, ICANN's reserved `.internal`). */
const localSuffixes = ['localhost', 'local', 'localdomain', 'internal', 'intranet', 'private', 'corp', 'lan', 'home'];
const localName = new RegExp(`(?:^|\\.)(?:${localSuffixes.join('|')}|home\\.arpa)$`);

/** The IANA registry of special IPv4 addresses, multicast, and one public address of a cloud's metadata service. */
const specialIPv4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers; a metadata service of one cloud
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // metadata of one cloud
  '169.254.0.0/16', // link-local; metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
].map((range) => ipaddr.IPv4.parseCIDR(range));

const mappedIPv4 = /^::ffff:[\d.]+$/i;

/** All routed IPv6 addresses are in this range. Loopback, NAT64, `fc00::/7` and `fe80::/10` are outside it. */
const globalIPv6 = ipaddr.IPv6.parseCIDR('2000::/3');

const specialIPv6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4 leads to an IPv4 address of the sender's choice
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // 6bone, returned
  '3fff::/20', // documentation
].map((range) => ipaddr.IPv6.parseCIDR(range));

/**
 * Returns whether an IP address is an ordinary host of the public Internet. False for every special range of both
 * families, for addresses with a zone, and for any address that is not in its standard spelling. An IPv4-mapped address
 * is judged by its IPv4 address.
 */
export function isPublicAddress(ip: string): boolean {
  // ipaddr.js also reads octal, hexadecimal and short forms, which systems read differently, and reads `::8.8.8.8` as a
  // mapped address. Systems print dots in an IPv6 address only for mapped addresses and for ranges that are refused
  // below.
  if (isIP(ip) === 0 || ip.includes('%')) return false;
  if (ip.includes(':') && ip.includes('.') && !mappedIPv4.test(ip)) return false;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return !specialIPv4.some((range) => address.match(range));
  return address.match(globalIPv6) && !specialIPv6.some((range) => address.match(range));
}

/** Returns whether two IP addresses are the same, in any spelling: `::ffff:1.2.3.4` is `1.2.3.4`. */
export function sameAddress(a: string, b: string): boolean {
  return a === b || ipaddr.process(a).toString() === ipaddr.process(b).toString();
}

/**
 * Classifies the `hostname` of a parsed `URL`. The URL parser has already turned `127.1`, `0x7f.1`, `2130706433` and
 * full-width digits into `127.0.0.1`.
 */
export function hostKind(hostname: string): HostKind {
  if (isIP(withoutBrackets(hostname)) !== 0) return 'address';
  const labels = hostname.split('.');
  if (hostname.length > 253 || !labels.every((label) => hostLabel.test(label))) return 'malformed';
  if (localName.test(hostname)) return hostname.includes('.') ? 'local-name' : 'single-label';
  return labels.length === 1 ? 'single-label' : 'name';
}

/** Returns the host of a URL as the system expects it. Only URLs put IPv6 addresses in brackets. */
export function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/**
 * Checks a URL without resolving its name. Returns the reason to refuse it, or null. The addresses of the name are
 * checked with each request, because they change.
 *
 * Accepts absolute `https:` URLs with a public domain name on port 443 or 8443, without credentials, equal to their
 * WHATWG serialisation, or to it without the `/` of an empty path. Programs could read any other spelling differently.
 */
export function checkOutboundUrl(text: string, policy: UrlPolicy): UrlRefusal | null {
  if (text.length > LONGEST_URL) return refusals.long;
  const url = URL.parse(text);
  if (url === null) return refusals.unreadable;
  if (url.protocol !== 'https:' && !(policy.allowPrivate && url.protocol === 'http:')) return refusals.scheme;
  if (url.username !== '' || url.password !== '') return refusals.credentials;
  // The slash of an empty path is optional, also before a query, as in the grammar of signed requests.
  const isNormal = url.href === text || (url.pathname === '/' && url.origin + url.search === text);
  if (!isNormal) return refusals.spelling;
  if (policy.ownOrigins?.includes(url.origin)) return refusals.own;
  if (policy.allowPrivate) return null;
  const kind = hostKind(url.hostname);
  if (kind === 'malformed' || kind === 'single-label') return refusals.name;
  const networks = policy.networks ?? [];
  if (kind === 'address' && !isInNetworks(withoutBrackets(url.hostname), networks)) return refusals.address;
  // With networks set, the resolved address decides.
  if (kind === 'local-name' && networks.length === 0) return refusals.localName;
  if (!publicPorts.has(url.port)) return refusals.port;
  return policy.ownAddresses?.includes(url.hostname) ? refusals.own : null;
}

/** The same limit as for a URL in a signed request. */
const LONGEST_URL = 2048;

const refusals = {
  long: {
    code: 'INVALID_URL',
    message: `The URL has more than ${LONGEST_URL} characters.`,
    fix: 'Shorten it: a receiver finds what it needs by a token.',
    es: {
      message: `La URL tiene más de ${LONGEST_URL} caracteres.`,
      fix: 'Acórtala: un receptor encuentra lo que necesita con un token.',
    },
  },
  unreadable: {
    code: 'INVALID_URL',
    message: 'This is not an absolute URL.',
    fix: 'Send a complete URL, such as https://shop.example.com/paid.',
    es: {
      message: 'Esta no es una URL absoluta.',
      fix: 'Envía una URL completa, como https://tienda.example.cl/pagado.',
    },
  },
  scheme: {
    code: 'INVALID_URL',
    message: 'The URL does not use https.',
    fix: 'Serve it over https and send the https URL.',
    es: {
      message: 'La URL no usa https.',
      fix: 'Publícala con https y envía la URL https.',
    },
  },
  credentials: {
    code: 'INVALID_URL',
    message: 'The URL contains a user name or a password.',
    fix: 'Leave out what stands before the @; a random token in the query serves the same purpose.',
    es: {
      message: 'La URL lleva un usuario o una contraseña.',
      fix: 'Quita lo que está antes de la @; un token al azar en la query sirve para lo mismo.',
    },
  },
  spelling: {
    code: 'INVALID_URL',
    message: 'The URL is not written in its normal form.',
    fix: 'Send exactly what new URL(value).href prints: lower-case host, no default port, no dot segments, other characters percent-encoded.',
    es: {
      message: 'La URL no está en su forma normal.',
      fix: 'Envía exactamente lo que imprime new URL(value).href: host en minúsculas, sin el puerto de siempre, sin segmentos de puntos, y los demás caracteres en %.',
    },
  },
  name: {
    code: 'INVALID_URL',
    message: 'The host of the URL is not a complete domain name.',
    fix: 'Use a public domain name such as shop.example.com, without a final dot.',
    es: {
      message: 'El host de la URL no es un nombre de dominio completo.',
      fix: 'Usa un dominio público como tienda.example.cl, sin punto final.',
    },
  },
  address: {
    code: 'URL_NOT_ALLOWED',
    message: 'The host of the URL is an IP address.',
    fix: 'Use a public domain name that resolves to that address.',
    es: {
      message: 'El host de la URL es una dirección IP.',
      fix: 'Usa un dominio público que lleve a esa dirección.',
    },
  },
  localName: {
    code: 'URL_NOT_ALLOWED',
    message: 'The host of the URL is a name of a private network.',
    fix: 'Use a domain name that resolves in public DNS.',
    es: {
      message: 'El host de la URL es un nombre de una red privada.',
      fix: 'Usa un dominio que exista en el DNS público.',
    },
  },
  port: {
    code: 'URL_NOT_ALLOWED',
    message: 'The port of the URL is neither 443 nor 8443.',
    fix: 'Serve it on port 443 (leave the port out of the URL) or on 8443.',
    es: {
      message: 'El puerto de la URL no es 443 ni 8443.',
      fix: 'Publícala en el puerto 443 (sin puerto en la URL) o en el 8443.',
    },
  },
  own: {
    code: 'URL_NOT_ALLOWED',
    message: 'The URL leads back to the program it is sent to.',
    fix: 'Send the URL of your own server.',
    es: {
      message: 'La URL lleva de vuelta al programa al que se envía.',
      fix: 'Envía la URL de tu propio servidor.',
    },
  },
} as const satisfies Record<string, UrlRefusal>;
