import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { runChild } from '../support/child-process.ts';

const program = join(import.meta.dirname, '../../bench/run-bench.ts');

type Printed = {
  figures: { name: string; lines: { measured: string; value: number }[]; details: { rows: string[][] }[] }[];
};

/** The number of lines and tables that each figure of one run prints, without and with PostgreSQL. */
type Run = { alone?: Record<string, number>; withPostgres?: Record<string, number> };

/** Several runs in two files, because all together take minutes, and more where other tests run. */
export const SPEED: readonly Run[] = [
  { alone: { 'create-sqlite': 2, sign: 2, idle: 2 }, withPostgres: { 'create-postgres': 2, growth: 4 } },
  { alone: { validations: 2 }, withPostgres: { deliveries: 3, search: 28 } },
  { withPostgres: { connections: 2, profile: 6 } },
];
export const OPERATION: readonly Run[] = [
  { alone: { stranger: 15 } },
  { withPostgres: { move: 3 } },
  { withPostgres: { lived: 1 } },
  { withPostgres: { replicas: 1, restart: 1 } },
];

/** Runs figures in the quick form, which only shows that they work. */
export function bench(...args: string[]) {
  return runChild('node', [program, '--quick', '--json', ...args]);
}

/**
 * The speed depends on the machine, so it is not asserted. This shows that peers and service answer rightly: one
 * refused request ends the figure with status 1.
 */
export function testFigures({ alone = {}, withPostgres = {} }: Run): void {
  const all = { ...alone, ...withPostgres };
  test(`the figures ${Object.keys(all).join(', ')} run, and are printed as one JSON object`, async () => {
    const { status, stdout, stderr } = await bench(...Object.keys(all));
    assert.equal(status, 0, stderr);
    const { figures } = JSON.parse(stdout) as Printed;
    const found = Object.fromEntries(figures.map(({ name, lines, details }) => [name, lines.length + details.length]));
    assert.deepEqual(found, /PostgreSQL is missing/.test(stderr) ? alone : all, stderr);
    // The value may be zero: on a busy machine a quick round can end before the first answer.
    for (const line of figures.flatMap(({ lines }) => lines)) assert.notEqual(line.measured, '');
    for (const { rows } of figures.flatMap(({ details }) => details)) assert.ok(rows.length > 0);
  });
}
