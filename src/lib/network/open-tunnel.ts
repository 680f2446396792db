import { isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { DialError, type DialTarget, dialAddress, openSocket, tlsOptions } from './dial-address.ts';
import type { Resolve } from './resolve-host.ts';

/** An HTTP proxy for all outgoing requests. `authorization` is a header value, or null. */
export type EgressProxy = { host: string; port: number; authorization: string | null };

type Done = (error: DialError | null, socket: Socket) => void;

const MAX_ANSWER_BYTES = 8_192;

/**
 * Opens a connection to a target through a proxy, by CONNECT with the checked address. Calls `done` as `openSocket`
 * does. TLS is end to end: the proxy sees only the address.
 */
export function openTunnel(
  proxy: EgressProxy,
  resolve: Resolve,
  target: DialTarget,
  timeoutMs: number,
  done: Done,
): void {
  const until = performance.now() + timeoutMs;
  const through = (address: string) => {
    const at: DialTarget = { address, port: proxy.port, servername: null };
    openSocket(dialAddress, at, until - performance.now(), (error, socket) => {
      if (error !== null) return done(error, socket);
      askForTunnel(socket, proxy, target, until - performance.now(), (refusal) => {
        const { servername } = target;
        if (refusal !== null || servername === null) return done(refusal, socket);
        const dial = () => connectTls({ ...tlsOptions(target.address, servername), socket });
        openSocket(dial, target, until - performance.now(), done, 'tls');
      });
    });
  };
  const fail = (error: { code?: string }) =>
    done(new DialError('connect', error.code ?? 'EAI_FAIL'), new Socket().destroy());
  if (isIP(proxy.host) !== 0) through(proxy.host);
  else resolve(proxy.host).then(([address = proxy.host]) => through(address), fail);
}

/** Sends CONNECT to the proxy and reads its response, and no byte after it. */
function askForTunnel(
  socket: Socket,
  { authorization }: EgressProxy,
  { address, port }: DialTarget,
  timeoutMs: number,
  done: (refusal: DialError | null) => void,
): void {
  let answer = Buffer.alloc(0);
  const timer = setTimeout(() => finish('ETIMEDOUT'), timeoutMs);
  const onClose = () => finish('ECLOSED');
  const onData = (chunk: Buffer) => {
    answer = Buffer.concat([answer, chunk]);
    const end = answer.indexOf('\r\n\r\n');
    if (end < 0) {
      if (answer.length > MAX_ANSWER_BYTES) finish('EPROXY');
      return;
    }
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(answer.toString('latin1', 0, end))?.[1] ?? '';
    socket.off('data', onData).pause();
    if (answer.length > end + 4) socket.unshift(answer.subarray(end + 4));
    finish(status.startsWith('2') ? null : status === '407' ? 'EPROXYAUTH' : 'EPROXYREFUSED');
  };
  const finish = (code: string | null) => {
    clearTimeout(timer);
    socket.off('data', onData).off('close', onClose);
    if (code !== null) socket.destroy();
    done(code === null ? null : new DialError('connect', code));
  };
  socket.on('data', onData);
  socket.once('close', onClose);
  const host = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  const credentials = authorization === null ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n${credentials}\r\n`);
}
