import { hostname } from 'node:os';
import manifest from '../../package.json' with { type: 'json' };
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { prefixedId } from '../lib/ids.ts';
import { perInstance } from '../lib/per-instance.ts';
import { ownFindings } from './process-findings.ts';
import { deleteProcesses, deleteProcessOf, upsertProcess } from './process-queries.ts';

/** How long a killed process is listed. */
const FORGOTTEN_MS = 3_600_000;

const selfOf = perInstance((app: App) => ({
  id: prefixedId('proc'),
  host: hostname(),
  pid: process.pid,
  version: manifest.version,
  started_at: app.now(),
}));

/** Records that this process runs, and its findings about itself. The worker calls it every minute. */
export async function keepProcess(app: App): Promise<void> {
  const findings = JSON.stringify(await ownFindings(app));
  const seen_at = app.now();
  await app.db.transaction(async (tx) => {
    await deleteProcesses(tx, null, seen_at - FORGOTTEN_MS);
    await upsertProcess(tx, { ...selfOf(app), seen_at, findings });
  });
}

/** Deletes the rows of all processes, because the store goes back: the rows are of a time in which others ran. */
export async function forgetProcesses(app: App): Promise<void> {
  await app.db.transaction((tx) => deleteProcesses(tx, null, Number.MAX_SAFE_INTEGER));
}

/**
 * Deletes a process that a person says has ended, because it could not do so itself. Returns false if none is listed.
 * One that still runs reports again within a minute.
 */
export function endProcess(app: App, host: string, pid: number, by: Actor): Promise<boolean> {
  return app.db.transaction(async (tx) => {
    if ((await deleteProcessOf(tx, host, pid)) === 0) return false;
    const subject = { kind: 'process', id: `${host} ${pid}` };
    await recordAudit(tx, { at: app.now(), by, action: 'process.ended', subject });
    return true;
  });
}

/** Deletes the row of this process at an orderly stop. */
export async function forgetProcess(app: App): Promise<void> {
  await app.db.transaction((tx) => deleteProcesses(tx, selfOf(app).id, app.now() - FORGOTTEN_MS));
}
