import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/** Where to connect: an address that has been checked, never a name. `servername` is null for plain http. */
export type DialTarget = { address: string; port: number; servername: string | null };

/** Opens a socket and answers at once; the caller waits for its `connect`, `secureConnect` or `error`. */
export type Dial = (target: DialTarget) => Socket;

/** A connection that never came about, so nothing of the request was sent. `message` is a system or TLS error code. */
export class DialError extends Error {
  readonly reason: 'connect' | 'tls';
  constructor(reason: 'connect' | 'tls', code: string) {
    super(code);
    this.reason = reason;
  }
}

/** Dials by TCP or TLS. The certificate must be valid for the name, whatever the environment says about TLS checks. */
export function dialAddress({ address, port, servername }: DialTarget): Socket {
  if (servername === null) return connectTcp({ host: address, port });
  return connectTls({ ...tlsOptions(address, servername), port });
}

/** How every connection by TLS is made. */
export function tlsOptions(address: string, servername: string): ConnectionOptions {
  return {
    host: address,
    // Without a name to announce, the certificate is compared with `host`.
    servername: isIP(servername) === 0 ? servername : '',
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  };
}

/**
 * Dials and calls `done` once: with a socket that requests can be written to, or with a DialError, at the latest after
 * `timeoutMs`. A callback and no promise: the caller who takes the socket has to listen to its errors in the same moment.
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
  // From here on the address answers, so what still fails is the TLS handshake.
  if (target.servername !== null) socket.once('connect', () => (reached = 'tls'));
  socket.once(target.servername === null ? 'connect' : 'secureConnect', () => finish(null));
  socket.on('error', (error: Error & { code?: string }) => finish(error.code ?? error.name));
  socket.once('close', () => finish('ECLOSED'));
}
