import type { IncomingMessage } from 'node:http';
import { hasBody } from '../http/framing.ts';
import { SERVER_LIMITS } from './server-limits.ts';

type Limits = { discardBytes: number; discardMs: number };

/**
 * Lets a client that is still sending its body read the response. Call it before the response is sent.
 *
 * A connection closed with unread input is reset, and a client that writes its whole body before it reads then sees an
 * error of the network instead of the response. So the rest of the body is read and discarded: at most `discardBytes`,
 * and for `discardMs` after the response, if the response closes the connection.
 */
export function discardRest(request: IncomingMessage, limits: Limits = SERVER_LIMITS): void {
  // A request without a body may not be complete yet when it is answered at once.
  if (request.complete || !hasBody(request)) return;
  const { socket } = request;
  let left = limits.discardBytes;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.destroy();
  });
  // Node calls this after the last response of a connection.
  socket.destroySoon = () => {
    Reflect.deleteProperty(socket, 'destroySoon');
    if (request.complete) {
      socket.destroySoon();
      return;
    }
    socket.end();
    const timer = setTimeout(() => socket.destroy(), limits.discardMs);
    socket.once('close', () => clearTimeout(timer));
    request.once('end', () => socket.destroySoon());
  };
}
