import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, privateCallbacksProblem, readConfig } from '../../src/config.ts';
import { publicUrlProblem } from '../../src/health/public-url-problem.ts';
import { ownPlaces } from '../../src/lib/network/own-places.ts';
import { describeSettings, SETTINGS } from '../../src/settings.ts';

test('the list of settings has exactly the settings that the program reads', () => {
  const read = new Set<string>();
  const watched = new Proxy<Record<string, string>>(KEY, {
    get: (given, name) => {
      read.add(String(name));
      return given[String(name)];
    },
  });
  readConfig(watched);
  const listed = SETTINGS.map(({ name }) => name);
  assert.deepEqual(
    [...read].filter((name) => !listed.includes(name)),
    [],
    'readConfig reads settings that have no line in SETTINGS of src/settings.ts',
  );
  assert.deepEqual(
    listed.filter((name) => !read.has(name)),
    [],
    'SETTINGS has lines that readConfig of src/config.ts does not read',
  );
});

test('the listed default of a setting is the default that the program uses', () => {
  let compared = 0;
  for (const { name, fallback } of SETTINGS) {
    // Other defaults are sentences, because they depend on other settings or on the terminal.
    const [, value, mode = 'development'] = /^(\S+?)(?: in (production|development))?$/.exec(fallback) ?? [];
    if (value === undefined || value.includes('<')) continue;
    const base = { ...KEY, RUBRICA_ENV: mode };
    assert.deepEqual(readConfig({ ...base, [name]: value }), readConfig(base), `${name}=${value}`);
    compared += 1;
  }
  assert.ok(compared > 15);
});

