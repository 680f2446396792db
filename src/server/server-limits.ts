/**
 * The limits of connections. Always on, except the shares of networks, which RATE_LIMITS turns off. Behind a balancer
 * connections are not shared either, because the balancer opens all of them. docs/limits.md publishes these limits.
 */
export const SERVER_LIMITS = {
  bodyBytes: 16 * 1024,
  headerBytes: 8 * 1024,
  headers: 64,
  connections: 2_000,
  /** Requests of one connection that are read and not started. */
  waitingRequests: 64,
  /** The same for all connections. */
  allWaitingRequests: 4_096,
  /**
   * A network is shut out for `ms` after `floods` connections with more than `waitingRequests`. At most `networks` are
   * remembered.
   */
  floods: { floods: 3, ms: 10_000, networks: 1_000 },
  /** The total size of bodies larger than `bodyBytes` that are arriving or being processed. */
  largeBodiesBytes: 32 * 1024 * 1024,
  /** From the first byte of a request to the end of its headers. */
  headersMs: 10_000,
  /** From the first byte of a request to the end of its body. */
  requestMs: 20_000,
  /** Between two requests. */
  idleMs: 5_000,
  /** The time for a client to read a response, plus one second per `writeBytesPerSecond`. */
  writeMs: 20_000,
  writeBytesPerSecond: 16 * 1024,
  /** The total size of responses that wait for their clients. */
  unreadBytes: 64 * 1024 * 1024,
  /** The time for a refused client to read its response before its open connection is cut. */
  lingerMs: 1_000,
  /** A body that goes on after its response is discarded up to this size, then the connection is cut. */
  discardBytes: 16 * 1024 * 1024,
  /** The time for the rest of a body to arrive after a response that closes the connection. */
  discardMs: 10_000,
} as const;
