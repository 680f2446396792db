import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Frees the 13 MB of memory that only loading the program needed. V8 alone would keep them until the process has been
 * idle for most of a minute. The collection takes a tenth of a second, so call this before the first request.
 */
export function freeStartMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
