import { posix } from 'node:path';
import { splitStatements } from '../../src/db/migrate.ts';
import { describeMigration } from '../../src/db/schema.ts';
import { codeOf, importsOf, type SourceFile } from '../support/source-tree.ts';

/** A rule returns one line for every place that breaks it. */
export type TidyRule = (files: readonly SourceFile[]) => string[];

/** The layers from top to bottom. A file may import from any layer below. All may import `protocol/`. */
const layers: readonly (readonly string[])[] = [
  ['main'],
  ['cli'],
  ['compose-app'],
  ['server', 'worker'],
  ['api', 'pages', 'console', 'reference'],
  ['http'],
  ['health'],
  ['attention', 'proof', 'privacy', 'search', 'travel', 'moves'],
  [
    'statements',
    'movements',
    'refunds',
    'payment-links',
    'checkout',
    'transactions',
    'books',
    'outbox',
    'payment-services',
    'payouts',
    'refused-requests',
    'bank-validation',
    'auth',
    'chaos',
    'upkeep',
  ],
  ['limits', 'sealing', 'epochs', 'mail'],
  ['audit'],
  ['app', 'settings'],
  [
    'db',
    'payment-methods',
    'payout-senders',
    'validation-providers',
    'config',
    'metrics',
    'error-spanish',
    'cause-spanish',
    'hint-spanish',
  ],
  ['error-catalogue'],
  ['error-item'],
  ['lib'],
];

/** The imports that are allowed within one layer. */
const neighbours: Readonly<Record<string, readonly string[]>> = {
  // The pages of the reference show a signed request.
  reference: ['api'],
  // A payer's browser may also send a signed request.
  pages: ['api'],
  // The screen that sets the look of the pay page shows a preview.
  console: ['pages'],
  privacy: ['search'],
  // The payments of a payment service that arrives are indexed.
  moves: ['search'],
  // `books verify` compares moves with the audit log.
  proof: ['moves'],
  movements: ['checkout', 'transactions', 'books', 'outbox', 'payment-services'],
  refunds: ['movements', 'checkout', 'transactions', 'books', 'outbox', 'payment-services', 'auth'],
  'payment-links': ['checkout', 'transactions', 'payment-services', 'movements'],
  checkout: ['transactions', 'books', 'outbox', 'payment-services'],
  transactions: ['books', 'outbox', 'payment-services'],
  outbox: ['payment-services', 'auth'],
  chaos: ['outbox', 'payment-services'],
  'payment-services': ['books'],
  'refused-requests': ['auth', 'payment-services', 'transactions'],
  payouts: ['bank-validation', 'books', 'outbox', 'payment-services', 'auth'],
  statements: ['payouts', 'movements', 'checkout', 'books', 'payment-services', 'bank-validation', 'auth'],
  'bank-validation': ['outbox'],
};

export const followsArrows: TidyRule = (files) =>
  files
    .filter((file) => isProduct(file.path))
    .flatMap((file) =>
      importsOf(file)
        .filter((target) => !mayImport(file.path, target))
        .map((target) => `${file.path} imports ${target}`),
    );

