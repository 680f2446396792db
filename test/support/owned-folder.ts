import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes a new folder `PREFIX-OWNER-XXXXXX` in `parent`, where OWNER names this process, and removes the folders of this
 * prefix whose process is gone: a killed process removes nothing itself, and in /dev/shm its files take memory.
 */
export function makeOwnedFolder(parent: string, prefix: string): string {
  removeAbandoned(parent, prefix);
  return mkdtempSync(join(parent, `${prefix}-${ownerOf(process.pid) ?? process.pid}-`));
}

function removeAbandoned(parent: string, prefix: string): void {
  const namespace = pidNamespace();
  for (const name of readdirSync(parent)) {
    const [, pid = '', start, of] = name.startsWith(`${prefix}-`) ? (OWNED.exec(name.slice(prefix.length)) ?? []) : [];
    // The process ids of another container say nothing here.
    if (pid === '' || of !== namespace || ownerOf(Number(pid)) === `${pid}.${start}.${of}`) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // It belongs to another account, which removes it at its next start.
    }
  }
}

const OWNED = /^-(\d+)\.(\d+)\.(\d+)-\w{6}$/;

/**
 * Returns `PID.START.NAMESPACE`, because process ids are used again; null without such a process, and without Linux.
 */
function ownerOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may have spaces. The start is field 22.
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return `${pid}.${start}.${pidNamespace()}`;
  } catch {
    return null;
  }
}

function pidNamespace(): string | undefined {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
  } catch {
    return undefined;
  }
}
