import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The most of the longest files in one process. Other groups have more files but take no longer, because the whole run
 * waits for the last group.
 */
const LONGEST_TOGETHER = 8;
/** In bytes; a file system allows 255 for a name. */
const LONGEST_NAME = 250;
/** The number of full-size groups that each process still has before it when groups become smaller. */
const GROUPS_AHEAD = 2;
/** The least files in a group: the last files are so short that a process for each would cost more. */
const FEWEST_TOGETHER = 6;

/** Loads the machine with other processes and takes long, so it starts before the others. */
const isHarness = (file: string) => /^test\/(?:faults|bench)\//.test(file);
/**
 * Affects other files in its process, or is affected by what they leave, such as a timer: global mocks, and
 * measurements.
 */
const needsItsOwnProcess = (text: string) =>
  /setDefaultCACertificates|mock\.timers|mock\.method\((?:globalThis|performance|Math),|process\.(?:cpu|memory|resource)Usage\(|\/proc\/self\/io/.test(
    text,
  );

/** Makes hashes cheap in the whole process, so it shares one only with files that do the same. */
const makesCheapHashes = (text: string) => text.includes('support/cheap-hashes.ts');

/**
 * Returns the modules that run these test files, in the order to start them. Most files share a process: starting Node
 * and loading the code costs half a second of a core each time. In a group each file is a suite with the file's path as
 * its name: a hook outside of all suites applies to its file only, and a file that cannot be loaded fails under its
 * name.
 *
 * The longest come first and the last groups are small, so that the run does not wait for one process at its end.
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
  const shared = longestFirst.filter(({ alone }) => !alone);
  const [cheap, others] = [true, false].map((is) => shared.filter(({ text }) => makesCheapHashes(text) === is));
  const groups = [...divide(cheap ?? [], 1), ...divide(others ?? [], atOnce * GROUPS_AHEAD)];
  return [
    ...longestFirst.filter(({ alone }) => alone).map(({ file }) => file),
    ...groups.map((group, at) => writeGroup(group, { number: at, folder, minutes })),
  ];
}

/**
 * Divides files into groups, the longest first. `ahead`: the number of groups that are left when groups become smaller.
 */
function divide(longestFirst: readonly { file: string; length: number }[], ahead: number): string[][] {
  const left = [...longestFirst];
  const lengthOf = (size: number) => left.slice(0, size).reduce((sum, { length }) => sum + length, 0);
  const filesOf = (size: number) => left.slice(0, size).map(({ file }) => file);
  const longest = lengthOf(LONGEST_TOGETHER);
  const groups: string[][] = [];
  while (left.length > 0) {
    const most = Math.max(Math.ceil(left.length / ahead), FEWEST_TOGETHER);
    const fits = (size: number) =>
      lengthOf(size) <= longest && nameOf(groups.length, filesOf(size)).length <= LONGEST_NAME;
    let size = 1;
    while (size < Math.min(most, left.length) && fits(size + 1)) size++;
    groups.push(filesOf(size));
    left.splice(0, size);
  }
  return groups;
}

/**
 * Estimates the length of a file from its text and the text of its imports in the same folder: more text is more tests.
 * Each engine is another run, and other programs take longer than work in this process.
 */
function guessLength(file: string, text: string): number {
  let length = text.length;
  for (const [, beside = ''] of text.matchAll(/ from '(\.\/[\w.-]+\.ts)'/g))
    length += statSync(join(dirname(file), beside), { throwIfNoEntry: false })?.size ?? 0;
  const engines = text.includes('forEachEngine') ? 2 : 1;
  const programs = /\/(?:run-command|child-process|test-browser)\.ts/.test(text) ? 2 : 1;
  return length * engines * programs;
}

function writeGroup(
  files: readonly string[],
  { number, folder, minutes }: { number: number; folder: string; minutes: number },
): string {
  const path = join(folder, nameOf(number, files));
  const suites = files.map((file) => {
    const url = pathToFileURL(file).href;
    return `describe('${file}', { timeout: ${minutes * 60_000} }, () => import('${url}'));\n`;
  });
  writeFileSync(path, `import { describe } from 'node:test';\n${suites.join('')}`);
  return path;
}

/**
 * Names the module after its files, because Node prints this name if the module is killed, left running or not loaded.
 */
function nameOf(number: number, files: readonly string[]): string {
  return `${[number, ...files.map((file) => basename(file, '.test.ts'))].join('+')}.mjs`;
}
