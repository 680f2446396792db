import { connect } from 'node:net';

export type RawAnswer = { status: number; reason: string; headers: Record<string, string[]>; body: string };

export type ByteExchange = {
  answers: RawAnswer[];
  /** The received bytes that are not a complete HTTP response; empty if the server behaved. */
  rest: string;
  /** Milliseconds from the first byte sent to the end of the connection. */
  ms: number;
};

export type SendOptions = {
  /** Sent repeatedly after the first bytes until the connection closes. */
  drip?: { text: string; everyMs: number };
  /** The method of each request, needed if one is HEAD: its response announces a body that never comes. */
  methods?: readonly string[];
};

/** Ends a connection that the server left open. Its response also proves that no other response was pending. */
export const LAST_REQUEST = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

const LONGEST_MS = 120_000;

/**
 * Sends bytes over one new connection to loopback and collects every response until the server closes it.
 *
 * The client never closes first, so that it sees a late second response. Bytes that leave the connection open must be
 * followed by a last request with `Connection: close`. Rejects if the server keeps the connection for two minutes.
 */
export function exchangeBytes(port: number, bytes: string | Buffer, options: SendOptions = {}): Promise<ByteExchange> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const received: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const timer = setTimeout(() => {
      reject(
        new Error(
          `The server kept the connection open; it had sent: ${Buffer.concat(received).toString('latin1').slice(0, 300)}`,
        ),
      );
      socket.destroy();
    }, LONGEST_MS);
    const { drip } = options;
    const dripping = drip === undefined ? undefined : setInterval(() => socket.write(drip.text), drip.everyMs);
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    // A server that refuses may close while the rest of the request is still being sent.
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearTimeout(timer);
      clearInterval(dripping);
      resolve({ ...splitAnswers(Buffer.concat(received), options.methods ?? []), ms: performance.now() - startedAt });
    });
    socket.write(bytes);
  });
}

/** Parses responses one after the other, as a strict client would. */
function splitAnswers(bytes: Buffer, methods: readonly string[]): { answers: RawAnswer[]; rest: string } {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) break;
    const head = readHead(rest.subarray(0, headEnd).toString('latin1'));
    if (head === null) break;
    const body = readBody(rest.subarray(headEnd + 4), head, methods[answers.length] ?? 'GET');
    if (body === null) break;
    rest = rest.subarray(headEnd + 4 + body.length);
    // An interim response, such as 100 Continue, does not count.
    if (head.status >= 200) answers.push({ ...head, body: body.text });
  }
  return { answers, rest: rest.toString('latin1') };
}

type Head = Omit<RawAnswer, 'body'>;

function readHead(text: string): Head | null {
  const [first = '', ...lines] = text.split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) (.*)$/.exec(first);
  if (status === null) return null;
  const headers: Record<string, string[]> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    headers[name] = [...(headers[name] ?? []), line.slice(colon + 1).trim()];
  }
  return { status: Number(status[1]), reason: status[2] ?? '', headers };
}

function readBody(bytes: Buffer, head: Head, method: string): { text: string; length: number } | null {
  if (head.status < 200 || head.status === 204 || head.status === 304 || method === 'HEAD')
    return { text: '', length: 0 };
  if (head.headers['transfer-encoding'] !== undefined) return readChunks(bytes);
  const announced = head.headers['content-length']?.[0];
  const length = announced === undefined ? bytes.length : Number(announced);
  return bytes.length < length ? null : { text: bytes.subarray(0, length).toString('utf8'), length };
}

function readChunks(bytes: Buffer): { text: string; length: number } | null {
  const parts: Buffer[] = [];
  let at = 0;
  while (true) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    const end = lineEnd + 2 + size;
    if (Number.isNaN(size) || bytes.length < end + 2) return null;
    parts.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
    if (size === 0) return { text: Buffer.concat(parts).toString('utf8'), length: at };
  }
}
