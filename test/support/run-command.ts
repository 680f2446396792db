import { randomUUID } from 'node:crypto';
import { type Child, type Ended, startChild, type Written } from './child-process.ts';

/**
 * One line for `command-host.ts`. `isTTY`: for stdin and stderr, or for stdin only. `answers`: how many of the next
 * lines are typed into the command. `end`: the text that the host writes after the command's output.
 */
export type HostedCommand = {
  words: readonly string[];
  env: NodeJS.ProcessEnv;
  input: string;
  isTTY: boolean | 'stdin';
  answers: number;
  end: string;
};

const LONGEST_MS = 4 * 60_000;
/** The end of every question. */
const QUESTION = '[y/N] ';
/** The processes that wait for their next command. */
const idle: Child[] = [];

/**
 * Runs a command of `bin/rubrica` without the launcher, which only installs packages. The commands of a test file share
 * a process one after another, because loading the code is nearly the whole cost of a command. `answers` give what a
 * person at a terminal types, each when the command asks its next question; then it has no other input. Throws if the
 * command asks fewer questions.
 */
export async function runCommand(
  words: readonly string[],
  {
    env,
    input = '',
    answers = [],
    isTTY = answers.length > 0,
  }: {
    env: NodeJS.ProcessEnv;
    input?: string;
    answers?: readonly (() => Promise<string>)[];
    isTTY?: HostedCommand['isTTY'];
  },
): Promise<Ended> {
  const host = idle.pop() ?? (await startHost());
  host.holds(true);
  const before = host.written();
  const end = `\n${randomUUID()}\n`;
  const command: HostedCommand = { words, env, input, isTTY, answers: answers.length, end };
  host.stdin.write(`${JSON.stringify(command)}\n`);
  const typing = typeAnswers(host, before.stderr.length, answers);
  const has = ({ stdout, stderr }: Written) =>
    new RegExp(`${end}\\d+\\n`).test(stdout.slice(before.stdout.length)) && stderr.endsWith(end);
  const timer = setTimeout(() => host.signal('SIGKILL'), LONGEST_MS);
  const done = host.until(has).then(() => undefined);
  const early = await Promise.race([done, host.ended, typing.then(() => done)])
    .catch((error) => {
      if (!host.running()) return host.ended;
      host.signal('SIGKILL');
      throw error;
    })
    .finally(() => clearTimeout(timer));
  const { stdout, stderr } = host.written();
  const written = { stdout: stdout.slice(before.stdout.length), stderr: stderr.slice(before.stderr.length) };
  // The command called `process.exit`.
  if (early !== undefined && early.signal === null) return { ...written, status: early.status, signal: null };
  // No test ends the host in this way, so its output says why Node crashed.
  if (early !== undefined)
    throw new Error(`${words.join(' ')} ended with ${early.signal}\n${written.stdout}${written.stderr}`);
  const asked = written.stderr.split(QUESTION).length - 1;
  if (asked < answers.length) {
    host.signal('SIGKILL');
    throw new Error(
      `${words.join(' ')} asked ${asked} of ${answers.length} questions\n${written.stdout}${written.stderr}`,
    );
  }
  host.holds(false);
  idle.push(host);
  const [text = '', status] = written.stdout.split(end);
  return { stdout: text, stderr: written.stderr.slice(0, -end.length), status: Number(status), signal: null };
}

/** `from`: the length of what the host had written to stderr before this command. */
async function typeAnswers(host: Child, from: number, answers: readonly (() => Promise<string>)[]): Promise<void> {
  for (const [at, answer] of answers.entries()) {
    await host.until(({ stderr }) => stderr.slice(from).split(QUESTION).length > at + 1);
    host.stdin.write(`${await answer()}\n`);
  }
}

function startHost(): Promise<Child> {
  return startChild('node', ['test/support/command-host.ts'], { cwd: new URL('../..', import.meta.url) });
}
