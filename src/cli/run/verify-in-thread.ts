import { Worker } from 'node:worker_threads';
import type { Verify } from '../../proof/run-verification.ts';
import type { Said } from './verify-thread.ts';

/** Verifies the books on a thread with a store of its own, so that no request waits for its reads and hashes. */
export const verifyInThread: Verify = async ({ config }, onProgress, signal) => {
  signal.throwIfAborted();
  const thread = new Worker(new URL('./verify-thread.ts', import.meta.url), { workerData: config });
  const { promise, resolve, reject } = Promise.withResolvers<Extract<Said, { report: unknown }>['report']>();
  thread.on('message', (said: Said) => {
    if ('report' in said) resolve(said.report);
    else void onProgress(said);
  });
  thread.once('error', reject);
  thread.once('exit', () => reject(new Error('the thread that verifies the books ended early')));
  const stop = () => reject(signal.reason as Error);
  signal.addEventListener('abort', stop);
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
};
