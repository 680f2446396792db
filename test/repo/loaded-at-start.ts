import { codeOf, importsOf, type SourceFile } from '../support/source-tree.ts';
import type { TidyRule } from './tidy-rules.ts';

/** `bin/rubrica serve` begins with these files. */
const STARTED = ['src/main.ts', 'src/cli/serve-command.ts'];

/** Needed by few, and heavy: none of it is in the memory of a service that only takes payments on SQLite. */
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

/** Of the console only its routes and the list of its screens, which loads each when it is first asked for. */
const FOLDERS: readonly { folder: string; but: readonly string[] }[] = [
  {
    folder: 'src/console/',
    but: ['src/console/console-routes.ts', 'src/console/screens.ts', 'src/console/upload-bytes.ts'],
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

/** The file without its types, which are gone when it runs, and without what it loads when it needs it. */
function withoutLater(file: SourceFile): SourceFile {
  const text = codeOf(file)
    .replace(/^(?:import|export) type\b[^;]*;/gm, '')
    .replace(/\bimport\(\s*['"][^'"]+['"]\s*\)/g, '');
  return { path: file.path, text };
}
