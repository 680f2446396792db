import { statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { measureAttention } from '../attention/measure-attention.ts';
import { composeApp, type RunningApp } from '../compose-app.ts';
import { type Config, ConfigError, publicOrigin, readConfig } from '../config.ts';
import { inspectSchema } from '../db/migrate.ts';
import { refusalOf, type SchemaDifference } from '../db/schema.ts';
import { findHeld } from '../epochs/hold.ts';
import { causeOf } from '../outbox/answer-cause.ts';
import { selectFailing } from '../outbox/failing-endpoint-queries.ts';
import { selectOldestDue } from '../outbox/outbox-queries.ts';
import { findEnvironmentById } from '../payment-services/find-environment.ts';
import { listPaymentServices } from '../payment-services/list-payment-services.ts';
import { countSeals } from '../sealing/reseal.ts';
import { describeSettings, type ShownSetting } from '../settings.ts';
import { anchorFindings } from './anchor-findings.ts';
import { formatAge } from './attention-commands.ts';
import { auditFinding } from './audit-finding.ts';
import { bankListFinding } from './bank-list-finding.ts';
import { type Finding, fine, problem } from './finding.ts';
import { feedFinding, postgresFindings } from './postgres-findings.ts';
import { print, table, time } from './print.ts';
import { publicUrlProblem } from './public-url-problem.ts';
import { SEALED_KINDS } from './sealed-kinds.ts';

/** `doctor`. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('a health report and the settings in force; status 1 when something needs a person')
    .option('--json', 'print one JSON object')
    .action(doctor);
}

async function doctor(options: { json?: boolean }): Promise<void> {
  const { findings, settings } = await examine();
  const ok = findings.every(({ fix }) => fix === null);
  const judged = findings.map((finding) => ({ ...finding, ok: finding.fix === null }));
  print(options, { ok, findings: judged, settings }, [...findings.flatMap(findingLines), ...settingLines(settings)]);
  if (!ok) process.exitCode = 1;
}

async function examine(): Promise<{ findings: Finding[]; settings: ShownSetting[] }> {
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    // Without settings there is nothing else to look at.
    if (!(error instanceof ConfigError)) throw error;
    return { findings: [programFinding(), problem('settings', 'cannot be used', error.message)], settings: [] };
  }
  const store = await storeFindings(config);
  const findings = [
    programFinding(),
    ...store,
    publicUrlFinding(config),
    await portFinding(config),
    ...(await proxyFindings(config)),
  ];
  return { findings, settings: describeSettings(config) };
}

function findingLines({ check, says, fix }: Finding): string[] {
  const line = `${fix === null ? 'OK     ' : 'PROBLEM'}  ${check.padEnd(14)}  ${says}`;
  return fix === null ? [line] : [line, `${' '.repeat(25)}${fix}`];
}

function settingLines(settings: readonly ShownSetting[]): string[] {
  const rows = settings.map(({ name, value, source, meaning }) => [name, value ?? '—', source, meaning]);
  return rows.length === 0 ? [] : ['', ...table([['SETTING', 'IN FORCE', 'FROM', 'MEANING'], ...rows])];
}

function programFinding(): Finding {
  return fine('node', process.version);
}

async function storeFindings(config: Config): Promise<Finding[]> {
  let app: RunningApp | null = null;
  try {
    app = composeApp({ ...config, logLevel: 'silent' }, () => {});
    return await findingsIn(app);
  } catch (error) {
    const { cause, message } = error as Error;
    const says = cause instanceof Error ? cause.message : message;
    return [problem('database', says, 'See that it is there and runs, and that DATABASE_URL is right.')];
  } finally {
    await app?.close();
  }
}

async function findingsIn(app: RunningApp): Promise<Finding[]> {
  const engine = app.db.engine === 'sqlite' ? sqliteFindings(app.config) : await postgresFindings(app);
  const schema = schemaFinding(await inspectSchema(app.db));
  if (schema.fix !== null) return [...engine, schema];
  const feed = app.db.engine === 'postgres' ? [await feedFinding(app)] : [];
  const waiting = [...feed, ...(await workFindings(app)), ...(await anchorFindings(app))];
  const kept = [await auditFinding(app), await bankListFinding(app)];
  return [...engine, schema, await masterKeyFinding(app), ...waiting, ...kept];
}

function schemaFinding(difference: SchemaDifference): Finding {
  const refusal = refusalOf(difference);
  if (refusal !== null) return problem('schema', 'belongs to another version', refusal.message);
  const { pending, newer } = difference;
  if (pending.length > 0) {
    const fix = 'serve does it when it starts; without it: bin/rubrica migrate';
    return problem('schema', `lacks ${pending.join(', ')}`, fix);
  }
  if (newer.length === 0) return fine('schema', 'up to date');
  return fine('schema', `a newer version has added ${newer.join(', ')}, beside which this one goes on`);
}

function sqliteFindings({ databaseUrl }: Config): Finding[] {
  return [sqliteVersionFinding(process.versions.sqlite ?? '0'), diskFinding(databaseUrl)];
}

/** SQLite 3.7.0 to 3.51.2, and 3.52.0, which was withdrawn, can damage a store in WAL mode under two connections. */
export function isSafeSqlite(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major !== 3) return major > 3;
  return minor > 52 || (minor === 51 && patch >= 3) || (minor === 52 && patch > 0);
}

