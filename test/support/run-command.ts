import { randomUUID } from 'node:crypto';
import { type Child, type Ended, startChild, type Written } from './child-process.ts';

/** A line for `command-host.ts`. `isTTY`: of stdin and stderr, or of stdin alone. `end` is what it writes behind all that the command wrote. */
export type HostedCommand = {
  words: readonly string[];
  env: NodeJS.ProcessEnv;
  input: string;
  isTTY: boolean | 'stdin';
  end: string;
};

const LONGEST_MS = 4 * 60_000;
/** Processes that wait for their next command. */
const idle: Child[] = [];

/**
 * Runs a command of `bin/rubrica` without the launcher: that one only installs packages. It runs in a process that this test's
 * commands share one after another, because to load the code is nearly all that a command costs.
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
  // `process.exit`, or an end that nobody planned.
  if (early !== undefined) return { ...written, status: early.status, signal: early.signal };
  host.holds(false);
  idle.push(host);
  const [text = '', status] = written.stdout.split(end);
  return { stdout: text, stderr: written.stderr.slice(0, -end.length), status: Number(status), signal: null };
}

function startHost(): Promise<Child> {
  return startChild('node', ['test/support/command-host.ts'], { cwd: new URL('../..', import.meta.url) });
}
