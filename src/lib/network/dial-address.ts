import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/** A connection target: an address that has been checked, never a name. `servername` is null for plain http. */
export type DialTarget = { address: string; port: number; servername: string | null };

/** Opens a socket and returns at once. The caller waits for `connect`, `secureConnect` or `error`. */
export type Dial = (target: DialTarget) => Socket;

/** A connection that failed before anything of the request was sent. `message` is a system or TLS error code. */
export class DialError extends Error {
  readonly reason: 'connect' | 'tls';
  constructor(reason: 'connect' | 'tls', code: string) {
    super(code);
    this.reason = reason;
  }
}

/** Dials by TCP or TLS. The certificate must be valid for the name, even where the environment turns TLS checks off. */
export function dialAddress({ address, port, servername }: DialTarget): Socket {
  if (servername === null) return connectTcp({ host: address, port });
  return connectTls({ ...tlsOptions(address, servername), port });
}

/** Returns the options of every TLS connection. */
export function tlsOptions(address: string, servername: string): ConnectionOptions {
  return {
    host: address,
    // Without a server name, Node compares the certificate with `host`.
    servername: isIP(servername) === 0 ? servername : '',
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  };
}

/**
 * Dials and calls `done` once, after at most `timeoutMs`: with a socket that is ready for requests, or with a
 * DialError. It takes a callback instead of returning a promise, because the caller must attach an error listener to
 * the socket in the same tick.
 */
export function openSocket(
  dial: Dial,
  target: DialTarget,
  timeoutMs: number,
  done: (error: DialError | null, socket: Socket) => void,
  stage: DialError['reason'] = 'connect',
): void {
  const socket = dial(target);
  let reached = stage;
  let waiting = true;
  const timer = setTimeout(() => finish('ETIMEDOUT'), timeoutMs);

  function finish(errorCode: string | null): void {
    if (!waiting) return;
    waiting = false;
    clearTimeout(timer);
    if (errorCode !== null) socket.destroy();
    done(errorCode === null ? null : new DialError(reached, errorCode), socket);
  }

  socket.setNoDelay(true);
  // The address has answered, so any later failure is in the TLS handshake.
  if (target.servername !== null) socket.once('connect', () => (reached = 'tls'));
  socket.once(target.servername === null ? 'connect' : 'secureConnect', () => finish(null));
  socket.on('error', (error: Error & { code?: string }) => finish(error.code ?? error.name));
  socket.once('close', () => finish('ECLOSED'));
}