function sqliteVersionFinding(version: string): Finding {
  if (isSafeSqlite(version)) return fine('database', `SQLite ${version}`);
  const fix = 'Take a newer Node.js off the PATH or put one on it: SQLite must be 3.51.3, or 3.53.0 and newer.';
  return problem('database', `SQLite ${version} of this Node.js can damage the store`, fix);
}

const LEAST_FREE_BYTES = 2 ** 30;

function diskFinding(databaseUrl: string): Finding {
  const folder = dirname(databaseUrl.slice('sqlite:'.length));
  const { bavail, bsize } = statfsSync(folder);
  const says = `${((bavail * bsize) / 2 ** 30).toFixed(1)} GiB free in ${folder}`;
  if (bavail * bsize >= LEAST_FREE_BYTES) return fine('disk', says);
  return problem('disk', says, 'Make room: when it is full nothing more is accepted. A backup needs as much again.');
}

const RIGHT_KEY = 'Set the MASTER_KEY that it was sealed with, or put back master.key in DATA_DIR.';

/** Opening what is sealed shows that MASTER_KEY is the one that sealed it. */
async function masterKeyFinding(app: RunningApp): Promise<Finding> {
  const services = await listPaymentServices(app);
  try {
    for (const { tokens } of services) for (const token of tokens) await findEnvironmentById(app, token.environment_id);
  } catch {
    return problem('master-key', 'does not open a stored Secret Token', RIGHT_KEY);
  }
  const seals = await Promise.all(
    SEALED_KINDS.map(async (kind) => ({ name: kind.name, ...(await countSeals(app, kind)) })),
  );
  const stranger = seals.find(({ unknown }) => unknown > 0);
  if (stranger !== undefined)
    return problem('master-key', `another key has sealed ${stranger.unknown} ${stranger.name}`, RIGHT_KEY);
  const opens = `opens every Secret Token of ${services.length} payment services`;
  if (app.config.masterKeyPrevious === null) return fine('master-key', opens);
  const left = seals.reduce((sum, { previous }) => sum + previous, 0);
  if (left === 0) return fine('master-key', `${opens}; nothing is sealed with MASTER_KEY_PREVIOUS: it may be removed`);
  return problem('master-key', `${left} texts are sealed with MASTER_KEY_PREVIOUS`, 'bin/rubrica master-key rotate');
}

const LATE_MS = 300_000;

async function workFindings(app: RunningApp): Promise<Finding[]> {
  const held = (await findHeld(app)) !== null;
  const late = held ? fine('callbacks', 'wait for the release') : lateFinding(app, await selectOldestDue(app.db));
  return [late, ...(await attentionFindings(app)), ...(await endpointFindings(app))];
}

