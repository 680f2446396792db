import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { App } from '../app.ts';
import { SERVER_LIMITS } from './server-limits.ts';

const SWEEP_MS = 500;

/** Node keeps the current response on its socket, under this name since its first versions. */
export type HttpSocket = Socket & { _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null };

type ReaderLimits = { writeMs: number; writeBytesPerSecond: number; unreadBytes: number };

/**
 * A response that its client has not read to its end. `since`: when it was first seen (`performance.now()`). `taken`: how
 * many bytes of the connection the client had taken by then.
 */
type Held = { socket: HttpSocket; answer: ServerResponse | null; taken: number; since: number };

/**
 * Closes connections whose client does not read its response. A response has a fixed time plus a time by its size. If
 * all unread bytes together exceed the limit of the process, the oldest are closed first.
 */
export function closeSlowReaders(app: App, server: Server, limits: ReaderLimits = SERVER_LIMITS): void {
  const open = new Set<HttpSocket>();
  let held = new Map<HttpSocket, Held>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const sweep = setInterval(() => {
    if (open.size === 0) return;
    const now = performance.now();
    held = findHeld(open, held, now);
    for (const each of beyondMemory(held, limits.unreadBytes, isLate(now, limits))) {
      app.metrics.refused.inc({ reason: 'slow_reader' });
      each.socket.destroy();
    }
  }, SWEEP_MS);
  sweep.unref();
  server.once('close', () => clearInterval(sweep));
}

function findHeld(open: ReadonlySet<HttpSocket>, before: ReadonlyMap<HttpSocket, Held>, now: number) {
  const held = new Map<HttpSocket, Held>();
  for (const socket of open) {
    if (socket.writableLength === 0) continue;
    const answer = socket._httpMessage ?? null;
    const known = before.get(socket);
    const taken = socket.bytesWritten - socket.writableLength;
    held.set(socket, known?.answer === answer ? known : { socket, answer, taken, since: now });
  }
  return held;
}

function isLate(now: number, limits: ReaderLimits): (held: Held) => boolean {
  return ({ socket, taken, since }) => {
    // A stream grows while it is read, so its client gets time for all that was written since.
    const bytes = socket.bytesWritten - taken;
    return now - since > limits.writeMs + (bytes / limits.writeBytesPerSecond) * 1000;
  };
}

/** Returns the late responses, and the oldest of the others until the rest fits into memory. New responses are last. */
function beyondMemory(held: ReadonlyMap<HttpSocket, Held>, most: number, late: (held: Held) => boolean): Held[] {
  const [ended, waiting] = [[...held.values()].filter(late), [...held.values()].filter((each) => !late(each))];
  let bytes = waiting.reduce((sum, { socket }) => sum + socket.writableLength, 0);
  if (bytes <= most) return ended;
  for (const each of waiting.toSorted((a, b) => a.since - b.since)) {
    if (bytes <= most / 2) break;
    bytes -= each.socket.writableLength;
    ended.push(each);
  }
  return ended;
}
