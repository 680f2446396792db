import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addCommands } from '../src/cli/command-groups.ts';
import { EXAMPLES } from '../src/cli/help/help-examples.ts';
import { SETTINGS } from '../src/settings.ts';

const STATUSES = [
  ['0', 'It was done, and what was looked at is right.'],
  ['1', 'It was not done, or what was looked at is wrong; standard error has a code and what to do.'],
  ['2', 'sign: the fields must not be signed. validate: the file cannot be used.'],
  ['3', 'validate: some rows could not be checked.'],
  ['64', 'The command or an option was not understood.'],
  ['70', 'serve: it must not go on. Start it again.'],
  ['78', 'Refused until a person has acted, such as on a store that has gone back.'],
  ['141', 'The program that reads the output has closed it.'],
] as const;

/** Returns the source of the man page rubrica(1), from the table of commands and the list of settings. */
export async function manPage(): Promise<string> {
  const program = new Command('rubrica');
  await addCommands(program, '');
  const groups = Map.groupBy(program.commands, (command) => command.helpGroup());
  return [
    `.TH RUBRICA 1 "" "rubrica ${manifest.version}" "User Commands"`,
    '.SH NAME',
    `rubrica \\- ${plain(manifest.description.replace(/^T/, 't'))}`,
    '.SH SYNOPSIS',
    '.B rubrica',
    '.I command',
    '.RI [ option ...]',
    '.SH DESCRIPTION',
    'rubrica serves the signed-transaction protocol of Chilean shops and bank account validation, and is the command line of that service.',
    'Every command has',
    '.BR \\-\\-help ;',
    'most have',
    '.BR \\-\\-json ,',
    'which prints exactly one JSON object. The guides are served at /docs of a running service.',
    ...[...groups].flatMap(([title, commands]) => [
      `.SH ${quoted(title.replace(/:$/, '').toUpperCase())}`,
      ...commands.flatMap((command) => leavesOf(command, [])).flatMap(describe),
    ]),
    '.SH ENVIRONMENT',
    ...SETTINGS.flatMap(({ name, fallback, meaning }) => [
      '.TP',
      `.B ${plain(name)}`,
      plain(`${meaning}.${fallback === '' ? '' : ` Default: ${fallback}.`}`),
    ]),
    '.SH EXIT STATUS',
    ...STATUSES.flatMap(([status, meaning]) => ['.TP', `.B ${status}`, plain(meaning)]),
    '.SH EXAMPLES',
    '.nf',
    ...(EXAMPLES[''] ?? []).map((example) => plain(`rubrica ${example}`)),
    '.fi',
    '',
  ].join('\n');
}

type Leaf = { words: string[]; command: Command };

function leavesOf(command: Command, before: readonly string[]): Leaf[] {
  const words = [...before, command.name()];
  return command.commands.length === 0 ? [{ words, command }] : command.commands.flatMap((one) => leavesOf(one, words));
}

function describe({ words, command }: Leaf): string[] {
  const given = command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
  return [
    '.TP',
    `.B ${plain(['rubrica', ...words, ...given].join(' '))}`,
    plain(`${command.description()}.`),
    '.RS',
    ...command.options.flatMap(({ flags, description }) => ['.TP', `.B ${plain(flags)}`, plain(description)]),
    '.RE',
  ];
}

/** Escapes a line so that man shows it literally. */
function plain(text: string): string {
  const escaped = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll("'", '\\(aq');
  return escaped.startsWith('.') ? `\\&${escaped}` : escaped;
}

function quoted(text: string): string {
  return `"${plain(text)}"`;
}