export const hasNoCycles: TidyRule = (files) => {
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]));
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
    if (trail.includes(path) || finished.has(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return cycles;
};

export const hasNoOrphans: TidyRule = (files) => {
  const sources = files.filter((file) => file.path.endsWith('.ts'));
  const entries = entryPaths(files);
  // For src/ and sdk/ imports by tests do not count, because a file that only tests reach is not part of the product.
  const product = reachedFrom(
    sources,
    entries.filter((path) => !path.startsWith('test/')),
  );
  const all = reachedFrom(sources, entries);
  return sources
    .filter((file) => !(isProduct(file.path) ? product : all).has(file.path))
    .map((file) => `${file.path} is not reached from any entry`);
};

export const keepsSqlInQueries: TidyRule = (files) => {
  const statement =
    /['"`]\s*(?:select\s[^'"`]*?\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|(?:create|drop|alter)\s+(?:table|index|database)\s|with\s+\w+\s+as\s*\(|pragma\s)/gi;
  return files
    .filter((file) => isProduct(file.path) && !file.path.endsWith('-queries.ts') && !file.path.startsWith('src/db/'))
    .flatMap((file) => codeWith(file, statement));
};

/** A migration with `-- rolling: yes` runs while the previous version is running, so it must not break that version. */
export const addsOnlyWhereRolling: TidyRule = (files) =>
  files
    .filter(({ path, text }) => /^migrations\/.*\.sql$/.test(path) && describeMigration(path, text).rolling)
    .flatMap(({ path, text }) => {
      const statements = splitStatements(text);
      const made = statements.flatMap((sql) => /^create table (\w+)/.exec(sql)?.[1] ?? []);
      const onOwn = new RegExp(`^(?:create unique index \\w+ on|insert into) (?:${made.join('|') || '-'})\\b`);
      const adds = (sql: string) =>
        /^create (?:table|index) /.test(sql) ||
        onOwn.test(sql) ||
        /^alter table \w+ add column (?!.*\bunique\b)(?:(?!.*\bnot null\b)|.*\bdefault\b)/s.test(sql);
      return statements.filter((sql) => !adds(sql)).map((sql) => `${path} is rolling and does more than add: ${sql}`);
    });

export const readsTheClockInOnePlace: TidyRule = (files) =>
  files
    .filter((file) => file.path.startsWith('src/') && file.path !== 'src/lib/clock.ts')
    .flatMap((file) => codeWith(file, /\bDate\.now\(|\bnew Date\(\)|\bDate\(\)/g));

export const readsTheEnvironmentInOnePlace: TidyRule = (files) =>
  files
    .filter((file) => isProduct(file.path) && !['src/config.ts', 'src/main.ts'].includes(file.path))
    .flatMap((file) => codeWith(file, /\bprocess\.env\b|\bimport\b.*\benv\b.*['"](?:node:)?process['"]/g));

/** An act is checked in its commit if `requestActor` made its actor. These end one's own access, or count a refusal. */
const UNCHECKED = ['src/api/access/delete-api-token.ts', 'src/console/console-visit.ts', 'src/console/sign-in.ts'];

export const checksActorsInTheCommit: TidyRule = (files) =>
  files
    .filter(({ path }) => /^src\/(?:api|console|pages)\//.test(path) && !UNCHECKED.includes(path))
    .flatMap((file) => codeWith(file, /\buserActor\(/g));

/**
 * Tests start programs only there, where the type `Program` allows only programs of test/support/system-programs.ts.
 */
export const startsProgramsInOnePlace: TidyRule = (files) =>
  files
    .filter((file) => /^(?:test|bench)\/.*\.[jt]s$/.test(file.path) && !startsPrograms.test(file.path))
    .flatMap((file) => codeWith(file, /\bfrom ['"](?:node:)?child_process['"]|\(['"](?:node:)?child_process['"]\)/g));

/** The helper itself, and files that run before the programs are installed or clean up after their process. */
const startsPrograms = /^test\/support\/(?:child-process|run-tests|system-programs|throwaway-postgres)\.ts$/;

export const keepsFilesShort: TidyRule = (files) =>
  files
    .filter((file) => isProduct(file.path))
    .filter((file) => file.text.trimEnd().split('\n').length > 400)
    .map((file) => `${file.path} has more than 400 lines`);

/** The most files directly in one folder, so that a reader can survey it. */
const MOST_TOGETHER = 50;

export const keepsRoomsSmall: TidyRule = (files) => {
  const sizes = new Map<string, number>();
  for (const { path } of files) {
    const folder = posix.dirname(path);
    if (isProduct(path)) sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  return [...sizes]
    .filter(([, size]) => size > MOST_TOGETHER)
    .map(([folder, size]) => `${folder} holds ${size} files: give those that belong together a folder`);
};

export const namesAreAddresses: TidyRule = (files) => {
  const product = files.filter((file) => isProduct(file.path));
  const firstWith = new Map<string, string>();
  return product.flatMap(({ path }) => {
    const name = posix.basename(path);
    const first = firstWith.get(name);
    firstWith.set(name, first ?? path);
    const empty =
      /^(?:index|utils?|helpers?|common|misc|types)\.ts$/.test(name) || /\/(?:services|utils|helpers)\//.test(path);
    return [
      ...(first === undefined ? [] : [`${path} has the name of ${first}`]),
      ...(empty ? [`${path} has a name that says nothing`] : []),
    ];
  });
};

/** Exports need a docstring, except in `*-queries.ts`, where the statement shows what it does. */
export const documentsExports: TidyRule = (files) =>
  files
    .filter((file) => isProduct(file.path) && !file.path.endsWith('-queries.ts'))
    .flatMap((file) => {
      const lines = file.text.split('\n');
      const isExport = (line: string) => /^export (?:async )?function/.test(line);
      return lines.flatMap((line, at) => {
        const before = lines[at - 1] ?? '';
        // Overloads share the docstring of the first one.
        const documented = before.endsWith('*/') || (isExport(before) && before.endsWith(';'));
        return isExport(line) && !documented ? [`${file.path}:${at + 1} has no docstring: ${line}`] : [];
      });
    });

export const namesNoMachine: TidyRule = (files) =>
  files.flatMap((file) =>
    textWith(
      file,
      /\/(?:home|Users|root|work)\/[\w.-]+|"resolved":\s*"https?:|\bregistry\.(?:npmjs|yarnpkg)\b|\bdeb\.debian\.org\b/g,
    ),
  );

export const holdsNoSecret: TidyRule = (files) =>
  files.flatMap((file) =>
    textWith(
      file,
      /-----BEGIN [A-Z ]*PRIVATE KEY|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{36}|\bnpm_\w{36}|_authToken\s*=/g,
    ),
  );

function isProduct(path: string): boolean {
  return /^(?:src|sdk\/src|protocol)\/.*\.ts$/.test(path);
}

/**
 * Returns the files that are started from outside: by the launcher, by hand, by bin/test and `node --test`, and by the
 * `exports` of the SDK's package.
 */
function entryPaths(files: readonly SourceFile[]): string[] {
  const manifest = files.find((file) => file.path === 'sdk/package.json')?.text ?? '';
  const exported = [...manifest.matchAll(/"\.\/(?:src|dist)\/([\w./-]+?)(?:\.d)?\.[jt]s"/g)].map(
    ([, name]) => `sdk/src/${name?.replace(/^(?:cjs\/)?sdk\/src\//, '')}.ts`,
  );
  const started = files
    .map((file) => file.path)
    .filter((path) =>
      /^src\/main\.ts$|^tools\/(?:write-openapi|build-package)\.ts$|^test\/support\/(?:run-tests|end-with-tests|untracked-promises|command-host)\.ts$|^test\/faults\/preload\/[^/]+\.ts$|^bench\/[^/]+\.ts$|\.(?:test|fault|package)\.ts$/.test(
        path,
      ),
    );
  return [...exported, ...started];
}

function reachedFrom(files: readonly SourceFile[], entries: readonly string[]): Set<string> {
  const imports = new Map(files.map((file) => [file.path, importsOf(file)]));
  const reached = new Set<string>();
  const reach = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    imports.get(path)?.forEach(reach);
  };
  entries.forEach(reach);
  return reached;
}

/** Returns the area of a file: `src/db/migrate.ts` is in `db`, `src/config.ts` in `config`. */
export function areaOf(path: string): string {
  const [, area = ''] = /^src\/([^/]+?)(?:\.ts)?(?:\/|$)/.exec(path) ?? [];
  return area;
}

function mayImport(path: string, target: string): boolean {
  const isPlain = target.startsWith('protocol/') || ['node:crypto', 'node:buffer'].includes(target);
  if (path.startsWith('protocol/')) return isPlain;
  if (path.startsWith('sdk/')) return isPlain || target.startsWith('sdk/src/');
  if (target.startsWith('sdk/')) return false;
  const ofRepository = /^(?:src|test|bench|tools)\//.test(target);
  if (!ofRepository) return true;
  return mayReach(areaOf(path), areaOf(target));
}

/** Whether the arrows of ARCHITECTURE.md allow an import from one area of `src/` to another. */
export function mayReach(from: string, to: string): boolean {
  const layerOf = (area: string) => layers.findIndex((layer) => layer.includes(area));
  if (layerOf(from) < 0 || layerOf(to) < 0) return false;
  return from === to || layerOf(from) < layerOf(to) || (neighbours[from]?.includes(to) ?? false);
}

function codeWith(file: SourceFile, pattern: RegExp): string[] {
  return textWith({ path: file.path, text: codeOf(file) }, pattern);
}

function textWith({ path, text }: SourceFile, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => {
    const line = text.slice(0, match.index).split('\n').length;
    return `${path}:${line} ${match[0].trim()}`;
  });
}
