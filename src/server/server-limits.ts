/**
 * The most that any connection may cost. Always on, except for the shares of networks, which are off with RATE_LIMITS; behind
 * a balancer connections are not shared out either, because all come from one. docs/limits.md publishes these.
 */
export const SERVER_LIMITS = {
  bodyBytes: 16 * 1024,
  headerBytes: 8 * 1024,
  headers: 64,
  connections: 2_000,
  /** Read and not begun, of one connection. */
  waitingRequests: 64,
  /** The same of all connections. */
  allWaitingRequests: 4_096,
  /** Connections with more than may wait, of one network: it is shut out after so many, for so long. */
  floods: { floods: 3, ms: 10_000, networks: 1_000 },
  /** Of bodies larger than `bodyBytes`, those that are arriving or being answered, together. */
  largeBodiesBytes: 32 * 1024 * 1024,
  /** From the first byte of a request to the end of its headers. */
  headersMs: 10_000,
  /** From the first byte of a request to the end of its body. */
  requestMs: 20_000,
  /** Between two requests. */
  idleMs: 5_000,
  /** For a client to take an answer, and beside it a second for so many bytes. */
  writeMs: 20_000,
  writeBytesPerSecond: 16 * 1024,
  /** Of answers that wait for their clients, together. */
  unreadBytes: 64 * 1024 * 1024,
  /** In which a refused client can read its answer, before a connection that it keeps open is cut. */
  lingerMs: 1_000,
} as const;
