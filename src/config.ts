import { join, resolve } from 'node:path';
import { keptKey } from './lib/development-key.ts';
import type { EgressProxy } from './lib/open-tunnel.ts';
import { hostInUrl } from './lib/origins-at.ts';
import type { Network } from './lib/private-networks.ts';
import {
  basePaths,
  databaseUrl,
  days,
  flag,
  integer,
  LOG_LEVELS,
  masterKeys,
  oneOf,
  origin,
  ownAddress,
  privateNetworks,
  proxyAddress,
  withoutPassword,
  words,
} from './lib/setting-readers.ts';

export type Config = {
  port: number;
  host: string;
  /** Where the metrics are served by themselves; null: at `port`, to this machine alone. */
  metricsPort: number | null;
  metricsHost: string;
  /** Origin without a final slash, as the outside reaches the service. Null: made of `host` and `port`. */
  publicUrl: string | null;
  databaseUrl: string;
  databaseConnections: number;
  databasePooler: boolean;
  mode: 'development' | 'production';
  dataDir: string;
  /** 32 bytes; the keys for sealing, access tokens and hashes are derived from it. */
  masterKey: Buffer;
  /** Opens what it has sealed, and nothing else is done with it. Null: the master key is not being replaced. */
  masterKeyPrevious: Buffer | null;
  logLevel: string;
  /** The first of `basePaths`, below which links stand; empty without one. */
  basePath: string;
  /** Everything answers below each of these too. */
  basePaths: readonly string[];
  rateLimits: boolean;
  /** Whose refused requests are kept for a few days. */
  refusedRequests: 'development' | 'all';
  trustProxy: boolean;
  transactionMinutes: number;
  /** Seconds between being asked to stop and taking no more connections. */
  drainDelay: number;
  validationProviderUrl: string | null;
  validationProviderKey: string | null;
  /** How old the bank list may be by its own date before `doctor` asks for a newer one. */
  bankDirectoryMaxAgeDays: number;
  /** How long the verdict of a recipient counts. */
  verdictMaxAgeDays: number;
  /** After how many days the worker deletes what has ended; null: never. */
  retentionDays: Record<'callbacks' | 'deliveryAttempts' | 'events', number | null> & { validations: number };
  /** The most that one transfer takes, in CLP. */
  payoutRailLimit: number;
  /** Where the ends of the books' chains are written every day; null: they are kept in the store alone. */
  anchorDir: string | null;
  /** Where they are posted to. */
  anchorUrl: string | null;
  /** Null: Transbank's own addresses. */
  webpayBaseUrl: string | null;
  allowPrivateCallbacks: boolean;
  /** Private networks to which callbacks may go. */
  callbackNetworks: readonly Network[];
  /** Through which every request leaves; null: none. */
  egressProxy: EgressProxy | null;
  /** The roles whose people must have a second factor at the console, and how long a proof of it counts there. */
  secondFactorRoles: readonly string[];
  proofMinutes: number;
  operatorName: string | null;
  /** E-mail address of the user in whose name commands change things; null: nobody was named. */
  actingUser: string | null;
};

type Setting = {
  name: string;
  fallback: string;
  meaning: string;
  /** What the program goes by, whether it was given or not. Of a secret: whether there is one. */
  inForce: (config: Config) => string | number | boolean | null;
};

