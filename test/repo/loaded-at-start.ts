import { codeOf, importsOf, type SourceFile } from '../support/source-tree.ts';
import type { TidyRule } from './tidy-rules.ts';

/** The first files that `bin/rubrica serve` loads. */
const STARTED = ['src/main.ts', 'src/cli/run/serve-command.ts'];

/** Heavy packages that few installations need. A service that only takes payments on SQLite must not load them. */
const PACKAGES = [
  '@simplewebauthn/server',
  'ajv',
  'csv-parse',
  'csv-stringify',
  'marked',
  'nodemailer',
  'otpauth',
  'pg',
  'saxes',
  'undici',
  'uqr',
  'write-excel-file',
  'yauzl',
];

/** Of the console only the routes and the language are loaded at the start, and each screen at its first request. */
const FOLDERS: readonly { folder: string; but: readonly string[] }[] = [
  {
    folder: 'src/console/',
    but: [
      'src/console/console-language.ts',
      'src/console/console-routes.ts',
      'src/console/screens.ts',
      'src/console/upload-bytes.ts',
    ],
  },
  { folder: 'src/lib/tables/', but: [] },
  { folder: 'src/chaos/', but: [] },
];

export const loadsLaterWhatFewNeed: TidyRule = (files) => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const loaded = new Set<string>();
  const found: string[] = [];
  const load = (path: string): void => {
    const file = byPath.get(path);
    if (file === undefined || loaded.has(path)) return;
    loaded.add(path);
    for (const target of importsOf(withoutLater(file))) {
      if (isLater(target)) found.push(`${path} loads ${target} at the start`);
      else load(target);
    }
  };
  STARTED.forEach(load);
  return found;
};

function isLater(target: string): boolean {
  return (
    PACKAGES.some((name) => target === name || target.startsWith(`${name}/`)) ||
    FOLDERS.some(({ folder, but }) => target.startsWith(folder) && !but.includes(target))
  );
}

/** Returns the file without imports of types and without dynamic imports. */
function withoutLater(file: SourceFile): SourceFile {
  const text = codeOf(file)
    .replace(/^(?:import|export) type\b[^;]*;/gm, '')
    .replace(/\bimport\(\s*['"][^'"]+['"]\s*\)/g, '');
  return { path: file.path, text };
}
