import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { Command } from 'commander';
import { addCommands } from '../../src/cli/command-groups.ts';
import { addExamples } from '../../src/cli/help/dress-help.ts';
import { EXAMPLES } from '../../src/cli/help/help-examples.ts';
import { SPANISH_TITLES } from '../../src/cli/help/help-spanish.ts';
import { manPage } from '../../tools/man-page.ts';
import { runCommand } from '../support/run-command.ts';

suite('the help', async () => {
  const program = new Command('rubrica');
  await addCommands(program, '');

  test('puts every command in a group, and each group has its Spanish title', () => {
    const groups = new Set(program.commands.map((command) => command.helpGroup()));
    assert.ok(groups.size > 5);
    for (const title of groups) assert.ok(SPANISH_TITLES[title], `no Spanish for "${title}"`);
  });

  for (const [words, examples] of Object.entries(EXAMPLES)) {
    test(`accepts the examples of "${words}"`, () => {
      if (words !== '') assert.equal(pathOf(find(words.split(' '))), words);
      for (const example of examples) assertTaken(example);
    });
  }

  test('accepts the commands that the console’s screens name', () => {
    const root = join(import.meta.dirname, '../../src/console');
    const said = globSync('**/*.ts', { cwd: root }).flatMap((file) => [
      ...readFileSync(join(root, file), 'utf8').matchAll(/'bin\/rubrica ([^']+)'/g),
    ]);
    assert.ok(said.length > 15);
    for (const [, example = ''] of said) assertTaken(example);
  });

  test('rejects an example with an unknown option or a missing subcommand', () => {
    assert.throws(() => assertTaken('callback list --no-such-option'), /--no-such-option/);
    assert.throws(() => assertTaken('callback'), /callback/);
  });

  test('ends with the examples', () => {
    const help = new Command('rubrica');
    addExamples(help);
    let written = '';
    help.configureOutput({ writeOut: (text) => (written += text) }).outputHelp();
    assert.match(written, /\nExamples:\n {2}bin\/rubrica demo\n/);
  });

  test('shows no empty list as a default', () => {
    for (const leaf of leavesOf(program))
      assert.doesNotMatch(leaf.helpInformation(), /\(?default:\s+\[\]/, pathOf(leaf));
  });

  test('has a man page with every command', async () => {
    const page = await manPage();
    for (const leaf of leavesOf(program))
      assert.ok(page.includes(`.B rubrica ${pathOf(leaf).replaceAll('-', '\\-')}`), pathOf(leaf));
    const statuses = page.slice(page.indexOf('.SH EXIT STATUS')).match(/(?<=^\.B )\d+$/gm);
    assert.deepEqual(statuses, ['0', '1', '2', '3', '64', '70', '78', '141']);
  });

  test('has no command that docs/commands.md leaves out', () => {
    const page = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');
    const rows = page.split('\n').map((line) => new Set(line.match(/[a-z][a-z-]*/g)));
    const lacks = leavesOf(program)
      .map(pathOf)
      .filter((path) => !rows.some((words) => path.split(' ').every((word) => words.has(word))));
    assert.deepEqual(lacks, [], 'every command is in a row of docs/commands.md');
  });

  test('is coloured with FORCE_COLOR, and neither by default nor with NO_COLOR', async () => {
    const helpWith = async (env: Record<string, string>) =>
      (await runCommand(['open', '--help'], { env: { ...plainEnvironment(), ...env } })).stdout;
    assert.match(await helpWith({ FORCE_COLOR: '1' }), /\x1b\[1mUsage:/);
    for (const env of [{}, { NO_COLOR: '1' }]) assert.match(await helpWith(env), /^Usage: rubrica open/);
  });

  function find(words: readonly string[]): Command {
    let command = program;
    for (const word of words) {
      const next = command.commands.find((one) => one.name() === word);
      if (next === undefined) return command;
      command = next;
    }
    return command;
  }

  function assertTaken(example: string): void {
    const words =
      example
        .replaceAll(/'[^']*'/g, 'text')
        .split(/ [<>] /)[0]
        ?.split(' ') ?? [];
    const command = find(words);
    assert.equal(command.commands.length, 0, `"${example}" is a group of commands`);
    const given = words.slice(pathOf(command).split(' ').length);
    const { unknown } = command.parseOptions(given);
    assert.deepEqual(unknown, [], example);
    const required = command.registeredArguments.filter((one) => one.required).length;
    const operands = command.parseOptions(given).operands.length;
    assert.ok(operands >= required && operands <= command.registeredArguments.length, `arguments of "${example}"`);
    for (const option of command.options.filter(({ mandatory }) => mandatory))
      assert.ok(given.includes(option.long ?? ''), `${option.long} in "${example}"`);
  }
});

function pathOf(command: Command): string {
  return command.parent === null || command.parent.parent === null
    ? command.parent === null
      ? ''
      : command.name()
    : `${pathOf(command.parent)} ${command.name()}`;
}

function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

function plainEnvironment(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, NO_COLOR: __, ...rest } = process.env;
  return { ...rest, LANG: 'C' };
}
