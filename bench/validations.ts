import { join } from 'node:path';
import { alternate, type Bench, roundsAgainst, runLoad } from './support/bench.ts';
import { type Figure, ratioLine } from './support/figure.ts';
import type { ValidationRequest } from './support/load-plan.ts';
import { startPeer } from './support/peers.ts';
import {
  createBenchUser,
  createInstallation,
  createRequestOf,
  startService,
  VALIDATES,
  validationRequestOf,
} from './support/service.ts';

/**
 * Measures bank account validations per second, each recorded durably, against the bare durable server and its two
 * rows.
 */
export async function measureValidations(bench: Bench): Promise<Figure> {
  const ours = await createInstallation(join(bench.folder, 'validations'));
  const theirs = await createInstallation(join(bench.folder, 'validations-bare'));
  await createInstallation(join(bench.folder, 'validations-wordy'));
  const user = await createBenchUser(ours, VALIDATES);
  const service = await startService(ours);
  const request = await validationRequestOf(service, user);
  const durable = await startPeer(new URL('./peers/bare-durable-server.ts', import.meta.url), [
    join(bench.folder, 'validations-bare', 'rubrica.db'),
    theirs.secretToken,
  ]);
  const wordy = await startPeer(new URL('./peers/bare-durable-server.ts', import.meta.url), [
    join(bench.folder, 'validations-wordy', 'rubrica.db'),
    theirs.secretToken,
    String(await answerLength(service.port, request)),
  ]);
  const rows = await alternate(bench, {
    'the service': async () => (await runLoad(bench, { port: service.port, request })).rate,
    'bare durable server': async () =>
      (await runLoad(bench, { port: durable.port, request: createRequestOf(theirs) })).rate,
    'the same, answering as many bytes': async () =>
      (await runLoad(bench, { port: wordy.port, request: createRequestOf(theirs) })).rate,
  });
  await Promise.all([service.stop(), durable.stop(), wordy.stop()]);
  const measured = 'bank account validations/s, record kept durably, SQLite, 64 connections';
  return {
    lines: [
      ratioLine(measured, 'bare durable server', { atLeast: 0.8 }, roundsAgainst(rows, 1)),
      ratioLine('the same', 'bare durable server that answers as many bytes', null, roundsAgainst(rows, 2)),
    ],
    details: [],
  };
}

/** Returns the length of a validation's response body in bytes. */
async function answerLength(port: number, { accessToken }: ValidationRequest): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/validations/BankAccount`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ rut: '12345678-5', bankData: { bankSBIFNumber: '016', bankAccount: '20000000' } }),
  });
  return (await response.arrayBuffer()).byteLength;
}
