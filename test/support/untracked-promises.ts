import asyncHooks, { type HookCallbacks } from 'node:async_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded first into each test process. Node's test runner tracks every promise to assign uncaught errors to tests, and
 * that takes an eighth of the processor's time. Here it tracks only sockets and timers.
 *
 * An uncaught error without a known test still fails its file and prints its stack. `node --test FILE` names the test.
 */
if (isMainThread) {
  const { createHook } = asyncHooks;
  asyncHooks.createHook = (callbacks: HookCallbacks) => createHook({ ...callbacks, trackPromises: false });
  const { before } = process.getBuiltinModule('node:test');
  asyncHooks.createHook = createHook;
  before(() => {
    for (const event of ['uncaughtException', 'unhandledRejection'] as const)
      process.on(event, (error: unknown) => console.error(`${event}:`, error));
  });
}
