import { join } from 'node:path';
import type { Bench } from './support/bench.ts';
import { alternate, roundsAgainst } from './support/bench.ts';
import { type Figure, FigureInvalid, type Line, ratioLine } from './support/figure.ts';
import { fillPostgres, fillSqlite, type Target, targetsOf } from './support/search-targets.ts';
import { createBenchUser, createInstallation, type Installation, logIn, startService } from './support/service.ts';
import { storeInPostgres, storeInSqlite } from './support/stored-transactions.ts';

/**
 * Measures how long it takes to find one payment among many, against reading it by its id: through the API, and through
 * the console's search box, which does not know the kind of its text.
 */
export async function measureSearch(bench: Bench): Promise<Figure> {
  const count = Math.max(...bench.sizes.stored);
  const folder = join(bench.folder, 'search');
  const onSqlite = await createInstallation(folder);
  bench.say(`  storing ${count} transactions in SQLite`);
  const file = join(folder, 'rubrica.db');
  await storeInSqlite(file, count, (database) => fillSqlite(database, onSqlite, count));
  const lines = await compare(bench, 'SQLite', onSqlite, count);
  const postgres = await bench.postgres();
  const url = await postgres.createDatabase('search');
  const onPostgres = await createInstallation(join(bench.folder, 'search-postgres'), url);
  bench.say(`  storing ${count} transactions in PostgreSQL`);
  await storeInPostgres(url, count);
  await fillPostgres(url, onPostgres, count);
  return { lines: [...lines, ...(await compare(bench, 'PostgreSQL', onPostgres, count))], details: [] };
}

type Asked = (target: Target, at: number) => string;

/** THE TABLE of known facts about a payment, and how they are searched. */
const KNOWN: readonly (readonly [name: string, path: Asked])[] = [
  ['reference', ({ reference }) => `/transactions?reference=${reference}`],
  ['e-mail', ({ email }) => `/transactions?email=${email}`],
  ['authorisation code', ({ code }) => `/transactions?authorization_code=${code}`],
  ['an amount that one payment has', ({ rare }) => `/transactions?amount=${rare}`],
  ['the box: reference', ({ reference }) => `/transactions?q=${reference}`],
  ['the box: e-mail', ({ email }) => `/transactions?q=${email}`],
  ['the box: authorisation code', ({ code }) => `/transactions?q=${code}`],
  ['the box: id', ({ id }) => `/transactions?q=${id}`],
  ['the box: buy order', ({ attempt }) => `/transactions?q=${attempt}`],
  ['the box: refund', ({ refund }) => `/transactions?q=${refund}`],
  ['the box: callback', ({ callback }) => `/transactions?q=${callback}`],
  ['the box: an amount that one payment has', ({ rare }) => `/transactions?q=${rare}`],
  [
    'the box: a usual amount',
    (_, at) => `/transactions?limit=1&q=${encodeURIComponent(`$${(1_000 + at * 10).toLocaleString('es-CL')}`)}`,
  ],
  ['the box: what no payment has', (_, at) => `/transactions?q=NADA-${at}`],
];

async function compare(bench: Bench, engine: string, installation: Installation, count: number): Promise<Line[]> {
  const reader = await createBenchUser(installation, { role: 'support', may: [], paymentServices: 'all' });
  const service = await startService(installation);
  const token = await logIn(service, reader);
  const targets = targetsOf(count);
  const ask = async (path: Asked) => {
    const times: number[] = [];
    for (const [at, target] of targets.entries()) {
      const begun = performance.now();
      const answer = await fetch(`http://127.0.0.1:${service.port}${path(target, at)}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const text = await answer.text();
      times.push(performance.now() - begun);
      const isThere =
        text.includes(`:${target.id},`) || path(target, at).includes('NADA') || path(target, at).includes('limit=1');
      if (!answer.ok || !isThere)
        throw new FigureInvalid(`${path(target, at)} answers ${answer.status}: ${text.slice(0, 300)}`);
    }
    // Returns the median in microseconds.
    return (times.toSorted((one, other) => one - other)[times.length >> 1] as number) * 1000;
  };
  const contestants = Object.fromEntries(KNOWN.map(([name, path]) => [name, () => ask(path)]));
  const byId = () => ask(({ id }) => `/trxs/${id}`);
  try {
    const rows = await alternate(bench, { 'by id': byId, ...contestants });
    return KNOWN.map(([name], at) => lineOf(`${engine}, ${name}`, count, roundsAgainst(rows, 0, at + 1)));
  } finally {
    await service.stop();
  }
}

function lineOf(what: string, count: number, rounds: ReturnType<typeof roundsAgainst>): Line {
  const measured = `time to find one of ${count.toLocaleString('en')} transactions, ${what}`;
  return ratioLine(measured, 'GET /trxs/{id}', { atMost: 5 }, rounds);
}
