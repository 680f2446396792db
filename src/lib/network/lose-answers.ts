import type { Dial } from './dial-address.ts';

/**
 * Wraps `dial` so that responses are lost: the connection closes when the first bytes of the response arrive. The
 * server has then carried out the request, and the client never learns it.
 */
export function loseAnswers(dial: Dial): Dial {
  return (target) => {
    const socket = dial(target);
    // This listener runs first and consumes all data, so no other listener reads any.
    socket.on('readable', () => {
      while (socket.read() !== null);
      if (socket.bytesRead > 0) socket.destroy();
    });
    return socket;
  };
}
