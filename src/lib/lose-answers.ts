import type { Dial } from './dial-address.ts';

/**
 * Dials as `dial` does; of the answer nothing is read. When its first bytes arrive the connection is closed, so the other side has
 * done what it was asked and nobody heard of it.
 */
export function loseAnswers(dial: Dial): Dial {
  return (target) => {
    const socket = dial(target);
    // The first listener: what it has read, nobody else reads.
    socket.on('readable', () => {
      while (socket.read() !== null);
      if (socket.bytesRead > 0) socket.destroy();
    });
    return socket;
  };
}
