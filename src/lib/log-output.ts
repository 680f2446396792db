import pino from 'pino';
import { logLine } from './log-line.ts';

export type LogOutput = {
  stream: pino.DestinationStream;
  /** Resolves when everything that was logged is written, or when its reader is gone. */
  written: () => Promise<void>;
};

/**
 * Standard output for the log, written beside the work, in lines for a person or as JSON. When its reader is gone nothing more is logged and all else goes on.
 *
 * Wait for `written` before `process.exit`: at the exit the stream writes what is left, and where that fails it tries again
 * for ever, unless it has failed before.
 */
export function createLogOutput(format: 'text' | 'json'): LogOutput {
  const stream = pino.destination({ dest: 1, sync: false });
  let readerGone = false;
  stream.on('error', () => {
    readerGone = true;
    stream.flushSync = () => {};
  });
  const written = async () => {
    if (readerGone) return;
    await new Promise<void>((resolve) => {
      stream.once('drain', resolve);
      stream.once('error', () => resolve());
      // `drain` comes after a write, so there must be one.
      stream.write('');
    });
  };
  const forPeople = { write: (record: string) => stream.write(logLine(record)) };
  return { stream: format === 'text' ? forPeople : stream, written };
}
