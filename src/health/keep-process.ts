import { hostname } from 'node:os';
import manifest from '../../package.json' with { type: 'json' };
import type { App } from '../app.ts';
import { prefixedId } from '../lib/ids.ts';
import { perInstance } from '../lib/per-instance.ts';
import { ownFindings } from './process-findings.ts';
import { deleteProcesses, upsertProcess } from './process-queries.ts';

/** So long a process that was killed is named. */
const FORGOTTEN_MS = 3_600_000;

const selfOf = perInstance((app: App) => ({
  id: prefixedId('proc'),
  host: hostname(),
  pid: process.pid,
  version: manifest.version,
  started_at: app.now(),
}));

/** Says that this process runs, and what it finds of itself. The worker does it every minute. */
export async function keepProcess(app: App): Promise<void> {
  const findings = JSON.stringify(await ownFindings(app));
  const seen_at = app.now();
  await app.db.transaction(async (tx) => {
    await deleteProcesses(tx, null, seen_at - FORGOTTEN_MS);
    await upsertProcess(tx, { ...selfOf(app), seen_at, findings });
  });
}

/** Takes the row of this process away: it stops in order. */
export async function forgetProcess(app: App): Promise<void> {
  await app.db.transaction((tx) => deleteProcesses(tx, selfOf(app).id, app.now() - FORGOTTEN_MS));
}
