import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects what only loading the program needed, once. By itself V8 keeps the room for it, 13 MB, until the process has been idle for
 * most of a minute. It takes a tenth of a second, so it is for before the first request.
 */
export function forgetLoading(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
