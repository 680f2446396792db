import { join, resolve } from 'node:path';
import { keptKey } from './lib/development-key.ts';
import type { SmtpServer } from './lib/network/mailer.ts';
import type { EgressProxy } from './lib/network/open-tunnel.ts';
import { hostInUrl } from './lib/network/origins-at.ts';
import type { Network } from './lib/network/private-networks.ts';
import {
  basePaths,
  bearerKey,
  databaseUrl,
  days,
  flag,
  integer,
  LOG_LEVELS,
  masterKeys,
  oneLine,
  oneOf,
  origin,
  ownAddress,
  privateNetworks,
  proxyAddress,
  senderAddress,
  smtpServer,
  words,
} from './lib/setting-readers.ts';

export type Config = {
  port: number;
  host: string;
  /** A separate port for the metrics; null: at `port`, for clients on this machine only. */
  metricsPort: number | null;
  metricsHost: string;
  /** The public origin of the service, without a final slash. Null: built from `host` and `port`. */
  publicUrl: string | null;
  databaseUrl: string;
  databaseConnections: number;
  databasePooler: boolean;
  mode: 'development' | 'production';
  dataDir: string;
  /** 32 bytes. The keys for sealing, access tokens and hashes are derived from it. */
  masterKey: Buffer;
  /** Only decrypts. Null: the master key is not being replaced. */
  masterKeyPrevious: Buffer | null;
  logLevel: string;
  logFormat: 'text' | 'json';
  /** The log of a service is its output; a command prints its result there, and logs to stderr: `asCommand`. */
  logTo: 'stdout' | 'stderr';
  /** The first of `basePaths`, which links use; empty without one. */
  basePath: string;
  /** Every endpoint is also served below each of these paths. */
  basePaths: readonly string[];
  rateLimits: boolean;
  /** The environments whose refused requests are stored for a few days. */
  refusedRequests: 'development' | 'all';
  trustProxy: boolean;
  transactionMinutes: number;
  /** Seconds between the stop signal and the refusal of new connections. */
  drainDelay: number;
  validationProviderUrl: string | null;
  validationProviderKey: string | null;
  /** The result of the check for a bank code that is not in the list and not known to be wrong. */
  unknownBank: 'warn' | 'fail';
  /** The age of the bank list, by its own date, from which `doctor` asks for a newer one. */
  bankDirectoryMaxAgeDays: number;
  /** The age of the last backup and the last `books verify` from which a person is asked for one; null: never. */
  backupMaxAgeDays: number | null;
  verifyMaxAgeDays: number | null;
  /** How long a recipient's verdict is valid. */
  verdictMaxAgeDays: number;
  /** The age in days from which the worker deletes ended rows; null: never. */
  retentionDays: Record<'callbacks' | 'deliveryAttempts' | 'events', number | null> & { validations: number };
  /** The most that one transfer can carry, in CLP. */
  payoutRailLimit: number;
  /** The folder for anchors of the books; null: anchors are only in the store. */
  anchorDir: string | null;
  /** The URL that anchors are posted to. */
  anchorUrl: string | null;
  /** Null: Transbank's own addresses. */
  webpayBaseUrl: string | null;
  allowPrivateCallbacks: boolean;
  /** Private networks that callbacks may reach. */
  callbackNetworks: readonly Network[];
  /** The proxy for all outgoing requests; null: direct connections. */
  egressProxy: EgressProxy | null;
  /** The mail server for payers' receipts; null: no mail is sent. */
  smtp: SmtpServer | null;
  /** The sender's address of mails. */
  mailFrom: string;
  /** The roles that need a second factor in the console, and how long a proof of it is valid. */
  secondFactorRoles: readonly string[];
  proofMinutes: number;
  /** The minutes without activity after which a console session ends. */
  consoleIdleMinutes: number;
  operatorName: string | null;
  /** The e-mail address of the user that commands act for; null: not set. */
  actingUser: string | null;
};

export { ConfigError } from './lib/setting-readers.ts';

const MONEY_AND_PEOPLE = 'support,finance,approver,operator,owner';

