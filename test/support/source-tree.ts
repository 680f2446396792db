import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** `path` is relative to the repository, with forward slashes. */
export type SourceFile = { path: string; text: string };

const repository = join(import.meta.dirname, '../..');

/** Reads the files of the repository that match any of `patterns`, without installed and generated files. */
export function readSourceFiles(...patterns: string[]): SourceFile[] {
  const exclude = ['**/node_modules', '.git', '.install-*', 'data', 'coverage', 'dist', 'release', 'sdk/dist'];
  return globSync(patterns, { cwd: repository, exclude, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({
      path: file.slice(repository.length + 1).replaceAll('\\', '/'),
      text: readFileSync(file, 'utf8'),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the text without lines that have only a comment. */
export function codeOf(file: SourceFile): string {
  return file.text.replace(/^[ \t]*(?:\/\/|\/?\*).*$/gm, '');
}

/**
 * Lists the imports of a file: relative imports as paths of the repository, others unchanged. Includes `import`,
 * `export … from`, `import()`, and the `new URL(…, import.meta.url)` of a worker thread or a child process.
 */
export function importsOf(file: SourceFile): string[] {
  const code = codeOf(file);
  const patterns = [
    /^\s*(?:import|export)\b[^'";]*?\bfrom\s*['"]([^'"]+)['"]/gm,
    /^\s*import\s*['"]([^'"]+)['"]/gm,
    /\bimport\(\s*['"]([^'"]+)['"]/g,
    /\bnew URL\(\s*['"](\.[^'"]+\.ts)['"]\s*,\s*import\.meta\.url/g,
  ];
  return patterns.flatMap((pattern) =>
    [...code.matchAll(pattern)].map(([, specifier = '']) =>
      specifier.startsWith('.') ? posix.join(posix.dirname(file.path), specifier) : specifier,
    ),
  );
}
