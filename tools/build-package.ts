import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { manPage } from './man-page.ts';

// bin/build runs this after the compiler, when dist/ has the tree of the repository, so that files find each other.
const repository = join(import.meta.dirname, '..');
const dist = join(repository, 'dist');

for (const file of globSync(
  ['src/**/*.{svg,css,js,txt}', 'migrations/*.sql', 'docs/**/*.{md,json,svg}', 'openapi.json'],
  {
    cwd: repository,
  },
)) {
  mkdirSync(dirname(join(dist, file)), { recursive: true });
  cpSync(join(repository, file), join(dist, file));
}
for (const file of globSync(['**/*.js', 'docs/**/*.{md,json}', 'openapi.json'], { cwd: dist }))
  rewrite(join(dist, file));
writeFileSync(join(dist, 'rubrica.1'), callItRubrica(await manPage()));

function rewrite(file: string): void {
  const text = readFileSync(file, 'utf8');
  // The compiler renames imported files, but not the file of a thread.
  writeFileSync(file, callItRubrica(text).replace(/(new URL\('\.{1,2}\/[^']+)\.ts'/g, "$1.js'"));
}

/**
 * Replaces `bin/rubrica` by `rubrica`: an installed package has no folder `bin`, and the command is called by its name.
 */
function callItRubrica(text: string): string {
  return text.replaceAll(/(?<![\w./-])bin\/rubrica(?![\w/-])/g, 'rubrica');
}
