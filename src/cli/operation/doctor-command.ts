import { createServer } from 'node:net';
import { hostname } from 'node:os';
import type { Command } from 'commander';
import { checkFactorRoles } from '../../auth/factors/factor.ts';
import { composeApp, type RunningApp } from '../../compose-app.ts';
import { type Config, ConfigError, publicOrigin, readConfig } from '../../config.ts';
import { anchorClock } from '../../db/anchor-clock.ts';
import { SchemaError } from '../../db/database.ts';
import { inspectSchema, requireStoreFile } from '../../db/migrate.ts';
import { whyStoreFileIsNew, whyStoreOfCommandIsOlder } from '../../epochs/check-mark.ts';
import { followClock } from '../../epochs/follow-clock.ts';
import { examineStore } from '../../health/examine-store.ts';
import { type Finding, fine, problem, type SaidFinding, sayFinding } from '../../health/finding.ts';
import { type ListedProcess, listProcesses } from '../../health/list-processes.ts';
import { engineFindings, programFinding, publicUrlFinding } from '../../health/process-findings.ts';
import { beginSentence } from '../../lib/begin-sentence.ts';
import { describeSettings, type ShownSetting } from '../../settings.ts';
import { print, table } from '../print.ts';
import { systemFix } from './system-fixes.ts';

/** `doctor`. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('report the health and the settings in force; status 1 if something needs a person')
    .option('--json', 'print one JSON object')
    .action(doctor);
}

async function doctor(options: { json?: boolean }): Promise<void> {
  const { findings, settings } = await examine();
  const ok = findings.every(({ fix }) => fix === null);
  const said = findings.map((finding) => sayFinding(finding, 'en'));
  const judged = said.map((finding) => ({ ...finding, ok: finding.fix === null }));
  print(options, { ok, findings: judged, settings }, [...said.flatMap(findingLines), ...settingLines(settings)]);
  if (!ok) process.exitCode = 1;
}

async function examine(): Promise<{ findings: Finding[]; settings: ShownSetting[] }> {
  let config: Config;
  try {
    config = readConfig(undefined, { makesKey: false });
    checkFactorRoles({ config });
  } catch (error) {
    // Without settings nothing else can be examined.
    if (!(error instanceof ConfigError)) throw error;
    return { findings: [programFinding(), problem('settings', 'cannot be used', error.message)], settings: [] };
  }
  const { findings: ofStore, processes } = await storeFindings(config);
  const port = await portFinding(config, processes);
  const findings = [programFinding(), ...ofStore, publicUrlFinding(config), port];
  return { findings, settings: describeSettings(config) };
}

function findingLines({ check, says, fix }: SaidFinding): string[] {
  const line = `${fix === null ? 'OK     ' : 'PROBLEM'}  ${check.padEnd(14)}  ${says}`;
  return fix === null ? [line] : [line, `${' '.repeat(25)}${fix}`];
}

function settingLines(settings: readonly ShownSetting[]): string[] {
  const rows = settings.map(({ name, value, source, meaning }) => [name, value ?? '—', source, meaning]);
  return rows.length === 0 ? [] : ['', ...table([['SETTING', 'IN FORCE', 'FROM', 'MEANING'], ...rows])];
}

/** `processes`: those that serve the store; null if the store cannot say. */
type Examined = { findings: Finding[]; processes: readonly ListedProcess[] | null };

async function storeFindings(config: Config): Promise<Examined> {
  let app: RunningApp | null = null;
  try {
    const lost = whyStoreFileIsNew(config);
    if (lost !== null) return { findings: [refusedFinding(lost)], processes: null };
    requireStoreFile(config.databaseUrl);
    app = composeApp({ ...config, logLevel: 'silent' }, () => {});
    await anchorClock(app.db, app.now);
    // Only a store with the whole schema says how far its clock is ahead; ages are measured by that clock.
    const isWhole = (await inspectSchema(app.db)).pending.length === 0;
    if (isWhole) await followClock(app);
    const older = await whyStoreOfCommandIsOlder(app);
    const refused = older === null ? [] : [refusedFinding(older)];
    const findings = [...(await engineFindings(app)), ...refused, ...(await examineStore(app))];
    return { findings, processes: isWhole ? await listProcesses(app) : null };
  } catch (error) {
    return { findings: [storeProblem(error)], processes: null };
  } finally {
    await app?.close();
  }
}

/** Reports that the store is not the one that a service saw here, or is older, for a reason of `check-mark.ts`. */
function refusedFinding(why: string): Finding {
  return problem('database', 'serve does not start on it', why);
}

function storeProblem(error: unknown): Finding {
  if (error instanceof ConfigError) return problem('database', 'cannot be used with these settings', error.message);
  if (error instanceof SchemaError) return problem('database', 'there is no store yet', error.message);
  const { cause, message } = error as Error;
  const says = cause instanceof Error ? cause.message : message;
  const fix = systemFix((cause ?? error) as NodeJS.ErrnoException);
  if (fix !== null) return problem('database', says, beginSentence(fix));
  return problem('database', says, 'Check that it is running and that DATABASE_URL is right.');
}

/** Checks the port. It may be in use by this service, or by the service of another store. */
async function portFinding(config: Config, processes: readonly ListedProcess[] | null): Promise<Finding> {
  const address = `${config.host}:${config.port}`;
  const failure = await listenOnce(config);
  if (failure === null) return fine('port', `${address} is free`);
  const fix = 'Set PORT to another, or stop what listens there; HOST must be an address of this machine.';
  if (failure === 'EADDRINUSE' && (await isRubrica(config))) {
    if (processes === null || processes.some((process) => listensAt(config.port, process)))
      return fine('port', `the service runs on ${address}`);
    return problem('port', `the service of another store runs on ${address}: no process of this one does`, fix);
  }
  return problem('port', `${address} cannot be listened on: ${failure}`, fix);
}

/** A process of an earlier version does not say its port. */
function listensAt(port: number, { host, findings }: ListedProcess): boolean {
  const said = findings.find(({ check }) => check === 'port')?.says;
  return host === hostname() && (said === undefined || said === String(port));
}

function listenOnce({ port, host }: Config): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

/** Returns whether a Rúbrica listens there. Follows no redirect, which may lead to one elsewhere. */
async function isRubrica(config: Config): Promise<boolean> {
  const origin = publicOrigin({ ...config, publicUrl: null });
  const signal = AbortSignal.timeout(2000);
  const answer = await fetch(`${origin}/healthz`, { signal, redirect: 'manual' }).catch(() => null);
  return answer?.headers.has('rubrica-version') ?? false;
}
