import { readFileSync } from 'node:fs';
import { runChild } from '../../support/child-process.ts';
import { whyMissing } from '../../support/system-programs.ts';
import type { Wrapper } from './serve-process.ts';

/** What strace does to the n-th call of a kind: returns an error, kills the process, or delays the call. */
export type Injection = { call: 'fsync' | 'pwrite64'; fault: string; at: string };

/** Returns a command before Node that injects a fault into a system call and logs its effect to `log`. */
export function injecting({ call, fault, at }: Injection, log: string): Wrapper {
  // -D: the traced program is the child and strace its companion, so signals reach the service itself.
  return [
    'strace',
    '-D',
    '-f',
    '-q',
    '-y',
    '-o',
    log,
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${call}:${fault}:when=${at}`,
  ];
}

/** Lists the injected calls in strace's format, with the path of each file. */
export function firedCalls(log: string): string[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => /INJECTED|DELAYED/.test(line));
}

/** Returns why this machine cannot inject faults into system calls, or null. */
export async function whyNoInjection(): Promise<string | null> {
  const missing = whyMissing('strace');
  if (missing !== null) return missing;
  const { status, stderr } = await runChild('strace', ['-f', '-e', 'inject=fsync:error=EIO:when=1', 'true']);
  return status === 0 ? null : `this machine does not allow ptrace (${stderr.trim().split('\n').at(-1)})`;
}
