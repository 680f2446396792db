import { type Config, environmentVariable, publicOrigin } from './config.ts';
import { hostInUrl } from './lib/network/origins-at.ts';
import { withoutPassword } from './lib/setting-readers.ts';

type Setting = {
  name: string;
  fallback: string;
  meaning: string;
  /** The value in use, set or default. For a secret: whether it is set. */
  inForce: (config: Config) => string | number | boolean | null;
};

/**
 * Every setting. The start-up lines, `doctor` and docs/settings.md are printed from this list; `readConfig` parses the
 * settings.
 */
export const SETTINGS: readonly Setting[] = [
  { name: 'PORT', fallback: '8080', meaning: 'TCP port; 0 takes a free one', inForce: ({ port }) => port },
  { name: 'HOST', fallback: '127.0.0.1', meaning: 'address to listen on', inForce: ({ host }) => host },
  {
    name: 'METRICS_PORT',
    fallback: '',
    meaning: 'TCP port for /metrics alone; without it /metrics is on PORT, for clients on the same machine',
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
    meaning: 'folder of the embedded database, the development key and the last seen state of the database',
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
    meaning: 'the old master key while `master-key rotate` replaces it, see docs/operation.md',
    inForce: ({ masterKeyPrevious }) => (masterKeyPrevious === null ? 'no' : 'yes'),
  },
  {
    name: 'LOG_FORMAT',
    fallback: 'text on a terminal, else json',
    meaning: 'log format: text (for people) or json',
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
      'path prefixes under which everything answers too, separated by commas, such as /pagos or /v1,/dev; links use the first',
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
    meaning: 'which refused requests are stored for 7 days, without secrets: development (tokens), or all',
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
    meaning: 'seconds for which a stopping service keeps listening while `/readyz` says 503; 0 in development',
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
    meaning: 'verdict for a bank code that is not in the list: warn (`undetermined`) or fail (`invalid`)',
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
    meaning: 'days after which `doctor` asks for a backup, see docs/operation.md',
    inForce: ({ backupMaxAgeDays }) => backupMaxAgeDays,
  },
  {
    name: 'VERIFY_MAX_AGE_DAYS',
    fallback: '31 in production',
    meaning: 'days after which `doctor` asks for `books verify`',
    inForce: ({ verifyMaxAgeDays }) => verifyMaxAgeDays,
  },
  {
    name: 'VERDICT_MAX_AGE_DAYS',
    fallback: '180',
    meaning: "days after which a recipient's account must be validated again before a payout",
    inForce: ({ verdictMaxAgeDays }) => verdictMaxAgeDays,
  },
  {
    name: 'RETENTION_CALLBACKS',
    fallback: '',
    meaning: 'days after which finished callbacks and their delivery attempts are deleted (default: never)',
    inForce: ({ retentionDays }) => retentionDays.callbacks,
  },
  {
    name: 'RETENTION_DELIVERY_ATTEMPTS',
    fallback: '',
    meaning: 'days after which the delivery attempts of finished callbacks are deleted (default: never)',
    inForce: ({ retentionDays }) => retentionDays.deliveryAttempts,
  },
  {
    name: 'RETENTION_EVENTS',
    fallback: '',
    meaning: 'days after which events of the feed are deleted (default: never)',
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
    meaning: 'maximum of one transfer, in CLP; a larger amount in a file is split into several payouts',
    inForce: ({ payoutRailLimit }) => payoutRailLimit,
  },
  {
    name: 'ANCHOR_DIR',
    fallback: '',
    meaning:
      'folder on another disk or machine where the sealed heads of the chains are written every day, see docs/finance.md',
    inForce: ({ anchorDir }) => anchorDir,
  },
  {
    name: 'ANCHOR_URL',
    fallback: '',
    meaning: 'URL of yours to which the sealed heads are also posted',
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
    meaning: 'private networks that callbacks may reach, by https, separated by commas, such as 10.20.0.0/16',
    inForce: ({ callbackNetworks }) => callbackNetworks.map(([range, bits]) => `${range.toString()}/${bits}`).join(','),
  },
  {
    name: 'EGRESS_PROXY',
    fallback: '',
    meaning: 'http:// address of a proxy (CONNECT) for every outgoing HTTP request, see docs/operation.md',
    inForce: ({ egressProxy }) => egressProxy && `http://${hostInUrl(egressProxy.host)}:${egressProxy.port}`,
  },
  {
    name: 'SMTP_URL',
    fallback: '',
    meaning: 'smtp://USER:PASSWORD@HOST:587 or smtps://… of the mail server for receipts, see docs/pay-page.md',
    inForce: ({ smtp }) => smtp && `${smtp.secure ? 'smtps' : 'smtp'}://${hostInUrl(smtp.host)}:${smtp.port}`,
  },
  {
    name: 'MAIL_FROM',
    fallback: 'the user of SMTP_URL, or no-reply@ the host of PUBLIC_URL',
    meaning: 'sender address of receipts',
    inForce: ({ smtp, mailFrom }) => smtp && mailFrom,
  },
  {
    name: 'OPERATOR_NAME',
    fallback: '',
    meaning: 'name of the operator, shown to payers',
    inForce: (c) => c.operatorName,
  },
  {
    name: 'SECOND_FACTOR_ROLES',
    fallback: 'support,finance,approver,operator,owner in production',
    meaning:
      'roles that must have a second factor, separated by commas, or none (as in development); also needed with a granted permission that only they have',
    inForce: ({ secondFactorRoles }) => secondFactorRoles.join(',') || 'none',
  },
  {
    name: 'PROOF_MINUTES',
    fallback: '15',
    meaning: 'minutes after which the console asks for the second factor again before it moves money or changes people',
    inForce: ({ proofMinutes }) => proofMinutes,
  },
  {
    name: 'CONSOLE_IDLE_MINUTES',
    fallback: '60',
    meaning: 'minutes without a click after which a console session ends; at most a day',
    inForce: ({ consoleIdleMinutes }) => consoleIdleMinutes,
  },
  {
    name: 'RUBRICA_USER',
    fallback: '',
    meaning: 'e-mail address of the user who acts, unless `--as` names another',
    inForce: ({ actingUser }) => (actingUser === null ? 'no' : 'yes'),
  },
];

export type ShownSetting = {
  name: string;
  // A secret shows `yes` or `no`; a URL is shown without its password.
  value: string | null;
  source: 'environment' | 'default' | 'file';
  meaning: string;
};

/** Lists the settings for start-up and `doctor`: their values, and where they come from. */
export function describeSettings(config: Config, variable = environmentVariable): ShownSetting[] {
  return SETTINGS.map(({ name, meaning, inForce }) => {
    const value = inForce(config) ?? '';
    const source = variable(name)?.trim() ? 'environment' : name === 'MASTER_KEY' ? 'file' : 'default';
    return { name, value: value === '' ? null : String(value), source, meaning };
  });
}
