import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { selectMigrationsSaid } from '../audit/audit-queries.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { proveOldPasswords } from '../auth/sign-in/password-proof.ts';
import { keyApiTokens } from '../auth/tokens/key-api-tokens.ts';
import { identityHashes } from '../bank-validation/identity-hash.ts';
import { ConfigError } from '../config.ts';
import { anchorClock } from '../db/anchor-clock.ts';
import { whyFeedIsElsewhere } from '../db/citus-placement.ts';
import { hasTable, listApplied, migrate, requireSchema } from '../db/migrate.ts';
import { followClock } from '../epochs/follow-clock.ts';
import { SEALED_KINDS } from '../health/sealed-kinds.ts';
import { continueFeed } from '../outbox/feed/continue-feed.ts';
import { CURSOR_KEY } from '../outbox/feed/feed-cursor.ts';
import { opensSecrets, SECRET_TOKENS } from '../payment-services/seal-secret.ts';
import { beginFacts } from '../proof/begin-facts.ts';
import { bindSeals } from '../sealing/bind-seals.ts';
import { TERM_KEY } from '../search/search-term.ts';
import { commandLineActor } from './find-actor.ts';
import { CommandError, EXIT_FINAL } from './print.ts';

const WRONG_KEY =
  'The stored Secret Tokens were encrypted with a different master key. Set MASTER_KEY (and MASTER_KEY_PREVIOUS while it is being replaced), or in development put back master.key in DATA_DIR.';

/**
 * Migrates the schema to this version and makes the store ready, without the check of `requireFeedHere`. Returns the
 * names of the applied migrations. Only `serve`, `migrate` and the commands of restores call it. `by` is the actor in
 * the audit log. `begins` gets the name of each migration of an existing store when it begins (default: the log).
 */
export async function prepareStore(
  app: App,
  by: Actor,
  begins: (migration: string) => void = (migration) => app.log.info({ migration }, 'migrating the store'),
): Promise<string[]> {
  await anchorClock(app.db, app.now);
  // Before the migration, after which an earlier version with the right key could no longer run.
  if (await hasTable(app.db, SECRET_TOKENS.table)) await requireKey(app, { unbound: true });
  const applied = await migrate(app.db, undefined, begins);
  await followClock(app);
  await recordMigrations(app, by, applied);
  await makeReady(app);
  return applied;
}

/** Throws `CommandError` STORE_IS_OLDER for a reason of `check-mark.ts`. */
export function refuseOlder(why: string | null): void {
  if (why !== null) throw new CommandError(why, EXIT_FINAL, 'STORE_IS_OLDER');
}

/** Lists the migrations that ran and that no act names. Empty for a store without acts: nothing in it is older. */
async function listUnsaid({ db }: App): Promise<string[]> {
  const said = await selectMigrationsSaid(db);
  if (said === null) return [];
  return (await listApplied(db)).filter((name) => name > AUDIT_LOG && !said.includes(`"${name}"`));
}

/** For commands, which log only errors. */
export function sayMigration(name: string): void {
  process.stderr.write(`migrating: ${name}\n`);
}

/** The first migration with an audit log: nothing recorded those before it. */
const AUDIT_LOG = '0031-audit-log.sql';

/**
 * Records the applied migrations, and the migrations of a process that was killed before it did: `books verify` knows
 * by these acts which rows are older than a column.
 */
async function recordMigrations(app: App, by: Actor, applied: readonly string[]): Promise<void> {
  const names = [...new Set([...applied, ...(await listUnsaid(app))])].toSorted();
  if (names.length === 0) return;
  const act = { at: app.now(), by, subject: { kind: 'store', id: '' }, after: { applied: names } };
  await app.db.transaction((tx) => recordAudit(tx, { ...act, action: 'store.migrated' }));
}

/**
 * Makes the store ready for a command. Never changes a schema of another version, because a service of that version may
 * be running on it. Throws `SchemaError` for such a schema and, unless `creates`, if there is no store; `ConfigError`
 * if another master key encrypted the stored Secret Tokens, and what `requireFeedHere` throws.
 */
export async function openStore(app: App, creates: boolean): Promise<void> {
  await anchorClock(app.db, app.now);
  const created = await requireSchema(app.db, creates);
  await followClock(app);
  if (created.length > 0) await recordMigrations(app, commandLineActor(), created);
  await requireFeedHere(app);
  await makeReady(app);
}

/**
 * Throws `CommandError` STORE_IS_DIVIDED if this Citus node does not hold the events. `migrate` does not check this:
 * Citus creates tables on any node.
 */
export async function requireFeedHere(app: App): Promise<void> {
  const why = await whyFeedIsElsewhere(app.db);
  if (why !== null) throw new CommandError(why, EXIT_FINAL, 'STORE_IS_DIVIDED');
}

/** Without this check every signature would fail, although the service seems ready. */
async function requireKey(app: App, form?: { unbound: boolean }): Promise<void> {
  if (!(await opensSecrets(app, form))) throw new ConfigError(WRONG_KEY);
}

async function makeReady(app: App): Promise<void> {
  await bindSeals(app, SEALED_KINDS);
  await requireKey(app);
  await keyApiTokens(app);
  await proveOldPasswords(app);
  // The first start derives these from its master key.
  await identityHashes(app);
  await CURSOR_KEY.keep(app);
  await TERM_KEY.keep(app);
  await beginFacts(app);
  if (await continueFeed(app))
    app.log.warn('the database came from another server; the feed goes on above what it holds');
}
