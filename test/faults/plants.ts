import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** One piece of the product's source, and its replacement in the planted variant. */
type Edit = { file: string; find: string; put: string };

const ENGINE = 'src/outbox/deliver-callbacks.ts';
const RECORD = 'src/outbox/record-attempts.ts';
const ENDPOINTS = 'src/outbox/endpoints/endpoint-queries.ts';
const QUERIES = 'src/outbox/outbox-queries.ts';
const SQLITE = 'src/db/sqlite-database.ts';
const POSTGRES = 'src/db/postgres-database.ts';
const STORED = 'src/transactions/transaction-queries.ts';
const SERVE = 'src/cli/run/serve-command.ts';
const CREATE = 'src/transactions/create-transaction.ts';
const STATES = 'src/outbox/callback-state.ts';
const SCHEDULE = 'src/outbox/retry-schedule.ts';

const MIGRATE = 'src/db/migrate.ts';

const KILL_IN_MIGRATION: Edit = {
  file: MIGRATE,
  find: `splitStatements(migration.text, engine)) await tx.query(statement);`,
  put: `splitStatements(migration.text, engine)) {
      globalThis.statements = (globalThis.statements ?? 0) + 1;
      if (globalThis.statements === Number(process.env.KILL_AT)) process.kill(process.pid, 'SIGKILL');
      await tx.query(statement);
    }`,
};

const NO_MARK: Edit = { file: 'src/epochs/check-mark.ts', find: 'of marks) {', put: 'of []) {' };

const RESEAL = 'src/sealing/reseal.ts';

const KILL_IN_ROTATION: Edit = {
  file: RESEAL,
  find: 'else if (await updateSealed(tx, kind, row, sealAs(app, kind, row, text))) resealed++;',
  put: `else if (await updateSealed(tx, kind, row, sealAs(app, kind, row, text))) resealed++;
        globalThis.resealed = (globalThis.resealed ?? 0) + 1;
        if (globalThis.resealed === Number(process.env.KILL_AT)) process.kill(process.pid, 'SIGKILL');`,
};

const NO_FENCE: readonly Edit[] = [
  {
    file: QUERIES,
    find: 'environment_id = $5 and lease = $2 returning id',
    put: 'environment_id = $5 and $2 = $2 returning id',
  },
  { file: QUERIES, find: 'environment_id = $3 and lease = $2\n', put: 'environment_id = $3 and $2 = $2\n' },
];

const UNKNOWN_IS_REFUSED: Edit = {
  file: POSTGRES,
  find: `committing ? new StorageError('OUTCOME_UNKNOWN', error.cause) : error`,
  put: 'error',
};

/** Shorter than the wait for a connection, so that the statement already sent times out first. */
const SHORT_TIME_OUT: Edit = {
  file: POSTGRES,
  find: 'const ANSWER_WITHIN_MS = 10_000;',
  put: 'const ANSWER_WITHIN_MS = 3_000;',
};

const SHORT_LEASE: readonly Edit[] = [
  { file: STATES, find: 'const CALLBACK_LEASE_MS = 60_000', put: 'const CALLBACK_LEASE_MS = 8_000' },
  { file: ENGINE, find: 'const START_WITHIN_MS = 40_000', put: 'const START_WITHIN_MS = 5_000' },
];

/**
 * Bugs that the harnesses must catch. Each harness runs once on a product with the bug that it must find, because a
 * harness that never saw its bug proves nothing. The product's own source is loaded with these edits.
 */
