/** Changes when a response changes in a way that a client may notice; see docs/versioning.md. */
export const API_VERSION = '2026-11-30';

/** Headers of every response, whatever its status. A page replaces the policies by its own. */
export const FIXED_HEADERS = {
  'rubrica-version': API_VERSION,
  'strict-transport-security': 'max-age=63072000',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;
