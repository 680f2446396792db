import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** So many of the longest share a process. Of others there are more, but not for longer: the whole run waits for the last of them. */
const LONGEST_TOGETHER = 8;
/** In bytes: what a file system takes for one name is 255. */
const LONGEST_NAME = 250;
/** How many groups each place in the run still has before it when groups begin to be smaller. */
const GROUPS_AHEAD = 2;
/** The last ones are so short that to start a process for each would take longer. */
const FEWEST_TOGETHER = 6;

/** Loads the machine with processes of its own, and takes long: it begins before the others. */
const isHarness = (file: string) => /^test\/(?:faults|bench)\//.test(file);
/** Changes what others in its process see or sees what they leave behind, such as a timer: mocks of what is global, and measurements. */
const needsItsOwnProcess = (text: string) =>
  /setDefaultCACertificates|mock\.timers|mock\.method\((?:globalThis|performance|Math),|process\.(?:cpu|memory|resource)Usage\(|\/proc\/self\/io/.test(
    text,
  );

/** Makes hashes cheap in the whole process, which is right for the others that do the same. */
const makesCheapHashes = (text: string) => text.includes('support/cheap-hashes.ts');

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
  const shared = longestFirst.filter(({ alone }) => !alone);
  const [cheap, others] = [true, false].map((is) => shared.filter(({ text }) => makesCheapHashes(text) === is));
  const groups = [...divide(cheap ?? [], 1), ...divide(others ?? [], atOnce * GROUPS_AHEAD)];
  return [
    ...longestFirst.filter(({ alone }) => alone).map(({ file }) => file),
    ...groups.map((group, at) => writeGroup(group, { number: at, folder, minutes })),
  ];
}

/** Groups of files, the longest first. `ahead`: how many groups of one size there still are when they begin to be smaller. */
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

/** The module's name says what it holds, wherever Node names it: killed, left running, not loaded. */
function nameOf(number: number, files: readonly string[]): string {
  return `${[number, ...files.map((file) => basename(file, '.test.ts'))].join('+')}.mjs`;
}