/** A line for each kind of what waits for a person. */
async function attentionFindings(app: RunningApp): Promise<Finding[]> {
  const measured = await measureAttention(app);
  return measured.map(({ kind, nouns, count, oldest }) => {
    if (count === 0) return fine(kind, `no ${nouns[0]}`);
    const age = formatAge(Math.max(0, app.now() - (oldest ?? app.now())));
    const says = `${count} ${nouns[count === 1 ? 0 : 1]}, the oldest for ${age}`;
    return problem(kind, says, `bin/rubrica attention list --kind ${kind}`);
  });
}

const ENDPOINTS_NAMED = 5;

/** The endpoints that have failed for longest, by name: their merchants are not told now. */
async function endpointFindings(app: RunningApp): Promise<Finding[]> {
  return (await selectFailing(app.db, ENDPOINTS_NAMED)).map((endpoint) => {
    const { address, name, payment_service, failing_since, waiting, next_attempt_at } = endpoint;
    const found = causeOf(address, endpoint);
    const says = `${address} of ${name} (${payment_service}) fails since ${time(failing_since)} UTC: ${waiting} wait, the next attempt is at ${time(next_attempt_at)} UTC`;
    return problem(
      'endpoint',
      found === null ? says : `${says}; ${found.cause}`,
      found?.fix ?? 'bin/rubrica callback endpoints',
    );
  });
}

function lateFinding(app: RunningApp, oldest: number | null): Finding {
  const lateMs = oldest === null ? 0 : Math.max(0, app.now() - oldest);
  if (lateMs === 0) return fine('callbacks', 'none is late');
  const says = `the oldest is due for ${Math.round(lateMs / 1000)} s`;
  return lateMs < LATE_MS ? fine('callbacks', says) : problem('callbacks', says, 'Is serve running? It delivers them.');
}

function publicUrlFinding(config: Config): Finding {
  const misled = publicUrlProblem(config);
  if (misled !== null) return problem('public-url', misled, 'Set PUBLIC_URL to the https address of this service.');
  return fine('public-url', publicOrigin(config));
}

/** Taken by a service of ours it is as it should be. */
async function portFinding(config: Config): Promise<Finding> {
  const address = `${config.host}:${config.port}`;
  const failure = await listenOnce(config);
  if (failure === null) return fine('port', `${address} is free`);
  if (failure === 'EADDRINUSE' && (await isOurs(config))) return fine('port', `the service runs on ${address}`);
  const fix = 'Set PORT to another, or stop what listens there; HOST must be an address of this machine.';
  return problem('port', `${address} cannot be listened on: ${failure}`, fix);
}

/** What the service that runs here has seen of a proxy. */
async function proxyFindings(config: Config): Promise<Finding[]> {
  const { metricsPort, metricsHost } = config;
  const at = metricsPort === null ? config : { ...config, host: metricsHost, port: metricsPort };
  const metrics = await askOurselves(at, '/metrics').then((answer) => answer?.text());
  if (config.trustProxy || !/^rubrica_untrusted_proxy 1$/m.test(metrics ?? '')) return [];
  const says =
    'X-Forwarded-For arrives from a proxy and TRUST_PROXY is off, so all its clients count as one in every limit';
  return [problem('proxy', says, 'Set TRUST_PROXY=true and start anew, or let the proxy leave the header out.')];
}

function listenOnce({ port, host }: Config): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

async function isOurs(config: Config): Promise<boolean> {
  return (await askOurselves(config, '/healthz'))?.headers.has('rubrica-version') ?? false;
}

/** Null where nothing answers at the address of this service. */
async function askOurselves(config: Config, path: string): Promise<Response | null> {
  const origin = publicOrigin({ ...config, publicUrl: null });
  return fetch(origin + path, { signal: AbortSignal.timeout(2000) }).catch(() => null);
}
