import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { residentMegabytes } from './idle.ts';
import type { Bench } from './support/bench.ts';
import { type Figure, FigureInvalid, FigureSkipped, type Line, ratioLine } from './support/figure.ts';
import { createBodies } from './support/prepared-requests.ts';
import { startProgram } from './support/programs.ts';
import {
  createBenchUser,
  createInstallation,
  createRequestOf,
  type Service,
  startService,
  VALIDATES,
} from './support/service.ts';

const ATTACKS: Readonly<Record<string, string>> = {
  'wrong signatures': 'wrong signatures in the name of the honest merchant, 64 connections',
  'unknown accounts': 'creates of unknown accounts, 64 connections',
  'wrong passwords': 'wrong passwords of a user, 64 connections',
  'silent connections': '2,000 silent connections of 4 addresses, opened again and again',
  'answers never read': '2,000 connections that ask for the description of the API and never read',
};
const program = new URL('./peers/stranger.ts', import.meta.url).pathname;
/** Attacks take a while to have an effect, and the slowest of a hundred needs many hundred requests. */
const TIMES_LONGER = 2;
const MOST_ROUNDS = 3;
/** The requests per second of each kind. The limit of a payment service is 100 a second. */
const PER_SECOND = 40;

type Seen = { healthz: number; create: number; megabytes: number };

/**
 * Measures the responses to an honest client during the worst known attack of one stranger, against the same without
 * the stranger.
 */
export async function measureStranger(bench: Bench): Promise<Figure> {
  if (process.platform !== 'linux')
    throw new FigureSkipped('the stranger needs other addresses of this machine, and /proc');
  const settings = { RATE_LIMITS: 'on' };
  const installation = await createInstallation(join(bench.folder, 'stranger'), undefined, settings);
  await createBenchUser(installation, VALIDATES);
  const bodyOf = createBodies(createRequestOf(installation), randomBytes(5).toString('hex'));
  const service = await startService(installation);
  let sent = 0;
  const look = (): Promise<Seen> => lookHonestly(service, bench.sizes.measureMs * TIMES_LONGER, () => bodyOf(++sent));
  const lines: Line[] = [];
  try {
    await look();
    for (const [attack, about] of Object.entries(ATTACKS)) {
      const rounds: { ours: Seen; peer: Seen }[] = [];
      for (let round = 0; round < Math.min(bench.sizes.rounds, MOST_ROUNDS); round++) {
        const peer = await look();
        const args = [program, attack, String(service.port), installation.serviceToken, String(bench.sizes.beginMs)];
        const stranger = await startProgram('node', args, { isReady: (line) => line === 'begun' });
        const ours = await look();
        await stranger.stop();
        rounds.push({ ours, peer });
        // Refusals are over a second later; connections that nobody reads are closed after 20.
        await pause(bench.sizes.settleMs);
      }
      lines.push(...linesOf(about, rounds));
      bench.say(
        `  ${lines
          .slice(-3)
          .map(({ value }) => value.toFixed(2))
          .join('  ')}  ${about}`,
      );
    }
  } finally {
    await service.stop();
  }
  return { lines, details: [] };
}

function linesOf(about: string, rounds: readonly { ours: Seen; peer: Seen }[]): Line[] {
  const line = (what: string, of: (seen: Seen) => number, atMost: number) =>
    ratioLine(
      `${what} beside ${about}`,
      'without a stranger',
      { atMost },
      rounds.map(({ ours, peer }) => ({ ours: of(ours), peer: of(peer) })),
    );
  return [
    line('p99 ms of /healthz', ({ healthz }) => healthz, 3),
    line('p99 ms of honest creates', ({ create }) => create, 3),
    line('memory, MB,', ({ megabytes }) => megabytes, 2),
  ];
}

/** Requests `/healthz` and creates payments at an even pace, whether or not responses come. Times in milliseconds. */
async function lookHonestly({ port, pid }: Service, forMs: number, nextBody: () => string): Promise<Seen> {
  const at = `http://127.0.0.1:${port}`;
  const times = { healthz: [] as number[], create: [] as number[] };
  const asked: Promise<void>[] = [];
  const ask = async (kind: keyof typeof times, path: string, body?: string) => {
    const begun = performance.now();
    const sent = body === undefined ? {} : { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const answer = await fetch(at + path, sent);
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new FigureInvalid(`the honest ${path} was answered ${answer.status}`);
    times[kind].push(performance.now() - begun);
  };
  const begun = performance.now();
  for (let turn = 0; turn === 0 || performance.now() - begun < forMs; turn++) {
    asked.push(ask('healthz', '/healthz'), ask('create', '/trxs', nextBody()));
    await pause(Math.max(0, begun + (turn + 1) * (1000 / PER_SECOND) - performance.now()));
  }
  await Promise.all(asked);
  return {
    healthz: slowestOfHundred(times.healthz),
    create: slowestOfHundred(times.create),
    megabytes: residentMegabytes(pid),
  };
}

function slowestOfHundred(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] as number;
}
