import pino from 'pino';
import { logLine } from './log-line.ts';

export type LogOutput = {
  stream: pino.DestinationStream;
  /** Resolves when all log lines are written, or when the reader has closed the stream. */
  written: () => Promise<void>;
};

/**
 * Writes the log asynchronously, as text lines or as JSON. When the reader closes the stream,
 * logging stops and the process continues.
 *
 * Await `written` before `process.exit`. At exit the stream writes its rest, and a failing write would be retried
 * forever unless one has failed before.
 */
export function createLogOutput({
  logFormat,
  logTo,
}: {
  logFormat: 'text' | 'json';
  logTo: 'stdout' | 'stderr';
}): LogOutput {
  const stream = pino.destination({ dest: logTo === 'stdout' ? 1 : 2, sync: false });
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
      // `drain` is only emitted after a write.
      stream.write('');
    });
  };
  const forPeople = { write: (record: string) => stream.write(logLine(record)) };
  return { stream: logFormat === 'text' ? forPeople : stream, written };
}
