import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** More in one process save little, and the whole run waits longer for the last of them. */
const MOST = 8;
/** How many groups each place in the run still has before it when groups begin to be smaller. */
const GROUPS_AHEAD = 2;

/** Loads the machine with processes of its own, and takes long: it begins before the others. */
const isHarness = (file: string) => /^test\/(?:faults|bench)\//.test(file);
/** Changes what others in its process see or sees what they leave behind, such as a timer: mocks of what is global, and measurements. */
const needsItsOwnProcess = (text: string) =>
  /setDefaultCACertificates|cheap-hashes|mock\.timers|mock\.method\((?:globalThis|performance|Math),|process\.(?:cpu|memory|resource)Usage\(|\/proc\/self\/io/.test(
    text,
  );

/**
 * The modules that run these test files, in the order in which to start them. Most files share a process with others: to start
 * Node and load the code costs half a second of a core each time. In a group each file is a suite with the file's path as its
 * name: a hook outside of all suites is a hook of its file alone, and a file that cannot be loaded fails by its name.
 *
 * The longest come first and the last groups are small, so the run does not wait for one process at its end.
 */
export function groupFiles(
  files: readonly string[],
  { folder, atOnce, minutes }: { folder: string; atOnce: number; minutes: number },
): string[] {
  const longestFirst = files
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
    .map((one) => ({
      ...one,
      length: guessLength(one.file, one.text),
      alone: isHarness(one.file) || needsItsOwnProcess(one.text),
    }))
    .sort((a, b) => b.length - a.length);
  const shared = longestFirst.filter(({ alone }) => !alone).map(({ file }) => file);
  const groups: string[] = [];
  while (shared.length > 0) {
    const size = Math.min(MOST, Math.ceil(shared.length / (atOnce * GROUPS_AHEAD)));
    groups.push(writeGroup(shared.splice(0, size), { name: `${groups.length}`, folder, minutes }));
  }
  return [...longestFirst.filter(({ alone }) => alone).map(({ file }) => file), ...groups];
}

/**
 * More text is more tests, here and in what it imports from beside it. Each engine is a run of its own, and other programs take
 * longer than what happens in this process.
 */
function guessLength(file: string, text: string): number {
  let length = text.length;
  for (const [, beside = ''] of text.matchAll(/ from '(\.\/[\w.-]+\.ts)'/g))
    length += statSync(join(dirname(file), beside), { throwIfNoEntry: false })?.size ?? 0;
  const engines = text.includes('forEachEngine') ? 2 : 1;
  const programs = /\/(?:run-command|child-process|test-browser)\.ts/.test(text) ? 2 : 1;
  return length * engines * programs;
}

/** The module's name says what it holds, wherever Node names it: killed, left running, not loaded. */
function writeGroup(
  files: readonly string[],
  { name, folder, minutes }: { name: string; folder: string; minutes: number },
): string {
  const names = files.map((file) => basename(file, '.test.ts'));
  const path = join(folder, `${[name, ...names].join('+')}.mjs`);
  const suites = files.map((file) => {
    const url = pathToFileURL(file).href;
    return `describe('${file}', { timeout: ${minutes * 60_000} }, () => import('${url}'));\n`;
  });
  writeFileSync(path, `import { describe } from 'node:test';\n${suites.join('')}`);
  return path;
}
