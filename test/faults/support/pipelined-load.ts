import { connect, type Socket } from 'node:net';
import { type Journal, type Load, note } from './load.ts';
import { replyOf, signedBody } from './shop-client.ts';

/**
 * Creates transactions without waiting for responses: every connection has many requests under way and sends a new one
 * after each response. It sends several times what a service can handle, unlike clients that wait.
 */
export function startPipelinedLoad(options: {
  port: number;
  connections: number;
  underWayEach: number;
  journal: Journal;
  onRefused: (retryAfter: string | null) => void;
}): Pick<Load, 'stop'> {
  const { port, connections, underWayEach, journal, onRefused } = options;
  let count = 0;
  let stopped = false;

  function run(): Promise<void> {
    const waiting: string[] = [];
    const socket = connect(port, '127.0.0.1');
    const send = () => {
      const reference = `p-${count++}`;
      waiting.push(reference);
      socket.write(requestOf(reference));
    };
    for (let index = 0; index < underWayEach; index++) send();
    return new Promise((resolve) => {
      readAnswers(socket, (status, headers, text) => {
        const reply = replyOf(status, headers, text);
        note(journal, waiting.shift() as string, reply);
        if (reply.kind === 'refused') onRefused(reply.retryAfter);
        if (!stopped) send();
        else if (waiting.length === 0) socket.end();
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        for (const reference of waiting) note(journal, reference, { kind: 'unknown', why: 'the connection ended' });
        resolve();
      });
    });
  }

  const running = Array.from({ length: connections }, run);
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}

function requestOf(reference: string): string {
  const body = signedBody(reference, 5_000, 'http://127.0.0.1:9/callback');
  const head = `POST /trxs HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
  return `${head}\r\n\r\n${body}`;
}

/** Reads the responses of one connection; each has a Content-Length. */
function readAnswers(
  socket: Socket,
  onAnswer: (status: number, headers: Record<string, string>, text: string) => void,
): void {
  let unread = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    unread += chunk;
    for (;;) {
      const end = unread.indexOf('\r\n\r\n');
      if (end < 0) return;
      const [first = '', ...lines] = unread.slice(0, end).split('\r\n');
      const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ', 2) as [string, string]));
      const total = end + 4 + Number(headers['content-length']);
      if (unread.length < total) return;
      const text = unread.slice(end + 4, total);
      unread = unread.slice(total);
      onAnswer(Number(first.split(' ')[1]), headers, text);
    }
  });
}
