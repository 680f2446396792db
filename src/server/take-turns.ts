import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createFairShares } from '../lib/fair-shares.ts';
import { clientNetworks } from '../lib/network/client-network.ts';
import { SERVER_LIMITS } from './server-limits.ts';

type Response = ServerResponse & { req: IncomingMessage };

/** A connection that sends a request before the earlier ones are answered. */
type Turns = {
  networks: readonly string[];
  /** How many requests are read and not started. */
  waiting: number;
  /** It was refused, and closes soon. */
  ended: boolean;
  /** How many requests were read since then; none of them is answered. */
  vain: number;
};

/**
 * A refused connection is cut after this many further requests, about as many as Node reads at once. A pause does not
 * stop them: each response makes Node read on.
 */
const MOST_IN_VAIN = 2_000;

/** The time per loop iteration for requests that waited for earlier ones of their connection. */
const TURNS_MS = 2;

/**
 * Starts a request of a connection when the earlier ones are answered. Node reads as many as a client sends and starts
 * them all at once, so one connection could delay everybody by thousands of requests. The first request of a connection
 * goes straight to the listener.
 *
 * At `waitingRequests` waiting requests, `refuse` answers once and the connection closes. If it continues, or if one
 * network has too many waiting requests on all its connections, `drop` is called and the connection is cut.
 */
export function takeTurns(server: Server, refuse: (response: Response) => void, drop: (socket: Socket) => void): void {
  const [begin] = server.listeners('request') as [RequestListener];
  const shares = createFairShares(SERVER_LIMITS.allWaitingRequests);
  const turnsOf = new WeakMap<Socket, Turns>();
  const enqueue = createQueue();
  server.off('request', begin);
  server.on('request', (request: IncomingMessage, response: Response) => {
    // Node assigns the socket to a response when the previous response has left.
    if (response.socket !== null) begin(request, response);
    else wait(request, response);
  });

  function wait(request: IncomingMessage, response: Response): void {
    const { socket } = request;
    const turns = turnsOf.get(socket) ?? startTurns(socket);
    if (turns.ended) {
      if (++turns.vain === MOST_IN_VAIN) cut(socket);
      return;
    }
    // Bytes in the system's buffers stay there. Requests that are already read are parsed in any case.
    socket.pause();
    if (turns.waiting === SERVER_LIMITS.waitingRequests) {
      turns.ended = true;
      refuse(response);
      setTimeout(() => socket.destroy(), SERVER_LIMITS.lingerMs).unref();
      return;
    }
    if (!shares.take(turns.networks, 1)) {
      // Its network floods from many connections, so keeping them for a response would cost the most.
      turns.ended = true;
      cut(socket);
      return;
    }
    turns.waiting++;
    response.once('socket', () => {
      turns.waiting--;
      shares.release(turns.networks, 1);
      enqueue(() => {
        // The client has left, so nobody would read the response.
        if (socket.destroyed) return;
        if (!turns.ended) socket.resume();
        begin(request, response);
      });
    });
  }

  function cut(socket: Socket): void {
    drop(socket);
    socket.destroy();
  }

  function startTurns(socket: Socket): Turns {
    const turns = { networks: clientNetworks(socket.remoteAddress ?? ''), waiting: 0, ended: false, vain: 0 };
    turnsOf.set(socket, turns);
    let frames = 0;
    // Node creates an error for each aborted request, and its stack costs ten times as much as reading the request.
    socket.prependOnceListener('close', () => {
      frames = Error.stackTraceLimit;
      Error.stackTraceLimit = 0;
    });
    socket.once('close', () => {
      Error.stackTraceLimit = frames;
      shares.release(turns.networks, turns.waiting);
      turns.waiting = 0;
    });
    return turns;
  }
}

/**
 * Runs queued functions for a short time per loop iteration, so that clients with one request at a time do not wait for
 * them.
 */
function createQueue(): (turn: () => void) => void {
  let due: (() => void)[] = [];
  let at = 0;
  const run = () => {
    const until = performance.now() + TURNS_MS;
    do due[at++]?.();
    while (at < due.length && performance.now() < until);
    if (at < due.length) setImmediate(run);
    else [due, at] = [[], 0];
  };
  return (turn) => {
    due.push(turn);
    if (due.length === 1) setImmediate(run);
  };
}
