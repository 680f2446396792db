import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

export type RawServer = {
  port: number;
  url: string;
  /** Every request as received, head and body in one text. */
  requests: string[];
  /** The number of connections so far. */
  connections: () => number;
  close: () => Promise<void>;
};

/** Runs on a connection when a whole request has been read. */
export type Reply = (socket: Socket, request: string) => void;

/** Starts a server on loopback that sends any bytes that a test wants, also invalid ones. */
export async function startRawServer(reply: Reply, tls?: { cert: string; key: string }): Promise<RawServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const serve = (socket: Socket): void => {
    connections++;
    sockets.add(socket);
    let unread = '';
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      unread += chunk.toString();
      const length = requestLength(unread);
      if (length === null || unread.length < length) return;
      const request = unread.slice(0, length);
      unread = unread.slice(length);
      requests.push(request);
      reply(socket, request);
    });
  };
  const server: Server = tls === undefined ? createServer(serve) : createTlsServer(tls, serve);
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  const url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/cb?token=1`;
  return { port, url, requests, connections: () => connections, close };
}

/** Returns a response with a body and its length. */
export function answerOf(status: number, body = '', headers: Record<string, string> = {}): string {
  const lines = Object.entries({ ...headers, 'content-length': `${Buffer.byteLength(body)}` });
  return `HTTP/1.1 ${status} X\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

function requestLength(text: string): number | null {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  return headEnd + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
}
