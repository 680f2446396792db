import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type Program = {
  readonly child: ChildProcess;
  /** The first line of its standard output that `isReady` took. */
  readonly line: string;
  /** Asks it to end, and answers when it has. */
  stop(): Promise<void>;
};

const repository = new URL('../../', import.meta.url);
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a TypeScript program of the repository with our own Node and waits for the line that says it is ready.
 * It ends with this process, however this process ends. When it ends by itself the whole run fails.
 */
export async function startProgram(
  args: readonly string[],
  options: { environment?: NodeJS.ProcessEnv; isReady?: (line: string) => boolean } = {},
): Promise<Program> {
  const { environment = {}, isReady = () => true } = options;
  const child = spawn(process.execPath, args, {
    cwd: repository,
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  running.add(child);
  let stopping = false;
  const ended = once(child, 'exit').then(([status]) => {
    running.delete(child);
    // Thrown into nowhere on purpose: whoever waits for its work would wait for ever.
    if (!stopping) throw new Error(`${args.join(' ')} ended by itself, status ${status}`);
  });
  const lines = createInterface(child.stdout);
  const line = await new Promise<string>((resolve) => lines.on('line', (text) => isReady(text) && resolve(text)));
  const stop = async () => {
    stopping = true;
    child.kill('SIGTERM');
    await ended;
  };
  return { child, line, stop };
}

/** Runs a program to its end and answers its standard output. Rejects when it fails. */
export async function runProgram(
  command: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<string> {
  const child = spawn(command, args, {
    cwd: repository,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [status] = (await once(child, 'close')) as [number | null];
  running.delete(child);
  if (status !== 0) throw new Error(`${command} ${args[0] ?? ''} ended with status ${status}`);
  return Buffer.concat(chunks).toString();
}
