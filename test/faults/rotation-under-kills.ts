import { join } from 'node:path';
import { identityHashes } from '../../src/bank-validation/identity-hash.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { addSecretToken } from '../../src/payment-services/create-payment-service.ts';
import { openSecret } from '../../src/payment-services/seal-secret.ts';
import { type Ended, runChild } from '../support/child-process.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import type { PlantName } from './plants.ts';
import { createJournal, type Journal, startLoad } from './support/load.ts';
import { prepareStore } from './support/prepare-store.ts';
import { MASTER_KEY, startServe } from './support/serve-process.ts';
import { createShopClient } from './support/shop-client.ts';

export type RotationReport = {
  secrets: number;
  kills: number;
  /** Signed requests that succeeded during the rotation. */
  answered: number;
  problems: string[];
};

type Options = { databaseUrl: string; secrets: number; kills: number; plant?: PlantName; random: () => number };

const NEW_KEY = '0b'.repeat(32);
const ROTATE = ['master-key', 'rotate', '--json'];
const BOTH = { MASTER_KEY: NEW_KEY, MASTER_KEY_PREVIOUS: MASTER_KEY };
const CLIENTS = 2;
/** No request may fail during the rotation; a heavier load would only slow it. */
const REST_MS = 10;
const repository = join(import.meta.dirname, '../..');

/**
 * Replaces the master key of a store with many Secret Tokens while a service handles signed requests. The rotation is
 * killed repeatedly after some texts, and then completed. In the end a service with only the new key must accept
 * requests, and every Secret Token must be unchanged.
 */
export async function rotateUnderKills(options: Options): Promise<RotationReport> {
  const { databaseUrl, secrets, kills, plant } = options;
  const journal = createJournal();
  await prepareStore(databaseUrl);
  const before = await withStore(databaseUrl, MASTER_KEY, (app) => addSecrets(app, secrets));
  const problems: string[] = [];
  const note = (error: unknown) => void problems.push((error as Error).message);
  await serveUnderLoad(databaseUrl, BOTH, plant, journal, () => rotate(options, problems)).catch(note);
  problems.push(...(await withStore(databaseUrl, NEW_KEY, (app) => compareSecrets(app, before))));
  // If the store is already known to be broken, this check would show nothing more.
  if (problems.length === 0)
    await serveUnderLoad(databaseUrl, { MASTER_KEY: NEW_KEY }, undefined, journal, async () => {}).catch(note);
  for (const [what, count] of Object.entries(journal.counts))
    if (what !== 'created') problems.push(`${count} requests: ${what}`);
  return { secrets, kills, answered: journal.acknowledged.size, problems };
}

/** Creates transactions at a separate service while `work` runs. `work` starts after the first response. */
async function serveUnderLoad(
  databaseUrl: string,
  settings: Record<string, string>,
  plant: PlantName | undefined,
  journal: Journal,
  work: () => Promise<void>,
): Promise<void> {
  using client = createShopClient();
  await using service = await startServe({ databaseUrl, settings, plant });
  const prefix = `p${service.pid}-${journal.acknowledged.size}`;
  await using load = startLoad({ client, url: () => service.url, clients: CLIENTS, journal, prefix, restMs: REST_MS });
  await load.answered;
  await work();
  await load.stop();
}

async function rotate({ databaseUrl, secrets, kills, plant, random }: Options, problems: string[]): Promise<void> {
  for (let kill = 1; kill <= kills; kill++) {
    const killAt = 1 + Math.floor((random() * secrets) / kills);
    const end = await runRotation(databaseUrl, plant ?? 'killed in a rotation', killAt);
    if (end.signal !== 'SIGKILL') problems.push(`kill ${kill} did not happen: ${end.stdout}${end.stderr}`);
  }
  const { stdout, signal } = await runCommand(ROTATE, { env: environmentOf(databaseUrl) });
  if (signal !== null || !stdout.includes('"previous_key_needed":false')) problems.push(`it did not end: ${stdout}`);
}

function environmentOf(databaseUrl: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, DATABASE_URL: databaseUrl, ...BOTH };
}

function runRotation(databaseUrl: string, plant: PlantName, killAt: number): Promise<Ended> {
  const env = { ...environmentOf(databaseUrl), PLANTED_BUG: plant, KILL_AT: String(killAt) };
  const preload = ['--import', join(import.meta.dirname, 'preload/plant-process.ts')];
  return runChild('node', [...preload, join(repository, 'src/main.ts'), ...ROTATE], { cwd: repository, env });
}

async function withStore<Result>(
  databaseUrl: string,
  masterKey: string,
  work: (app: TestApp) => Promise<Result>,
): Promise<Result> {
  const db = openDatabase(databaseUrl, { connections: 1, pooler: false, onFatal: () => {} });
  try {
    return await work(createTestApp(db, { config: readConfig({ MASTER_KEY: masterKey, LOG_LEVEL: 'silent' }) }));
  } finally {
    await db.close();
  }
}

type SecretRow = { id: string; environment_id: number; sealed: string };

/** Adds Secret Tokens to an unused environment. Returns the plaintext of every one in the store. */
async function addSecrets(app: TestApp, count: number): Promise<Map<string, string>> {
  const { id } = await createTestEnvironment(app);
  // As the first start of a service does.
  await identityHashes(app);
  await app.db.transaction(async (tx) => {
    for (let added = 0; added < count; added++) await addSecretToken(app, tx, id, `secret ${added}`, app.now());
  });
  const rows = await app.db.query<SecretRow>('select id, environment_id, sealed from secret_tokens');
  return new Map(rows.map((row) => [row.id, openSecret(app, row, row.sealed)]));
}

async function compareSecrets(app: TestApp, before: ReadonlyMap<string, string>): Promise<string[]> {
  const rows = await app.db.query<SecretRow>('select id, environment_id, sealed from secret_tokens');
  const kept = rows.filter((row) => {
    try {
      return openSecret(app, row, row.sealed) === before.get(row.id);
    } catch {
      return false;
    }
  });
  const lost = before.size - kept.length;
  return lost === 0 ? [] : [`lost: ${lost} Secret Tokens`];
}
