/**
 * What any connection may cost. Always on, except for the share of one address, which is off with
 * RATE_LIMITS and behind a balancer, where all connections come from one. docs/limits.md publishes these.
 */
export const SERVER_LIMITS = {
  bodyBytes: 16 * 1024,
  headerBytes: 8 * 1024,
  headers: 64,
  connections: 2_000,
  connectionsOfAnAddress: 500,
  /** From the first byte of a request to the end of its headers. */
  headersMs: 10_000,
  /** From the first byte of a request to the end of its body. */
  requestMs: 20_000,
  /** Between two requests. */
  idleMs: 5_000,
  /** In which a refused client can read its answer, before a connection that it keeps open is cut. */
  lingerMs: 1_000,
} as const;
