import { once } from 'node:events';
import { Agent, request as post, type RequestOptions } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * An attacker of the service at `port` until the process ends: `stranger.ts ATTACK PORT SERVICE_TOKEN BEGUN_AFTER_MS`.
 * It uses other addresses of this machine than the honest client (127.0.0.1), as a stranger uses other networks. Prints
 * `begun` when the attack is under way.
 */
const [attack = '', portText, serviceToken = '', begunAfterMs] = process.argv.slice(2);
const port = Number(portText);
const CONNECTIONS = 64;
const SILENT = 2000;
const OPEN_MS = 1500;

const ATTACKS: Record<string, () => void> = {
  'wrong signatures': () => repeat('/trxs', (at) => createWith(serviceToken, at)),
  'unknown accounts': () => repeat('/trxs', (at) => createWith('0'.repeat(64), at)),
  'wrong passwords': () =>
    repeat('/users/login', (at) => ({ username: 'bench@example.cl', password: `wrong-${at}-password` })),
  'silent connections': () => reopen(() => {}),
  'answers never read': () =>
    reopen((socket) => {
      socket.pause();
      socket.write(`GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`.repeat(60));
    }),
};

ATTACKS[attack]?.();
await pause(Number(begunAfterMs));
console.log('begun');

/** Each connection sends its next request after any response. */
function repeat(path: string, bodyOf: (at: number) => object): void {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const options: RequestOptions = {
    port,
    host: '127.0.0.1',
    localAddress: '127.0.0.2',
    agent,
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  };
  let count = 0;
  const next = async (): Promise<void> => {
    const sent = post(options);
    sent.end(JSON.stringify(bodyOf(++count)));
    try {
      const [answer] = await once(sent, 'response');
      answer.resume();
      await once(answer, 'end');
    } catch {
      // The service closes connections that go too far; the attacker opens new ones.
      await pause(1);
    }
    return next();
  };
  for (let connection = 0; connection < CONNECTIONS; connection++) void next();
}

function createWith(account: string, at: number): object {
  const fields = { x_account_id: account, x_amount: 1000, x_currency: 'CLP', x_customer_email: 'x@example.cl' };
  const urls = { x_url_callback: 'https://shop.example/a', x_url_cancel: 'https://shop.example/b' };
  const others = { x_reference: `S-${at}`, x_session_id: 's', x_shop_country: 'CL', x_signature: '0'.repeat(64) };
  return { ...fields, ...urls, ...others, x_url_complete: 'https://shop.example/c' };
}

/** Keeps many connections of four addresses open, and reopens each when it ends. */
function reopen(use: (socket: Socket) => void): void {
  const open = (at: number) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (at % 4)}` }, () => use(socket));
    const timer = setTimeout(() => socket.destroy(), OPEN_MS);
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      setTimeout(open, 50, at);
    });
  };
  for (let at = 0; at < SILENT; at++) setTimeout(open, (at * OPEN_MS) / SILENT, at);
}
