import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientNetworks } from '../lib/client-network.ts';
import { createFairShares } from '../lib/fair-shares.ts';
import { SERVER_LIMITS } from './server-limits.ts';

type Response = ServerResponse & { req: IncomingMessage };

/** The requests of a connection that were read and are not begun, and once it has `ended` those that were read in vain. */
type Turns = { networks: readonly string[]; waiting: number; ended: boolean; vain: number };

/** Of a connection that is refused: about what Node reads at once. Each answer makes it read on, pause or not. */
const MOST_IN_VAIN = 2_000;

/** For requests that come while others of their connection are answered, each time that the loop comes round. */
const TURNS_MS = 2;

/**
 * Begins a request of a connection when those before it are answered. Node reads as many as a client sends and begins all
 * of them at once, so that one connection could keep everybody waiting for as long as it takes to answer thousands. The
 * first request of a connection goes straight to the listener.
 *
 * More than may wait are answered by `refuse` once, which closes the connection. Where it goes on all the same, or one network has too
 * many on all of its connections together, `drop` is told and the connection is cut.
 */
export function takeTurns(server: Server, refuse: (response: Response) => void, drop: (socket: Socket) => void): void {
  const [begin] = server.listeners('request') as [RequestListener];
  const shares = createFairShares(SERVER_LIMITS.allWaitingRequests);
  const turnsOf = new WeakMap<Socket, Turns>();
  const enqueue = createQueue();
  server.off('request', begin);
  server.on('request', (request: IncomingMessage, response: Response) => {
    // Node gives an answer its socket when the one before has left.
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
    // The bytes in the system's buffers are left there. What was read with this request is parsed in any case.
    socket.pause();
    if (turns.waiting === SERVER_LIMITS.waitingRequests) {
      turns.ended = true;
      refuse(response);
      setTimeout(() => socket.destroy(), SERVER_LIMITS.lingerMs).unref();
      return;
    }
    if (!shares.take(turns.networks, 1)) {
      // Its network has shown that it does this with many: keeping them for an answer would cost the most.
      turns.ended = true;
      cut(socket);
      return;
    }
    turns.waiting++;
    response.once('socket', () => {
      turns.waiting--;
      shares.release(turns.networks, 1);
      enqueue(() => {
        // The client has left: nothing would read the answer.
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
    // Node makes an error for each request that is cut off, and its stack costs ten times what reading the request did.
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

/** Runs what is put in, a little each time that the loop comes round, so that clients with one request at a time do not wait for them. */
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
