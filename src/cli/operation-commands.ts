import { chmodSync, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { composeApp, type RunningApp } from '../compose-app.ts';
import { describeSettings, readConfig } from '../config.ts';
import { pendingMigrations } from '../db/migrate.ts';
import { selectOldestDue } from '../outbox/outbox-queries.ts';
import { findEnvironmentById } from '../payment-services/find-environment.ts';
import { listPaymentServices } from '../payment-services/list-payment-services.ts';
import { prepareStore } from './prepare-store.ts';
import { CommandError, print, table } from './print.ts';
import { withApp } from './with-app.ts';

/** `migrate`, `doctor` and `backup`. */
export function addOperationCommands(program: Command): void {
  program
    .command('migrate')
    .description('bring the schema up to date')
    .option('--json', 'print one JSON object')
    .action(runMigrate);
  program
    .command('doctor')
    .description('a health report; status 1 when something needs a person')
    .option('--json', 'print one JSON object')
    .action(doctor);
  program
    .command('backup')
    .description('write a consistent copy of the embedded database while the service runs')
    .argument('<file>', 'a file that does not exist yet')
    .option('--json', 'print one JSON object')
    .action(backup);
}

async function runMigrate(options: { json?: boolean }): Promise<void> {
  const app = composeApp({ ...readConfig(), logLevel: 'error' }, () => {});
  try {
    const applied = await prepareStore(app);
    print(
      options,
      { applied },
      applied.length === 0 ? ['The schema is up to date.'] : applied.map((name) => `applied ${name}`),
    );
  } finally {
    await app.close();
  }
}

type Finding = { check: string; ok: boolean; says: string };

async function doctor(options: { json?: boolean }): Promise<void> {
  const config = readConfig();
  const app = composeApp({ ...config, logLevel: 'silent' }, () => {});
  const findings: Finding[] = [{ check: 'node', ok: true, says: process.version }];
  try {
    findings.push(...(await databaseFindings(app)));
  } finally {
    await app.close();
  }
  findings.push({
    check: 'environment',
    ok: true,
    says: `RUBRICA_ENV=${config.mode}, rate limits ${config.rateLimits ? 'on' : 'off'}`,
  });
  const secure = config.mode === 'development' || config.publicUrl?.startsWith('https://') === true;
  findings.push({
    check: 'public-url',
    ok: secure,
    says: config.publicUrl ?? (secure ? 'not set' : 'set PUBLIC_URL to an https address'),
  });
  const settings = describeSettings();
  const lines = table(findings.map(({ check, ok, says }) => [ok ? 'ok' : 'ATTENTION', check, says]));
  print(options, { ok: findings.every(({ ok }) => ok), findings, settings }, [
    ...lines,
    '',
    ...table(settings.map(({ name, value, meaning }) => [name, value, meaning])),
  ]);
  if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
}

async function databaseFindings(app: RunningApp): Promise<Finding[]> {
  try {
    const pending = await pendingMigrations(app.db);
    const schema = {
      check: 'schema',
      ok: pending.length === 0,
      says: pending.length === 0 ? 'up to date' : `run bin/rubrica migrate: ${pending.join(', ')}`,
    };
    const store = { check: 'database', ok: true, says: app.db.engine };
    return pending.length === 0 ? [store, schema, ...(await contentFindings(app))] : [store, schema];
  } catch (error) {
    return [{ check: 'database', ok: false, says: (error as Error).message }];
  }
}

async function contentFindings(app: RunningApp): Promise<Finding[]> {
  const [oldest, services] = await Promise.all([selectOldestDue(app.db), openEverySecret(app)]);
  const lateMs = oldest === null ? 0 : Math.max(0, app.now() - oldest);
  return [
    services,
    {
      check: 'callbacks',
      ok: lateMs < 300_000,
      says: lateMs === 0 ? 'none is late' : `the oldest is due for ${Math.round(lateMs / 1000)} s; is serve running?`,
    },
  ];
}

/** Opening what is sealed shows that MASTER_KEY is the one that sealed it. */
async function openEverySecret(app: RunningApp): Promise<Finding> {
  const services = await listPaymentServices(app);
  try {
    for (const { tokens } of services) for (const token of tokens) await findEnvironmentById(app, token.environment_id);
    return { check: 'secret-tokens', ok: true, says: `${services.length} payment services, every Secret Token opens` };
  } catch {
    return {
      check: 'secret-tokens',
      ok: false,
      says: 'a Secret Token does not open: MASTER_KEY is not the one it was sealed with',
    };
  }
}

async function backup(file: string, options: { json?: boolean }): Promise<void> {
  const target = resolve(file);
  if (existsSync(target)) throw new CommandError(`${file} exists; a backup never overwrites.`);
  await withApp(async (app) => {
    if (app.db.engine !== 'sqlite') throw new CommandError('Back up PostgreSQL with pg_dump or pg_basebackup.');
    await app.db.backup(target);
    chmodSync(target, 0o600);
  });
  print(options, { file: target }, [
    `Written to ${target}. It needs the same MASTER_KEY (or master.key) when it is put back; keep that in another place.`,
  ]);
}
