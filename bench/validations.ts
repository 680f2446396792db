import { join } from 'node:path';
import { alternate, type Bench, roundsAgainst, runLoad } from './support/bench.ts';
import { type Figure, FigureSkipped, ratioLine } from './support/figure.ts';
import type { ValidationRequest } from './support/load-plan.ts';
import { startPeer } from './support/peers.ts';
import { runProgram } from './support/programs.ts';
import { createInstallation, createRequestOf, type Installation, startService } from './support/service.ts';

/** Bank account validations a second, each recorded durably, against the bare durable server and its two rows. */
export async function measureValidations(bench: Bench): Promise<Figure> {
  const ours = await createInstallation(join(bench.folder, 'validations'));
  const theirs = await createInstallation(join(bench.folder, 'validations-bare'));
  const user = await createUser(ours);
  const service = await startService(ours);
  const request: ValidationRequest = { kind: 'validation', accessToken: await logIn(service.port, user) };
  const durable = await startPeer(new URL('./peers/bare-durable-server.ts', import.meta.url), [
    join(bench.folder, 'validations-bare', 'rubrica.db'),
    theirs.secretToken,
  ]);
  const rows = await alternate(bench, {
    'the service': async () => (await runLoad(bench, { port: service.port, request })).rate,
    'bare durable server': async () =>
      (await runLoad(bench, { port: durable.port, request: createRequestOf(theirs) })).rate,
  });
  await Promise.all([service.stop(), durable.stop()]);
  const measured = 'bank account validations/s, record kept durably, SQLite, 64 connections';
  return {
    lines: [ratioLine(measured, 'bare durable server', { atLeast: 0.8 }, roundsAgainst(rows, 1))],
    details: [],
  };
}

type User = { email: string; password: string };

async function createUser({ environment }: Installation): Promise<User> {
  const args = ['src/main.ts', 'user', 'create', '--email', 'bench@example.cl', '--payouts', '--json'];
  return JSON.parse(await runProgram(process.execPath, args, environment)) as User;
}

async function logIn(port: number, { email, password }: User): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/users/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: email, password }),
  });
  if (!response.ok) throw new FigureSkipped(`POST /users/login answers ${response.status}`);
  return ((await response.json()) as { data: { access_token_jwt: string } }).data.access_token_jwt;
}
