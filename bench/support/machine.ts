import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';

/** The machine of a measurement, printed beside it. Times in milliseconds. */
export type Machine = {
  processor: string;
  cores: number;
  memoryGigabytes: number;
  system: string;
  node: string;
  sqlite: string;
  postgres: string | null;
  /** For 4 KiB written and flushed, one after the other. */
  fsync: { p50: number; p99: number };
};

export function describeMachine(folder: string, postgres: string | null): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    sqlite: process.versions.sqlite ?? 'unknown',
    postgres,
    fsync: measureFsync(join(folder, 'fsync')),
  };
}

export function machineLines(machine: Machine): string[] {
  const { processor, cores, memoryGigabytes, system, node, sqlite, postgres } = machine;
  return [
    `${processor}, ${cores} cores, ${memoryGigabytes} GB, ${system}`,
    `Node.js ${node}, SQLite ${sqlite}${postgres === null ? '' : `, PostgreSQL ${postgres}`}`,
  ];
}

/** Returns the median and the 99th percentile, with their unit. */
export function fsyncCells({ p50, p99 }: Machine['fsync']): [string, string] {
  return [`${p50.toFixed(2)} ms`, `${p99.toFixed(2)} ms`];
}

function measureFsync(file: string): Machine['fsync'] {
  const block = Buffer.alloc(4096, 1);
  const descriptor = openSync(file, 'w');
  const times = Array.from({ length: 200 }, () => {
    writeSync(descriptor, block);
    const startedAt = performance.now();
    fdatasyncSync(descriptor);
    return performance.now() - startedAt;
  }).sort((one, other) => one - other);
  closeSync(descriptor);
  rmSync(file);
  return { p50: times[100] as number, p99: times[198] as number };
}