export const PLANTS = {
  'mark before send': [
    {
      file: QUERIES,
      find: 'update callbacks set lease = $2, next_attempt_at = $3\n',
      put: `update callbacks set lease = $2, next_attempt_at = $3, state = 'delivered'\n`,
    },
  ],
  'no lease expiry': [
    { file: STATES, find: 'const CALLBACK_LEASE_MS = 60_000', put: 'const CALLBACK_LEASE_MS = 1e12' },
  ],
  'redirect as success': [
    { file: SCHEDULE, find: 'if (status >= 200 && status < 300)', put: 'if (status >= 200 && status < 400)' },
  ],
  'time-out as success': [
    { file: SCHEDULE, find: 'outcome.status : 0;', put: `outcome.status : outcome.reason === 'timeout' ? 200 : 0;` },
  ],
  'lease shorter than time-out': [
    { file: STATES, find: 'const CALLBACK_LEASE_MS = 60_000', put: 'const CALLBACK_LEASE_MS = 5_000' },
  ],
  'no fencing token': NO_FENCE,
  'global queue': [
    { file: ENGINE, find: '(callback) => callback.endpoint_id)', put: '() => 0)' },
    { file: QUERIES, find: 'partition by endpoint_id ', put: '' },
  ],
  'Retry-After ignored': [{ file: SCHEDULE, find: 'Math.max(scheduled, askedMs)', put: 'scheduled' }],
  'schedule ignored': [{ file: SCHEDULE, find: 'Math.max(scheduled, askedMs)', put: 'askedMs' }],
  'gone endpoint noticed too late': [{ file: ENGINE, find: `attempt?.step.kind === 'disable' ?`, put: 'false ?' }],
  'gone endpoint kept': [{ file: RECORD, find: `step.kind === 'disable' && changed`, put: 'false && changed' }],
  'handled redirect repeated': [
    { file: SCHEDULE, find: '!isMove(url, location', put: 'false && isMove(url, location' },
  ],
  'move taken for handled': [{ file: 'src/outbox/redirect.ts', find: 'to.origin !== from.origin', put: 'false' }],
  'every 4xx is a refusal': [
    {
      file: SCHEDULE,
      find: 'refusals.includes(outcome.status)',
      put: '(refusals.includes(outcome.status) || (outcome.status > 400 && outcome.status < 408))',
    },
  ],
  'waiting callbacks are not woken': [{ file: RECORD, find: 'await wakeCallbacks(tx, endpoint, now);', put: ';' }],
  'callbacks in progress are woken': [
    { file: ENDPOINTS, find: ' and lease is null\n', put: '\n' },
    { file: ENDPOINTS, find: ' and lease is null and id in (', put: ' and id in (' },
  ],
  'waking uses up the schedule': [
    { file: RECORD, find: 'scheduled_at !== null && startedAt < scheduled_at', put: 'false' },
  ],
  'Retry-After forgotten at waking': [
    { file: ENDPOINTS, find: 'case when not_before > $2 then not_before else $2 end', put: '$2' },
  ],
  'reply before commit': [
    {
      file: CREATE,
      find: 'new Set(await app.db.transaction((tx) => insertTransactions(tx, rows)));',
      put: `new Set(rows.map((row) => row.id));
        setTimeout(() => app.db.transaction((tx) => insertTransactions(tx, rows)).catch(() => {}), 200);`,
    },
  ],
  'no checkpoint': [{ file: SQLITE, find: 'pragma wal_autocheckpoint = 4000;', put: 'pragma wal_autocheckpoint = 0;' }],
  'synchronous normal': [{ file: SQLITE, find: 'pragma synchronous = full;', put: 'pragma synchronous = normal;' }],
  'event in a separate commit': [
    {
      file: STORED,
      find: 'tx.insertNewRows<{ transaction_id: number }>(NEW_TRANSACTIONS, rows)',
      put: `tx.insertRows<{ transaction_id: number }>(NEW_TRANSACTIONS.table, rows,
        'on conflict (environment_id, reference) do nothing returning id as transaction_id')`,
    },
    {
      file: CREATE,
      find: 'return batch.map',
      put: `for (const id of inserted) {
        void app.db.transaction((tx) =>
          tx.query(\`insert into events (environment_id, transaction_id, sequence, created_at, type)
            select environment_id, id, 1, created_at, 'transaction.created' from transactions where id = $1\`, [id]),
        ).catch(() => {});
      }
      return batch.map`,
    },
  ],
  // Also removes the unique index, which would prevent the bug's effect.
  'select, then insert': [
    {
      file: CREATE,
      find: 'app.db.transaction((tx) => insertTransactions(tx, rows))',
      put: `app.db.transaction(async (tx) => {
        const taken = new Set();
        for (const row of rows) {
          if ((await selectByReference(tx, row.environment_id, row.reference)) !== null) taken.add(row);
        }
        return insertTransactions(tx, rows.filter((row) => !taken.has(row)));
      })`,
    },
    { file: SQLITE, find: '`on conflict (${unless}) do nothing`', put: `''` },
    { file: POSTGRES, find: 'on conflict (${unless}) do nothing returning', put: 'returning' },
  ],
  'no row returned is created': [{ file: CREATE, find: 'if (created) return', put: 'if (created !== null) return' }],
  'keeps serving after a failed commit': [
    { file: SERVE, find: 'setTimeout(() => process.exit(EXIT_UNFIT), 200);', put: '' },
    { file: SQLITE, find: 'failure = error;', put: '' },
  ],
  'swallows the error of a commit': [
    {
      file: SQLITE,
      find: `if (failure.code === 'OUTCOME_UNKNOWN') onFatal(failure);\n    throw failure;`,
      put: 'return result;',
    },
  ],
  'stops when the disk is full': [
    { file: SQLITE, find: `if (failure.code === 'OUTCOME_UNKNOWN') onFatal`, put: 'onFatal' },
    {
      file: SQLITE,
      find: 'throw storageErrorOf(error) ?? error;',
      put: 'onFatal(error); throw storageErrorOf(error) ?? error;',
    },
  ],
  'says that a refused create was stored': [
    {
      file: CREATE,
      find: 'const created = await batchers(app).submit(row);',
      put: 'const created = await batchers(app).submit(row).catch(() => true);',
    },
  ],
  // The fault itself, not a bug: the process dies before a statement of its migrations.
  'killed in a migration': [KILL_IN_MIGRATION],
  'migration without a transaction, killed': [
    KILL_IN_MIGRATION,
    {
      file: MIGRATE,
      find: 'return db.transaction(async (tx) => {\n    // On PostgreSQL',
      put: 'const tx = { query: (sql, values) => db.transaction((own) => own.query(sql, values)) };\n  return (async () => {\n    // On PostgreSQL',
    },
    { file: MIGRATE, find: `await tx.query('lock table schema_migrations in share row exclusive mode');`, put: '{}' },
    { file: MIGRATE, find: "return applied;\n  }, 'slow');", put: 'return applied;\n  })();' },
  ],
  // The fault itself: the process dies after a number of texts, inside a commit or between two.
  'killed in a rotation': [KILL_IN_ROTATION],
  'rotation without a transaction, killed': [
    {
      file: RESEAL,
      find: 'else if (await updateSealed(tx, kind, row, sealAs(app, kind, row, text))) resealed++;',
      put: `else await updateSealed(tx, kind, row, 'on its way');
        globalThis.resealed = (globalThis.resealed ?? 0) + 1;
        if (globalThis.resealed === Number(process.env.KILL_AT)) process.kill(process.pid, 'SIGKILL');
        if (await updateSealed(tx, kind, { ...row, sealed: 'on its way' }, sealAs(app, kind, row, text))) resealed++;`,
    },
    {
      file: RESEAL,
      find: 'await app.db.transaction(async (tx) => {',
      put: 'await (async () => { const tx = { query: (sql, values) => app.db.transaction((own) => own.query(sql, values)), insertRows: (...rows) => app.db.transaction((own) => own.insertRows(...rows)) };',
    },
    { file: RESEAL, find: 'return resealed;\n    });', put: 'return resealed;\n    })();' },
  ],
  'the previous key opens nothing': [
    {
      file: 'src/sealing/sealed-kind.ts',
      find: 'keyId === previous.id ? previous : current',
      put: 'false ? previous : current',
    },
  ],
  'no drain': [{ file: SERVE, find: 'await service.stop();', put: '' }],
  'goes by the wall clock': [
    {
      file: 'src/compose-app.ts',
      find: 'const now = systemClock();',
      put: 'const now = Object.assign(() => Date.now(), { anchor: () => {} });',
    },
  ],
  'not anchored': [{ file: 'src/db/anchor-clock.ts', find: `if (db.engine === 'postgres')`, put: 'if (false)' }],
  // Shortens a minute to seconds.
  'short lease': SHORT_LEASE,
  'short lease, no fencing token': [...SHORT_LEASE, ...NO_FENCE],
  'reads the whole store at its start': [
    {
      file: 'src/cli/prepare-store.ts',
      find: 'await migrate(app.db, undefined, begins);',
      // Repeated, because a fast machine reads a million rows in no time.
      put: `await migrate(app.db, undefined, begins); for (let time = 0; time < 5; time++) await app.db.query('pragma integrity_check');`,
    },
  ],
  'endless queue': [{ file: CREATE, find: 'maxQueued: 4096,\n    maxWaitMs: 2_000,', put: 'maxQueued: 1e9,' }],
  // One address cannot open enough connections to fill the real queue.
  'queue of 128': [{ file: CREATE, find: 'maxQueued: 4096,', put: 'maxQueued: 128,' }],
  'short queue': [{ file: CREATE, find: 'maxQueued: 4096,', put: 'maxQueued: 4,' }],
  'commits as the server is set': [
    {
      file: POSTGRES,
      find: '...(!options.pooler && { onConnect: (connection) => connection.query(SESSION_SETTINGS) }),',
      put: '',
    },
  ],
  'waits for the database for ever': [
    { file: POSTGRES, find: 'query_timeout: ANSWER_WITHIN_MS,', put: '' },
    { file: POSTGRES, find: 'connectionTimeoutMillis: CONNECT_WITHIN_MS,', put: '' },
  ],
  'an unknown commit is called refused': [UNKNOWN_IS_REFUSED],
  // Shortens half a minute of waiting to a few seconds.
  'short time-out': [SHORT_TIME_OUT],
  'short time-out, an unknown commit is called refused': [SHORT_TIME_OUT, UNKNOWN_IS_REFUSED],
  'ids continue after a restore': [
    {
      file: 'src/epochs/begin-epoch.ts',
      find: 'known.map((handed) => firstBeyond(handed, counted, span, now))',
      put: '[known[0][counted] + 1]',
    },
    NO_MARK,
  ],
  'no epoch in a webhook id': [
    { file: 'src/epochs/epoch.ts', find: 'return epoch === 0 ?', put: 'return epoch >= 0 ?' },
  ],
  'no hold after a restore': [{ file: 'src/worker.ts', find: '(await mayLeave()) ? step() : 0', put: 'step()' }],
  'a cursor of any epoch': [
    { file: 'src/outbox/feed/read-feed.ts', find: 'begin.epoch !== epoch', put: 'begin.epoch === 1' },
  ],
  'no mark of the store': [NO_MARK],
  'backs up in small steps': [{ file: SQLITE, find: '{ rate: ALL_PAGES }', put: '{ rate: 1 }' }],
  'refunds of any amount are explained': [
    { file: 'src/books/booked-line.ts', find: 'line.refund_amount === line.amount &&', put: '' },
    { file: 'src/books/booked-line.ts', find: '!isAsBooked(line) || ', put: '' },
  ],
  'ends with its database connection': [
    {
      file: 'src/db/postgres-database.ts',
      find: `pool.on('connect', (connection) => connection.on('error', () => {}));`,
      put: '',
    },
  ],
} as const satisfies Record<string, readonly Edit[]>;

