import { type Ended, runChild } from './child-process.ts';

/** Runs a command of `bin/rubrica` in a process of its own, without the launcher: that one only installs packages. */
export function runCommand(
  words: readonly string[],
  options: { env: NodeJS.ProcessEnv; input?: string },
): Promise<Ended> {
  return runChild('node', ['src/main.ts', ...words], { cwd: new URL('../..', import.meta.url), ...options });
}
