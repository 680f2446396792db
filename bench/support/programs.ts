import { outputOf, startChild } from '../../test/support/child-process.ts';
import type { Program } from '../../test/support/system-programs.ts';

export type RunningProgram = {
  readonly pid: number;
  /** The first line of standard output that `isReady` accepted. */
  readonly line: string;
  /** Stops the program and resolves when it has ended. */
  stop(): Promise<void>;
};

const repository = new URL('../../', import.meta.url);

/**
 * Starts a program of the repository and waits for the line that says it is ready. The program always ends with this
 * process. If it ends by itself, the whole run fails.
 */
export async function startProgram(
  program: Program,
  args: readonly string[],
  options: { environment?: NodeJS.ProcessEnv; isReady?: (line: string) => boolean } = {},
): Promise<RunningProgram> {
  const { environment = {}, isReady = () => true } = options;
  const child = await startChild(program, args, { cwd: repository, env: { ...process.env, ...environment } });
  const lineIn = (stdout: string) => stdout.split('\n').slice(0, -1).find(isReady);
  const { stdout } = await child.until((written) => lineIn(written.stdout) !== undefined);
  let stopping = false;
  void child.ended.then(({ status, stderr }) => {
    // Thrown as an uncaught error on purpose: a caller that waits for its work would wait forever.
    if (!stopping) throw new Error(`${args.join(' ')} ended by itself, status ${status}: ${stderr}`);
  });
  const stop = async () => {
    stopping = true;
    await child.end();
  };
  return { pid: child.pid, line: lineIn(stdout) as string, stop };
}

/** Longer than any step takes on a slow machine. */
const LONGEST_MS = 2 * 3_600_000;

/** Runs a program to its end and returns its standard output. Rejects if it fails. */
export function runProgram(
  program: Program,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<string> {
  return outputOf(program, args, { cwd: repository, env: { ...process.env, ...environment }, longestMs: LONGEST_MS });
}
