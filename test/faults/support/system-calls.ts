import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What strace does to the n-th call of a kind: an error in place of the call, the end of the process, or a delay. */
export type Injection = { call: 'fsync' | 'pwrite64'; fault: string; at: string };

/** A command in front of Node that lets a system call fail, and writes what it did to `log`. */
export function injecting({ call, fault, at }: Injection, log: string): string[] {
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

/** The calls that were tampered with, each as strace shows it, with the path of its file. */
export function firedCalls(log: string): string[] {
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => /INJECTED|DELAYED/.test(line));
}

/** Why this machine cannot inject faults into system calls, or null. */
export function whyNoInjection(): string | null {
  const trial = spawnSync('strace', ['-f', '-e', 'inject=fsync:error=EIO:when=1', 'true'], { encoding: 'utf8' });
  if (trial.error !== undefined) return "Debian's package strace is missing";
  return trial.status === 0 ? null : 'ptrace is not permitted here';
}