/** Every setting there is. The start-up lines, `doctor` and docs/settings.md are printed from this list. */
export const SETTINGS: readonly Setting[] = [
  { name: 'PORT', fallback: '8080', meaning: 'TCP port; 0 takes a free one', inForce: ({ port }) => port },
  { name: 'HOST', fallback: '127.0.0.1', meaning: 'address to listen on', inForce: ({ host }) => host },
  {
    name: 'METRICS_PORT',
    fallback: '',
    meaning: 'TCP port on which /metrics is alone; without it /metrics is on PORT, for clients on the same machine',
    inForce: ({ metricsPort }) => metricsPort,
  },
  {
    name: 'METRICS_HOST',
    fallback: '127.0.0.1',
    meaning: 'address to listen on with METRICS_PORT; every client that reaches it can read the metrics',
    inForce: ({ metricsHost }) => metricsHost,
  },
  {
    name: 'PUBLIC_URL',
    fallback: '',
    meaning: 'origin under which payers and merchants reach the service',
    inForce: publicOrigin,
  },
  {
    name: 'DATABASE_URL',
    fallback: 'sqlite:<DATA_DIR>/rubrica.db',
    meaning: 'sqlite:FILE or postgres://…',
    inForce: ({ databaseUrl }) => withoutPassword(databaseUrl),
  },
  {
    name: 'DATABASE_CONNECTIONS',
    fallback: '10',
    meaning: 'PostgreSQL connections of one process',
    inForce: ({ databaseConnections }) => databaseConnections,
  },
  {
    name: 'DATABASE_POOLER',
    fallback: 'false',
    meaning: 'true behind PgBouncer in transaction mode: no named statements',
    inForce: ({ databasePooler }) => databasePooler,
  },
  {
    name: 'RUBRICA_ENV',
    fallback: 'development',
    meaning: 'development makes its own keys; production refuses to start without them',
    inForce: ({ mode }) => mode,
  },
  {
    name: 'DATA_DIR',
    fallback: './data',
    meaning: 'folder of the embedded database, the development key, and the mark of what was seen of the database',
    inForce: ({ dataDir }) => dataDir,
  },
  {
    name: 'MASTER_KEY',
    fallback: '',
    meaning: '32 bytes as 64 hexadecimal digits or base64; encrypts Secret Tokens at rest',
    inForce: () => 'yes',
  },
  {
    name: 'MASTER_KEY_PREVIOUS',
    fallback: '',
    meaning: 'the master key that MASTER_KEY replaces, until `master-key rotate` is done: see docs/operation.md',
    inForce: ({ masterKeyPrevious }) => (masterKeyPrevious === null ? 'no' : 'yes'),
  },
  {
    name: 'LOG_LEVEL',
    fallback: 'info',
    meaning: 'fatal, error, warn, info, debug, trace or silent',
    inForce: ({ logLevel }) => logLevel,
  },
  {
    name: 'BASE_PATH',
    fallback: '',
    meaning:
      'paths under which everything answers too, with commas between, such as /pagos or /v1,/dev; links have the first',
    inForce: ({ basePaths }) => basePaths.join(','),
  },
  {
    name: 'RATE_LIMITS',
    fallback: 'on in production',
    meaning: 'on or off; the login limiter is always on',
    inForce: ({ rateLimits }) => (rateLimits ? 'on' : 'off'),
  },
  {
    name: 'REFUSED_REQUESTS',
    fallback: 'development',
    meaning: 'whose refused requests are kept for 7 days, without secrets: development (tokens), or all',
    inForce: ({ refusedRequests }) => refusedRequests,
  },
  {
    name: 'TRUST_PROXY',
    fallback: 'false',
    meaning: 'true behind a balancer: take the client address from X-Forwarded-For',
    inForce: ({ trustProxy }) => trustProxy,
  },
  {
    name: 'TRANSACTION_MINUTES',
    fallback: '60',
    meaning: 'how long a transaction can be paid',
    inForce: ({ transactionMinutes }) => transactionMinutes,
  },
  {
    name: 'DRAIN_DELAY',
    fallback: '5 in production',
    meaning:
      'seconds for which a service that was asked to stop listens on, while `/readyz` says 503; 0 in development',
    inForce: ({ drainDelay }) => drainDelay,
  },
  {
    name: 'VALIDATION_PROVIDER_URL',
    fallback: '',
    meaning: 'online bank account provider, see docs/validation-provider.md',
    inForce: ({ validationProviderUrl }) => validationProviderUrl && withoutPassword(validationProviderUrl),
  },
  {
    name: 'VALIDATION_PROVIDER_KEY',
    fallback: '',
    meaning: 'bearer key for that provider',
    inForce: ({ validationProviderKey }) => (validationProviderKey === null ? 'no' : 'yes'),
  },
  {
    name: 'BANK_DIRECTORY_MAX_AGE_DAYS',
    fallback: '365',
    meaning: 'days after which `doctor` asks for a newer bank list',
    inForce: ({ bankDirectoryMaxAgeDays }) => bankDirectoryMaxAgeDays,
  },
  {
    name: 'VERDICT_MAX_AGE_DAYS',
    fallback: '180',
    meaning: 'days after which the account of a recipient is validated again before it is paid',
    inForce: ({ verdictMaxAgeDays }) => verdictMaxAgeDays,
  },
  {
    name: 'RETENTION_CALLBACKS',
    fallback: '',
    meaning: 'days after which callbacks that have ended are deleted, with their delivery attempts; without it never',
    inForce: ({ retentionDays }) => retentionDays.callbacks,
  },
  {
    name: 'RETENTION_DELIVERY_ATTEMPTS',
    fallback: '',
    meaning: 'days after which the delivery attempts of callbacks that have ended are deleted; without it never',
    inForce: ({ retentionDays }) => retentionDays.deliveryAttempts,
  },
  {
    name: 'RETENTION_EVENTS',
    fallback: '',
    meaning: 'days after which events of the feed are deleted; without it never',
    inForce: ({ retentionDays }) => retentionDays.events,
  },
  {
    name: 'RETENTION_VALIDATIONS',
    fallback: '730',
    meaning: 'days after which bank account validations are deleted',
    inForce: ({ retentionDays }) => retentionDays.validations,
  },
  {
    name: 'PAYOUT_RAIL_LIMIT',
    fallback: '7000000',
    meaning: 'the most that one transfer takes, in CLP; a file that asks for more is split into several payouts',
    inForce: ({ payoutRailLimit }) => payoutRailLimit,
  },
  {
    name: 'ANCHOR_DIR',
    fallback: '',
    meaning:
      'folder on another disk or machine in which the ends of the books are sealed every day, see docs/finance.md',
    inForce: ({ anchorDir }) => anchorDir,
  },
  {
    name: 'ANCHOR_URL',
    fallback: '',
    meaning: 'address of your own to which they are posted as well',
    inForce: ({ anchorUrl }) => anchorUrl && withoutPassword(anchorUrl),
  },
  {
    name: 'WEBPAY_BASE_URL',
    fallback: '',
    meaning: "origin in place of Transbank's, for tests against a stand-in",
    inForce: ({ webpayBaseUrl }) => webpayBaseUrl,
  },
  {
    name: 'ALLOW_PRIVATE_CALLBACKS',
    fallback: 'true in development',
    meaning: 'lets development tokens call http:, private hosts and any port',
    inForce: ({ allowPrivateCallbacks }) => allowPrivateCallbacks,
  },
  {
    name: 'CALLBACK_NETWORKS',
    fallback: '',
    meaning: 'private networks to which callbacks may go too, by https, with commas between, such as 10.20.0.0/16',
    inForce: ({ callbackNetworks }) => callbackNetworks.map(([range, bits]) => `${range.toString()}/${bits}`).join(','),
  },
  {
    name: 'EGRESS_PROXY',
    fallback: '',
    meaning: 'http:// address of a proxy through which every request leaves, by CONNECT: see docs/operation.md',
    inForce: ({ egressProxy }) => egressProxy && `http://${hostInUrl(egressProxy.host)}:${egressProxy.port}`,
  },
  { name: 'OPERATOR_NAME', fallback: '', meaning: 'who runs it, for payers to read', inForce: (c) => c.operatorName },
  {
    name: 'SECOND_FACTOR_ROLES',
    fallback: 'support,finance,approver,operator,owner in production',
    meaning: 'roles whose people must have a second factor at the console, with commas, or none as in development',
    inForce: ({ secondFactorRoles }) => secondFactorRoles.join(',') || 'none',
  },
  {
    name: 'PROOF_MINUTES',
    fallback: '15',
    meaning: 'minutes after which the console asks for the second factor again before money or people are moved',
    inForce: ({ proofMinutes }) => proofMinutes,
  },
  {
    name: 'RUBRICA_USER',
    fallback: '',
    meaning: 'e-mail address of the user in whose name commands change things, unless `--as` says another',
    inForce: ({ actingUser }) => (actingUser === null ? 'no' : 'yes'),
  },
];