export type PlantName = keyof typeof PLANTS;

const repository = join(import.meta.dirname, '../..');

/**
 * Imports a module of the product with a planted bug, with separate instances of all its imports. `path` is relative to
 * the root of the repository.
 */
export function importPlanted(path: string, name: PlantName): Promise<unknown> {
  hookOnce();
  return import(`${pathToFileURL(join(repository, path)).href}?plant=${encodeURIComponent(name)}`);
}

/** Plants a bug into everything that this process loads afterwards. Call it before importing the product. */
export function plantIntoProcess(name: PlantName): void {
  checkPlant(name);
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      return url.startsWith('file:') ? { ...loaded, source: planted(url, loaded.source, name) } : loaded;
    },
  });
}

/** Throws if an edit of a planted bug no longer matches the source. */
export function checkPlant(name: PlantName): void {
  for (const { file } of PLANTS[name]) edited(file, readFileSync(join(repository, file), 'utf8'), name);
}

let hooked = false;

/**
 * Registers the load hook once. The query of a variant's URL marks it, and every import from it passes the query on.
 */
function hookOnce(): void {
  if (hooked) return;
  hooked = true;
  registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const resolved = nextResolve(specifier, context);
      const variant = new URL(context.parentURL ?? 'file:///').search;
      const ofProduct = resolved.url.startsWith(pathToFileURL(join(repository, 'src')).href);
      return variant.startsWith('?plant=') && ofProduct ? { ...resolved, url: resolved.url + variant } : resolved;
    },
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      const name = url.startsWith('file:') ? new URL(url).searchParams.get('plant') : null;
      return name === null ? loaded : { ...loaded, source: planted(url, loaded.source, name as PlantName) };
    },
  });
}

function planted<Source>(url: string, source: Source, name: PlantName): Source | string {
  const path = relative(repository, fileURLToPath(url));
  return PLANTS[name].some((edit) => edit.file === path) ? edited(path, String(source), name) : source;
}

function edited(path: string, source: string, name: PlantName): string {
  let result = source;
  for (const { file, find, put } of PLANTS[name] as readonly Edit[]) {
    if (file !== path) continue;
    if (result.split(find).length !== 2) throw new Error(`The place of the planted bug "${name}" is not in ${file}`);
    result = result.replace(find, () => put);
  }
  return result;
}
