import { randomUUID } from 'node:crypto';
import { type Child, type Ended, startChild, type Written } from './child-process.ts';

/**
 * One line for `command-host.ts`. `isTTY`: for stdin and stderr, or for stdin only. `end`: the text that the host
 * writes after the command's output.
 */
export type HostedCommand = {
  words: readonly string[];
  env: NodeJS.ProcessEnv;
  input: string;
  isTTY: boolean | 'stdin';
  end: string;
};

const LONGEST_MS = 4 * 60_000;
/** The processes that wait for their next command. */
const idle: Child[] = [];

/**
 * Runs a command of `bin/rubrica` without the launcher, which only installs packages. The commands of a test file share
 * a process one after another, because loading the code is nearly the whole cost of a command.
 */
export async function runCommand(
  words: readonly string[],
  { env, input = '', isTTY = false }: { env: NodeJS.ProcessEnv; input?: string; isTTY?: HostedCommand['isTTY'] },
): Promise<Ended> {
  const host = idle.pop() ?? (await startHost());
  host.holds(true);
  const before = host.written();
  const end = `\n${randomUUID()}\n`;
  host.stdin.write(`${JSON.stringify({ words, env, input, isTTY, end } satisfies HostedCommand)}\n`);
  const has = ({ stdout, stderr }: Written) =>
    new RegExp(`${end}\\d+\\n`).test(stdout.slice(before.stdout.length)) && stderr.endsWith(end);
  const timer = setTimeout(() => host.signal('SIGKILL'), LONGEST_MS);
  const early = await Promise.race([host.until(has).then(() => undefined), host.ended]).catch(() => host.ended);
  clearTimeout(timer);
  const { stdout, stderr } = host.written();
  const written = { stdout: stdout.slice(before.stdout.length), stderr: stderr.slice(before.stderr.length) };
  // The command called `process.exit` or crashed the process.
  if (early !== undefined) return { ...written, status: early.status, signal: early.signal };
  host.holds(false);
  idle.push(host);
  const [text = '', status] = written.stdout.split(end);
  return { stdout: text, stderr: written.stderr.slice(0, -end.length), status: Number(status), signal: null };
}

function startHost(): Promise<Child> {
  return startChild('node', ['test/support/command-host.ts'], { cwd: new URL('../..', import.meta.url) });
}
