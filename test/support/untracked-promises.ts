import asyncHooks, { type HookCallbacks } from 'node:async_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before anything else into a process of tests. Node's test runner follows every promise, to know which test an error
 * that nobody caught belongs to, and that takes an eighth of the processor's time. Here it follows sockets and timers alone.
 *
 * An error whose test is unknown still fails its file, and its stack is printed. `node --test FILE` names the test.
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