export { ConfigError } from './lib/setting-readers.ts';

const MONEY_AND_PEOPLE = 'support,finance,approver,operator,owner';

/**
 * Reads the settings from an environment such as `process.env`.
 *
 * In development a missing master key is made and kept in `<DATA_DIR>/master.key`. Throws `ConfigError`.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const text = (name: string) => environment[name]?.trim() || null;
  const mode = oneOf('RUBRICA_ENV', text('RUBRICA_ENV') ?? 'development', ['development', 'production'] as const);
  const anchorDir = text('ANCHOR_DIR');
  const prefixes = basePaths(text('BASE_PATH'));
  const dataDir = resolve(text('DATA_DIR') ?? './data');
  const development = mode === 'development';
  const database = databaseUrl(text('DATABASE_URL') ?? `sqlite:${join(dataDir, 'rubrica.db')}`);
  return {
    port: integer('PORT', text('PORT') ?? '8080', 0, 65_535),
    host: text('HOST') ?? '127.0.0.1',
    metricsPort: text('METRICS_PORT') === null ? null : integer('METRICS_PORT', text('METRICS_PORT') ?? '', 1, 65_535),
    metricsHost: text('METRICS_HOST') ?? '127.0.0.1',
    publicUrl: origin('PUBLIC_URL', text('PUBLIC_URL')),
    databaseUrl: database,
    databaseConnections: integer('DATABASE_CONNECTIONS', text('DATABASE_CONNECTIONS') ?? '10', 1, 1000),
    databasePooler: flag('DATABASE_POOLER', text('DATABASE_POOLER'), false),
    mode,
    dataDir,
    ...masterKeys(text('MASTER_KEY') ?? keptKey(mode, dataDir, database), text('MASTER_KEY_PREVIOUS')),
    logLevel: oneOf('LOG_LEVEL', text('LOG_LEVEL') ?? 'info', LOG_LEVELS),
    basePath: prefixes[0] ?? '',
    basePaths: prefixes,
    rateLimits: flag('RATE_LIMITS', text('RATE_LIMITS'), !development),
    refusedRequests: oneOf('REFUSED_REQUESTS', text('REFUSED_REQUESTS') ?? 'development', ['development', 'all']),
    trustProxy: flag('TRUST_PROXY', text('TRUST_PROXY'), false),
    transactionMinutes: integer('TRANSACTION_MINUTES', text('TRANSACTION_MINUTES') ?? '60', 1, 60 * 24 * 30),
    drainDelay: integer('DRAIN_DELAY', text('DRAIN_DELAY') ?? (development ? '0' : '5'), 0, 600),
    validationProviderUrl: ownAddress('VALIDATION_PROVIDER_URL', text('VALIDATION_PROVIDER_URL')),
    validationProviderKey: text('VALIDATION_PROVIDER_KEY'),
    bankDirectoryMaxAgeDays: days('BANK_DIRECTORY_MAX_AGE_DAYS', text('BANK_DIRECTORY_MAX_AGE_DAYS')) ?? 365,
    verdictMaxAgeDays: days('VERDICT_MAX_AGE_DAYS', text('VERDICT_MAX_AGE_DAYS')) ?? 180,
    retentionDays: {
      callbacks: days('RETENTION_CALLBACKS', text('RETENTION_CALLBACKS')),
      deliveryAttempts: days('RETENTION_DELIVERY_ATTEMPTS', text('RETENTION_DELIVERY_ATTEMPTS')),
      events: days('RETENTION_EVENTS', text('RETENTION_EVENTS')),
      validations: days('RETENTION_VALIDATIONS', text('RETENTION_VALIDATIONS')) ?? 730,
    },
    payoutRailLimit: integer('PAYOUT_RAIL_LIMIT', text('PAYOUT_RAIL_LIMIT') ?? '7000000', 1, 1_000_000_000),
    anchorDir: anchorDir === null ? null : resolve(anchorDir),
    anchorUrl: ownAddress('ANCHOR_URL', text('ANCHOR_URL')),
    webpayBaseUrl: origin('WEBPAY_BASE_URL', text('WEBPAY_BASE_URL')),
    allowPrivateCallbacks: flag('ALLOW_PRIVATE_CALLBACKS', text('ALLOW_PRIVATE_CALLBACKS'), development) && development,
    callbackNetworks: privateNetworks('CALLBACK_NETWORKS', text('CALLBACK_NETWORKS')),
    egressProxy: proxyAddress('EGRESS_PROXY', text('EGRESS_PROXY')),
    secondFactorRoles: words(text('SECOND_FACTOR_ROLES') ?? (development ? 'none' : MONEY_AND_PEOPLE)),
    proofMinutes: integer('PROOF_MINUTES', text('PROOF_MINUTES') ?? '15', 1, 24 * 60),
    operatorName: text('OPERATOR_NAME'),
    actingUser: text('RUBRICA_USER'),
  };
}

/** A variable that a command was told to read, such as one with a Secret Token. */
export const environmentVariable = (name: string): string | undefined => process.env[name];

