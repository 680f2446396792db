import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { makeOwnedFolder } from '../test/support/owned-folder.ts';
import { measureConnections } from './connections.ts';
import { measureCreatePostgres } from './create-postgres.ts';
import { measureCreateSqlite } from './create-sqlite.ts';
import { measureDeliveries } from './deliveries.ts';
import { measureGrowth } from './growth.ts';
import { measureIdle } from './idle.ts';
import { measureLived } from './lived.ts';
import { measureMove } from './move.ts';
import { measureProfile } from './profile.ts';
import { measureReplicas } from './replicas.ts';
import { measureRestart } from './restart.ts';
import { measureSearch } from './search.ts';
import { measureSign } from './sign.ts';
import { measureStranger } from './stranger.ts';
import { type Bench, createBench } from './support/bench.ts';
import { type Details, type Figure, FigureInvalid, FigureSkipped } from './support/figure.ts';
import { describeMachine } from './support/machine.ts';
import { plotOf } from './support/plot.ts';
import { type Measured, markdownOf, textOf } from './support/report.ts';
import { measureValidations } from './validations.ts';

/** THE TABLE of figures, in the order of printing. */
const FIGURES: Record<string, (bench: Bench) => Promise<Figure>> = {
  'create-sqlite': measureCreateSqlite,
  'create-postgres': measureCreatePostgres,
  validations: measureValidations,
  deliveries: measureDeliveries,
  growth: measureGrowth,
  search: measureSearch,
  move: measureMove,
  lived: measureLived,
  replicas: measureReplicas,
  restart: measureRestart,
  stranger: measureStranger,
  sign: measureSign,
  idle: measureIdle,
  connections: measureConnections,
  profile: measureProfile,
};

const DOCUMENT = new URL('../docs/performance.md', import.meta.url);
const RECORD = new URL('../docs/performance.json', import.meta.url);
const PLOT = new URL('../docs/performance.svg', import.meta.url);

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    json: { type: 'boolean' },
    write: { type: 'boolean' },
    payments: { type: 'string' },
    engine: { type: 'string' },
    keep: { type: 'string' },
    steps: { type: 'string' },
  },
});
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
await main(positionals.length === 0 ? Object.keys(FIGURES) : positionals);

async function main(names: readonly string[]): Promise<void> {
  const unknown = names.find((name) => !Object.hasOwn(FIGURES, name));
  if (unknown !== undefined)
    return fail('NOT_FOUND', `There is no figure ${unknown}; there are ${Object.keys(FIGURES).join(', ')}.`);
  if (options.write && options.quick)
    return fail('INVALID_OPTION', 'What --quick measures means nothing, so it is not written.');
  const payments = options.payments?.split(',').map(Number);
  if (payments?.every((count) => Number.isSafeInteger(count) && count >= 200) === false)
    return fail('INVALID_OPTION', '--payments are whole numbers from 200, such as 100000 or 100000,1000000.');
  const engine = ({ sqlite: 'SQLite', postgres: 'PostgreSQL' } as const)[options.engine ?? ''];
  if (options.engine !== undefined && engine === undefined)
    return fail('INVALID_OPTION', '--engine is sqlite or postgres.');
  const folder = makeOwnedFolder(tmpdir(), 'rubrica-bench');
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const stores = payments !== undefined && { lived: payments, moved: Math.max(...payments) };
  const sizes = { ...stores, ...(engine !== undefined && { livedOn: [engine] }) };
  const bench = createBench(folder, options.quick === true, sizes, {
    ...(options.keep !== undefined && { keep: options.keep }),
    ...(options.steps !== undefined && { steps: options.steps.split(',') }),
  });
  const measured: Measured[] = [];
  for (const name of names) {
    const figure = await measure(bench, name);
    if (figure !== null) measured.push(figure);
  }
  await bench.stop();
  process.stdout.write(options.json === true ? `${JSON.stringify({ figures: measured })}\n` : `\n${textOf(measured)}`);
  if (options.write === true) write(measured);
}

/** Measures a figure. Returns null if it could not be taken, and prints why; an invalid figure sets exit status 1. */
async function measure(bench: Bench, name: string): Promise<Measured | null> {
  bench.say(name);
  try {
    const figure = await (FIGURES[name] as (bench: Bench) => Promise<Figure>)(bench);
    const machine = describeMachine(bench.folder, bench.postgresVersion());
    // Only the day, so that it does not reveal working hours.
    return { name, measuredAt: new Date().toISOString().slice(0, 10), machine, ...figure };
  } catch (error) {
    if (!(error instanceof FigureSkipped || error instanceof FigureInvalid)) throw error;
    bench.say(`!!! ${name} was not measured: ${error.message}`);
    if (error instanceof FigureInvalid) process.exitCode = 1;
    return null;
  }
}

/** Merges the new figures with the earlier ones, and rewrites the document and its plot. */
function write(measured: readonly Measured[]): void {
  const before = existsSync(RECORD) ? (JSON.parse(readFileSync(RECORD, 'utf8')) as Measured[]) : [];
  const all = Object.keys(FIGURES).flatMap((name) => {
    const [now, then] = [measured, before].map((figures) => figures.find((one) => one.name === name));
    return now === undefined ? (then ?? []) : { ...now, details: now.details.map((one) => withEarlierRows(one, then)) };
  });
  writeFileSync(RECORD, `${JSON.stringify(all, null, 1)}\n`);
  writeFileSync(PLOT, plotOf(all.flatMap(({ lines }) => lines)));
  const document = readFileSync(DOCUMENT, 'utf8');
  const between = /(<!-- measured: .*?-->\n)[^]*(\n<!-- end of what was measured -->)/;
  writeFileSync(
    DOCUMENT,
    document.replace(between, (_, begin: string, end: string) => `${begin}\n${markdownOf(all)}\n${end}`),
  );
}

/** Adds earlier rows that were not measured now. */
function withEarlierRows(now: Details, before: Measured | undefined): Details {
  const { keyCells, rows, title } = now;
  if (keyCells === undefined) return now;
  const nameOf = (row: readonly string[]) => JSON.stringify(row.slice(0, keyCells));
  const measured = new Map(rows.map((row) => [nameOf(row), row]));
  const then = before?.details.find((one) => one.title === title)?.rows ?? [];
  const known = new Set(then.map(nameOf));
  const added = rows.filter((row) => !known.has(nameOf(row)));
  return { ...now, rows: [...then.map((row) => measured.get(nameOf(row)) ?? row), ...added] };
}

/** Prints an error as the commands of the service do. */
function fail(code: string, message: string): void {
  process.stderr.write(`${code}: ${message}\n`);
  if (options.json === true) process.stdout.write(`${JSON.stringify({ error: { code, message } })}\n`);
  process.exitCode = 1;
}
