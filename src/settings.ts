import { type Config, environmentVariable, publicOrigin } from './config.ts';
import { hostInUrl } from './lib/origins-at.ts';
import { withoutPassword } from './lib/setting-readers.ts';

type Setting = {
  name: string;
  fallback: string;
  meaning: string;
  /** The value that the program goes by, whether it was given or not. Of a secret: whether there is one. */
  inForce: (config: Config) => string | number | boolean | null;
};

/** Every setting there is. The start-up lines, `doctor` and docs/settings.md are printed from this list; `readConfig` reads them. */
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
    name: 'LOG_FORMAT',
    fallback: 'text on a terminal, else json',
    meaning: 'how the log is written: text, for a person, or json',
    inForce: ({ logFormat }) => logFormat,
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
    name: 'UNKNOWN_BANK',
    fallback: 'warn',
    meaning:
      'what a bank code that the list does not have makes of a validation: warn, `undetermined`; fail, `invalid`',
    inForce: ({ unknownBank }) => unknownBank,
  },
  {
    name: 'BANK_DIRECTORY_MAX_AGE_DAYS',
    fallback: '365',
    meaning: 'days after which `doctor` asks for a newer bank list',
    inForce: ({ bankDirectoryMaxAgeDays }) => bankDirectoryMaxAgeDays,
  },
  {
    name: 'BACKUP_MAX_AGE_DAYS',
    fallback: '7 in production',
    meaning: 'days after which a backup is asked for, see docs/operation.md',
    inForce: ({ backupMaxAgeDays }) => backupMaxAgeDays,
  },
  {
    name: 'VERIFY_MAX_AGE_DAYS',
    fallback: '31 in production',
    meaning: 'days after which `books verify` is asked for',
    inForce: ({ verifyMaxAgeDays }) => verifyMaxAgeDays,
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
  {
    name: 'SMTP_URL',
    fallback: '',
    meaning:
      'smtp://USER:PASSWORD@HOST:587 or smtps://… of a server that takes receipts for payers, see docs/pay-page.md',
    inForce: ({ smtp }) => smtp && `${smtp.secure ? 'smtps' : 'smtp'}://${hostInUrl(smtp.host)}:${smtp.port}`,
  },
  {
    name: 'MAIL_FROM',
    fallback: 'the user of SMTP_URL, or no-reply@ the host of PUBLIC_URL',
    meaning: 'e-mail address that receipts come from',
    inForce: ({ smtp, mailFrom }) => smtp && mailFrom,
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
    name: 'CONSOLE_IDLE_MINUTES',
    fallback: '60',
    meaning: 'minutes without a click after which somebody signs in to the console again; at most a day',
    inForce: ({ consoleIdleMinutes }) => consoleIdleMinutes,
  },
  {
    name: 'RUBRICA_USER',
    fallback: '',
    meaning: 'e-mail address of the user in whose name commands change things, unless `--as` says another',
    inForce: ({ actingUser }) => (actingUser === null ? 'no' : 'yes'),
  },
];

export type ShownSetting = {
  name: string;
  // A secret says `yes` or `no`, set or not; an address comes without its password.
  value: string | null;
  source: 'environment' | 'default' | 'file';
  meaning: string;
};

/** The settings as start-up and `doctor` print them: what is in force, and where it comes from. */
export function describeSettings(config: Config, variable = environmentVariable): ShownSetting[] {
  return SETTINGS.map(({ name, meaning, inForce }) => {
    const value = inForce(config) ?? '';
    const source = variable(name)?.trim() ? 'environment' : name === 'MASTER_KEY' ? 'file' : 'default';
    return { name, value: value === '' ? null : String(value), source, meaning };
  });
}