export type ShownSetting = {
  name: string;
  // A secret says `yes` or `no`, set or not; an address comes without its password.
  value: string | null;
  source: 'environment' | 'default' | 'file';
  meaning: string;
};

/** The settings as start-up and `doctor` print them: what is in force, and where it comes from. */
export function describeSettings(config: Config, environment: NodeJS.ProcessEnv = process.env): ShownSetting[] {
  return SETTINGS.map(({ name, meaning, inForce }) => {
    const value = inForce(config) ?? '';
    const source = environment[name]?.trim() ? 'environment' : name === 'MASTER_KEY' ? 'file' : 'default';
    return { name, value: value === '' ? null : String(value), source, meaning };
  });
}

/** The origin for payers and merchants, without a final slash. */
export function publicOrigin({ publicUrl, host, port }: Config): string {
  return publicUrl ?? `http://${hostInUrl(host)}:${port}`;
}

/** What is wrong with ALLOW_PRIVATE_CALLBACKS as it was set, or null: production has never gone by it. */
export function privateCallbacksProblem(config: Config, environment: NodeJS.ProcessEnv = process.env): string | null {
  const said = environment['ALLOW_PRIVATE_CALLBACKS']?.trim() || null;
  if (config.mode === 'development' || !flag('ALLOW_PRIVATE_CALLBACKS', said, false)) return null;
  return 'ALLOW_PRIVATE_CALLBACKS is ignored in production: callbacks to http:, private hosts and other ports are refused';
}
