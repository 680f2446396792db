import type { App } from '../app.ts';
import type { InBoth } from '../error-catalogue.ts';
import { clockOf } from '../lib/calendar-day.ts';
import { shellWord } from '../lib/shell-word.ts';
import { formatAge } from '../lib/time-text.ts';
import { KEPT_KEYS } from '../sealing/kept-key.ts';
import { keysOf } from '../sealing/sealed-kind.ts';
import { type Finding, fine, problem } from './finding.ts';
import { type ProcessRow, selectProcesses } from './process-queries.ts';

/** Three missed heartbeats. */
const SILENT_MS = 200_000;

/**
 * A process with a heartbeat every minute, and its findings about itself. `age`: since its last heartbeat, in
 * milliseconds.
 */
export type ListedProcess = Pick<ProcessRow, 'host' | 'pid' | 'version' | 'started_at'> & {
  age: number;
  silent: boolean;
  findings: Finding[];
};

/** Lists all processes of the last hour, the oldest first. */
export async function listProcesses(app: App): Promise<ListedProcess[]> {
  return (await selectProcesses(app.db)).map(({ host, pid, version, started_at, seen_at, findings }) => {
    const age = Math.max(0, app.now() - seen_at);
    return { host, pid, version, started_at, age, silent: age > SILENT_MS, findings: JSON.parse(findings) };
  });
}

/** Lists the processes that report and lack the MASTER_KEY of `app`. Processes of version 0.1.0 do not say theirs. */
export async function listWithoutKey(app: App): Promise<ListedProcess[]> {
  const { id } = keysOf(app, KEPT_KEYS).current;
  return (await listProcesses(app)).filter(({ silent, findings }) => {
    const keys = findings.find(({ check }) => check === 'master-key');
    return !silent && keys !== undefined && !JSON.stringify(keys.says).includes(id);
  });
}

/** Names processes in a sentence, such as `web-1 (pid 12), web-2 (pid 7)`. */
export function nameProcesses(processes: readonly Pick<ListedProcess, 'host' | 'pid'>[]): string {
  return processes.map(({ host, pid }) => `${host} (pid ${pid})`).join(', ');
}

/** Returns a line for each process. Below one that still reports are its findings about itself. */
export async function runningFindings(app: App): Promise<Finding[]> {
  const processes = await listProcesses(app);
  if (processes.length === 0)
    return [fine('process', { en: 'no running `serve` process has reported', es: 'ningún serve dice que corre' })];
  return processes.flatMap(({ host, pid, version, started_at, age, silent, findings }) => {
    const seen = age < 120_000 ? `${Math.round(age / 1000)} s` : formatAge(age);
    const who = `${version}, ${host}, pid ${pid}`;
    const says = {
      en: `${who}: since ${clockOf(started_at)}, seen ${seen} ago`,
      es: `${who}: desde ${clockOf(started_at)}, visto hace ${seen}`,
    };
    if (silent) return [problem('process', says, fixOfSilent(host, pid))];
    return [fine('process', says), ...findings.filter(({ fix }) => fix !== null).map(placed(host, pid))];
  });
}

function fixOfSilent(host: string, pid: number): InBoth {
  const command = `bin/rubrica process-ended ${shellWord(host)} ${pid}`;
  return {
    en: `It crashed or hangs: read its log and start it again. When it has ended: ${command}`,
    es: `Terminó sin avisar, o está pegado: mira su registro y pártelo de nuevo. Cuando haya terminado: ${command}`,
  };
}

/** Prefixes a finding with its process. */
function placed(host: string, pid: number) {
  return ({ check, says, fix }: Finding): Finding => {
    const { en, es } = typeof says === 'string' ? { en: says, es: says } : says;
    const place = `${host}, pid ${pid}`;
    return { check, says: { en: `${place}: ${en}`, es: `${place}: ${es}` }, fix };
  };
}