const OWN_ORIGINS: [settings: Record<string, string>, own: string[], others: string[]][] = [
  [{}, ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080'], ['http://127.0.0.1:9000']],
  [{ PORT: '80' }, ['http://127.0.0.1', 'http://localhost'], ['http://127.0.0.1:80']],
  [{ HOST: '0.0.0.0', PORT: '81' }, ['http://127.0.0.1:81', 'http://0.0.0.0:81'], ['http://10.0.0.1:81']],
  [{ HOST: '10.0.0.1' }, ['http://10.0.0.1:8080'], ['http://127.0.0.1:8080']],
  [{ HOST: 'fd00::1' }, ['http://[fd00::1]:8080'], []],
  [
    { PUBLIC_URL: 'https://pay.example.cl/pagos' },
    ['https://pay.example.cl', 'http://127.0.0.1:8080'],
    ['http://pay.example.cl', 'https://pay.example.cl:8443'],
  ],
];

for (const [settings, own, others] of OWN_ORIGINS) {
  test(`the service recognises its own origins: ${JSON.stringify(settings)}`, () => {
    const { ownOrigins } = ownPlaces(readConfig({ ...KEY, ...settings }));
    for (const origin of own) assert.ok(ownOrigins.includes(origin), origin);
    for (const origin of others) assert.ok(!ownOrigins.includes(origin), origin);
  });
}

test('only the host of PUBLIC_URL belongs to the service on every port', () => {
  assert.deepEqual(ownPlaces(readConfig(KEY)).ownAddresses, []);
  const named = ownPlaces(readConfig({ ...KEY, PUBLIC_URL: 'https://pay.example.cl:8443' }));
  assert.deepEqual(named.ownAddresses, ['pay.example.cl']);
});

const SECRET_SETTINGS = {
  MASTER_KEY: 'ab'.repeat(32),
  MASTER_KEY_PREVIOUS: 'cd'.repeat(32),
  VALIDATION_PROVIDER_KEY: 'provider-secret',
  VALIDATION_PROVIDER_URL: 'https://verify.example.cl/holders?key=url-secret',
};

test('a secret setting is shown as set or not set, never with its value', () => {
  const shown = shownSettings({ ...SECRET_SETTINGS, DATABASE_URL: 'postgres://user:password@db/x?password=password' });
  assert.equal(shown.MASTER_KEY, 'yes environment');
  assert.equal(shown.MASTER_KEY_PREVIOUS, 'yes environment');
  assert.equal(shown.VALIDATION_PROVIDER_KEY, 'yes environment');
  assert.equal(shown.DATABASE_URL, 'postgres://user@db/x environment');
  assert.equal(shown.VALIDATION_PROVIDER_URL, 'https://verify.example.cl/holders environment');
  assert.doesNotMatch(JSON.stringify(shown), /password|secret|abab|cdcd/);
  assert.equal(shownSettings(KEY).VALIDATION_PROVIDER_KEY, 'no default');
});

test('an address with an @ after its host is not shown, because a part of a password may be in it', () => {
  const mistyped = { VALIDATION_PROVIDER_URL: 'https://v.example.cl/a:12/34@b' };
  assert.equal(shownSettings({ ...KEY, ...mistyped }).VALIDATION_PROVIDER_URL, 'yes environment');
});

test('a setting is shown with the value in force and its source', () => {
  const shown = shownSettings({ ...KEY, RUBRICA_ENV: 'production', PORT: '81', ALLOW_PRIVATE_CALLBACKS: 'true' });
  assert.equal(shown.PORT, '81 environment');
  assert.equal(shown.PUBLIC_URL, 'http://127.0.0.1:81 default');
  assert.equal(shown.RATE_LIMITS, 'on default');
  assert.equal(shown.ALLOW_PRIVATE_CALLBACKS, 'false environment');
  assert.equal(shown.BASE_PATH, 'null default');
  assert.match(shown.DATABASE_URL ?? '', /^sqlite:\/.*rubrica\.db default$/);
});

test('in production the public address must be https', () => {
  const problem = (settings: Record<string, string>) => publicUrlProblem(readConfig({ ...KEY, ...settings }));
  assert.equal(problem({}), null);
  assert.match(problem({ RUBRICA_ENV: 'production' }) ?? '', /not set, so .* http:\/\/127\.0\.0\.1:8080/);
  assert.match(problem({ RUBRICA_ENV: 'production', PUBLIC_URL: 'http://pay.example.cl' }) ?? '', /not https/);
  assert.equal(problem({ RUBRICA_ENV: 'production', PUBLIC_URL: 'https://pay.example.cl' }), null);
});

test('ALLOW_PRIVATE_CALLBACKS is reported as ignored in production', () => {
  const problem = (settings: Record<string, string>) =>
    privateCallbacksProblem(readConfig({ ...KEY, ...settings }), settings);
  assert.match(problem({ RUBRICA_ENV: 'production', ALLOW_PRIVATE_CALLBACKS: 'true' }) ?? '', /ignored in production/);
  for (const settings of [{ RUBRICA_ENV: 'production' }, { ALLOW_PRIVATE_CALLBACKS: 'true' }])
    assert.equal(problem(settings as Record<string, string>), null);
});

const KEY = { MASTER_KEY: '00'.repeat(32) };
const REFUSED: [string, Record<string, string>, RegExp][] = [
  ['production without a master key', { RUBRICA_ENV: 'production' }, /MASTER_KEY is missing/],
  ['a short master key', { MASTER_KEY: 'abc' }, /32 bytes/],
  ['a master key of other characters', { MASTER_KEY: `${'0'.repeat(42)}!` }, /32 bytes/],
  ['a short previous master key', { ...KEY, MASTER_KEY_PREVIOUS: 'abc' }, /MASTER_KEY_PREVIOUS must be 32 bytes/],
  ['the same master key twice', { ...KEY, MASTER_KEY_PREVIOUS: KEY.MASTER_KEY }, /the same key as MASTER_KEY/],
  ['a file: address of an embedded store', { ...KEY, DATABASE_URL: 'sqlite:file:/tmp/a.db' }, /no file: address/],
  [
    'a bare # in the password of the database',
    { ...KEY, DATABASE_URL: 'postgres://rubrica:sec#ret@db/rubrica' },
    /^DATABASE_URL cannot be read(?!.*sec).* # as %23/,
  ],
  ...['12/34', '12?34', '12#34', '12/3?34', '12/3?a=34', '1@2?34', '1@2?a=34', '1/2?a=3&b=34', 'p/w'].map(
    (password): [string, Record<string, string>, RegExp] => [
      `a password of the database with a bare character: ${password}`,
      { ...KEY, DATABASE_URL: `postgres://rubrica:${password}@db/rubrica` },
      /^DATABASE_URL cannot be read(?!.*34).* \/ as %2F, \? as %3F/,
    ],
  ),
  ...['u:1/2?a=34', 'u:1/2?a=3&b=34', 'u:1@1/2?a=34', 'u:1/2?34'].map(
    (start): [string, Record<string, string>, RegExp] => [
      `a password of the database with a bare character, and no name of a database: ${start}`,
      { ...KEY, DATABASE_URL: `postgres://${start}@db` },
      /^DATABASE_URL cannot be read(?!.*34).* \/ as %2F, \? as %3F and @ as %40/,
    ],
  ),
  ...['OPERATOR_NAME', 'VALIDATION_PROVIDER_KEY', 'PUBLIC_URL', 'HOST', 'DATA_DIR', 'DATABASE_URL'].map(
    (name): [string, Record<string, string>, RegExp] => [
      `a line break in ${name}`,
      { ...KEY, [name]: 'https://pay.example\r\nX-Other: 1' },
      new RegExp(`^${name} has a line break or a character like one(?!.*Other)`),
    ],
  ),
  [
    'a key of the provider that no header can carry',
    { ...KEY, VALIDATION_PROVIDER_KEY: 'clave-\u20ac' },
    /^VALIDATION_PROVIDER_KEY must be letters, digits and signs of ASCII/,
  ],
  [
    'a public network for callbacks',
    { ...KEY, CALLBACK_NETWORKS: '10.0.0.0/8,8.8.8.0/24' },
    /CALLBACK_NETWORKS must be private/,
  ],
  [
    'a proxy by TLS',
    { ...KEY, EGRESS_PROXY: 'https://a:secret@proxy.example.cl' },
    /^EGRESS_PROXY must be (?!.*secret)/,
  ],
  [
    'a bare % in the password of a proxy',
    { ...KEY, EGRESS_PROXY: 'http://a:sec%ret@proxy.example.cl' },
    /^EGRESS_PROXY has a % (?!.*sec)/,
  ],
  [
    'a bare % in the password of a mail server',
    { ...KEY, SMTP_URL: 'smtps://a:sec%ret@smtp.example.cl' },
    /^SMTP_URL has a % (?!.*sec)/,
  ],
  ['an invalid port', { ...KEY, PORT: '80a' }, /PORT must be/],
  ['a port out of range', { ...KEY, PORT: '65536' }, /PORT must be/],
  ['an unknown mode', { ...KEY, RUBRICA_ENV: 'staging' }, /development, production/],
  ['a flag that is neither on nor off', { ...KEY, RATE_LIMITS: 'maybe' }, /RATE_LIMITS/],
  ['a public URL without a scheme', { ...KEY, PUBLIC_URL: 'pay.example.cl' }, /PUBLIC_URL/],
  ['a public URL with a password', { ...KEY, PUBLIC_URL: 'https://u:secret@pay.example.cl' }, /PUBLIC_URL must be an/],
  ['a base URL with a password', { ...KEY, WEBPAY_BASE_URL: 'http://:secret@127.0.0.1' }, /WEBPAY_BASE_URL must be an/],
  [
    'a provider with a password',
    { ...KEY, VALIDATION_PROVIDER_URL: 'https://:secret@v.example.cl' },
    /must be an address .* without user, password/,
  ],
  ['a base path with odd characters', { ...KEY, BASE_PATH: '/a b' }, /BASE_PATH/],
];
for (const [name, environment, message] of REFUSED) {
  test(`refused with the correct form: ${name}`, () => {
    assert.throws(
      () => readConfig(environment),
      (error) => error instanceof ConfigError && message.test(error.message),
    );
  });
}

for (const url of [
  'postgres://db/rubrica',
  'postgres:///rubrica',
  'postgresql://rubrica:p%23s@/rubrica?host=/run/pg',
  'postgres://db/rubrica?user=a@b',
  'postgres://rubrica@db?application_name=a@b',
  'postgres://db:5432/rubrica?user=a@b&host=/run/pg',
  'postgres://rubrica:p%2Fs@one,two/rubrica?options=-c%20search_path=a/b',
])
  test(`an address that the driver of PostgreSQL reads is accepted: ${url}`, () => {
    assert.equal(readConfig({ ...KEY, DATABASE_URL: url }).databaseUrl, url);
  });

test('the entries of a list may stand on lines of their own', () => {
  const inLines = { CALLBACK_NETWORKS: '10.0.0.0/8,\n  192.168.0.0/16\n', SECOND_FACTOR_ROLES: 'owner,\n\tfinance' };
  const inOne = { CALLBACK_NETWORKS: '10.0.0.0/8,192.168.0.0/16', SECOND_FACTOR_ROLES: 'owner,finance' };
  assert.deepEqual(readConfig({ ...KEY, ...inLines }), readConfig({ ...KEY, ...inOne }));
});

test('production turns the limits on, and never lets callbacks reach private hosts', () => {
  const config = readConfig({ ...KEY, RUBRICA_ENV: 'production', ALLOW_PRIVATE_CALLBACKS: 'true' });
  assert.equal(config.rateLimits, true);
  assert.equal(config.allowPrivateCallbacks, false);
});

test('no master key is generated for a store that exists without its key', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-settings-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const store = join(folder, 'rubrica.db');
  const key = join(folder, 'master.key');
  writeFileSync(store, 'what a service has stored');
  assert.throws(() => readConfig({ DATA_DIR: folder }), /set the environment of its service/);
  assert.equal(existsSync(key), false);
  rmSync(store);
  const { masterKey } = readConfig({ DATA_DIR: folder });
  assert.equal(readFileSync(key, 'utf8').trim(), masterKey.toString('base64url'));
  writeFileSync(store, 'what a service has stored');
  assert.deepEqual(readConfig({ DATA_DIR: folder }).masterKey, masterKey);
});

test('a master key may be hexadecimal or base64, and both give the same 32 bytes', () => {
  const bytes = Buffer.alloc(32, 7);
  for (const text of [bytes.toString('hex'), bytes.toString('base64'), bytes.toString('base64url')]) {
    assert.deepEqual(readConfig({ MASTER_KEY: text }).masterKey, bytes);
  }
});

function shownSettings(environment: Record<string, string>): Record<string, string> {
  const shown = describeSettings(readConfig(environment), (name) => environment[name]);
  return Object.fromEntries(shown.map(({ name, value, source }) => [name, `${value} ${source}`]));
}