/**
 * Reads the settings from an environment such as `process.env`.
 *
 * In development a missing master key is created and stored in `<DATA_DIR>/master.key`, unless `makesKey` is false.
 * Throws `ConfigError`.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env, { makesKey = true } = {}): Config {
  const text = (name: string) => oneLine(name, environment[name]?.trim() || null);
  // The entries of a list may stand on lines of their own.
  const list = (name: string) => oneLine(name, environment[name]?.replace(/,\s+/g, ',').trim() || null);
  const number = (name: string, fallback: string, least: number, most: number) =>
    integer(name, text(name) ?? fallback, least, most);
  const isOn = (name: string, fallback: boolean) => flag(name, text(name), fallback);
  const age = (name: string) => days(name, text(name));
  const mode = oneOf('RUBRICA_ENV', text('RUBRICA_ENV') ?? 'development', ['development', 'production'] as const);
  const anchorDir = text('ANCHOR_DIR');
  const prefixes = basePaths(list('BASE_PATH'));
  const dataDir = resolve(text('DATA_DIR') ?? './data');
  const development = mode === 'development';
  const smtp = smtpServer('SMTP_URL', text('SMTP_URL'));
  const database = databaseUrl(text('DATABASE_URL') ?? `sqlite:${join(dataDir, 'rubrica.db')}`);
  return {
    port: number('PORT', '8080', 0, 65_535),
    host: text('HOST') ?? '127.0.0.1',
    metricsPort: text('METRICS_PORT') === null ? null : number('METRICS_PORT', '', 1, 65_535),
    metricsHost: text('METRICS_HOST') ?? '127.0.0.1',
    publicUrl: origin('PUBLIC_URL', text('PUBLIC_URL')),
    databaseUrl: database,
    databaseConnections: number('DATABASE_CONNECTIONS', '10', 1, 1000),
    databasePooler: isOn('DATABASE_POOLER', false),
    mode,
    dataDir,
    ...masterKeys(
      text('MASTER_KEY') ?? keptKey(mode, { dataDir, database, makes: makesKey }),
      text('MASTER_KEY_PREVIOUS'),
    ),
    logFormat: oneOf('LOG_FORMAT', text('LOG_FORMAT') ?? (process.stdout.isTTY ? 'text' : 'json'), ['text', 'json']),
    logTo: 'stdout',
    logLevel: oneOf('LOG_LEVEL', text('LOG_LEVEL') ?? 'info', LOG_LEVELS),
    basePath: prefixes[0] ?? '',
    basePaths: prefixes,
    rateLimits: isOn('RATE_LIMITS', !development),
    refusedRequests: oneOf('REFUSED_REQUESTS', text('REFUSED_REQUESTS') ?? 'development', ['development', 'all']),
    trustProxy: isOn('TRUST_PROXY', false),
    transactionMinutes: number('TRANSACTION_MINUTES', '60', 1, 60 * 24 * 30),
    drainDelay: number('DRAIN_DELAY', development ? '0' : '5', 0, 600),
    validationProviderUrl: ownAddress('VALIDATION_PROVIDER_URL', text('VALIDATION_PROVIDER_URL')),
    validationProviderKey: bearerKey('VALIDATION_PROVIDER_KEY', text('VALIDATION_PROVIDER_KEY')),
    unknownBank: oneOf('UNKNOWN_BANK', text('UNKNOWN_BANK') ?? 'warn', ['warn', 'fail']),
    bankDirectoryMaxAgeDays: age('BANK_DIRECTORY_MAX_AGE_DAYS') ?? 365,
    backupMaxAgeDays: age('BACKUP_MAX_AGE_DAYS') ?? (development ? null : 7),
    verifyMaxAgeDays: age('VERIFY_MAX_AGE_DAYS') ?? (development ? null : 31),
    verdictMaxAgeDays: age('VERDICT_MAX_AGE_DAYS') ?? 180,
    retentionDays: {
      callbacks: age('RETENTION_CALLBACKS'),
      deliveryAttempts: age('RETENTION_DELIVERY_ATTEMPTS'),
      events: age('RETENTION_EVENTS'),
      validations: age('RETENTION_VALIDATIONS') ?? 730,
    },
    payoutRailLimit: number('PAYOUT_RAIL_LIMIT', '7000000', 1, 1_000_000_000),
    anchorDir: anchorDir === null ? null : resolve(anchorDir),
    anchorUrl: ownAddress('ANCHOR_URL', text('ANCHOR_URL')),
    webpayBaseUrl: origin('WEBPAY_BASE_URL', text('WEBPAY_BASE_URL')),
    allowPrivateCallbacks: isOn('ALLOW_PRIVATE_CALLBACKS', development) && development,
    callbackNetworks: privateNetworks('CALLBACK_NETWORKS', list('CALLBACK_NETWORKS')),
    egressProxy: proxyAddress('EGRESS_PROXY', text('EGRESS_PROXY')),
    smtp,
    mailFrom: senderAddress('MAIL_FROM', text('MAIL_FROM'), smtp, text('PUBLIC_URL')),
    secondFactorRoles: words(list('SECOND_FACTOR_ROLES') ?? (development ? 'none' : MONEY_AND_PEOPLE)),
    proofMinutes: number('PROOF_MINUTES', '15', 1, 24 * 60),
    consoleIdleMinutes: number('CONSOLE_IDLE_MINUTES', '60', 5, 24 * 60),
    operatorName: text('OPERATOR_NAME'),
    actingUser: text('RUBRICA_USER'),
  };
}

/** Returns a variable that a command names as input, such as one with a Secret Token. */
export const environmentVariable = (name: string): string | undefined =>
  Object.hasOwn(process.env, name) ? process.env[name] : undefined;

/** Returns the origin for payers and merchants, without a final slash. */
export function publicOrigin({ publicUrl, host, port }: Config): string {
  return publicUrl ?? `http://${hostInUrl(host)}:${port}`;
}

/** Returns what is wrong with ALLOW_PRIVATE_CALLBACKS, or null. Production ignores the setting. */
export function privateCallbacksProblem(config: Config, environment: NodeJS.ProcessEnv = process.env): string | null {
  const said = environment['ALLOW_PRIVATE_CALLBACKS']?.trim() || null;
  if (config.mode === 'development' || !flag('ALLOW_PRIVATE_CALLBACKS', said, false)) return null;
  return 'ALLOW_PRIVATE_CALLBACKS is ignored in production: callbacks to http:, private hosts and other ports are refused';
}
