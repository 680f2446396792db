import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Command } from 'commander';
import { addCommands } from '../../src/cli/command-groups.ts';
import { SPANISH_HELP } from '../../src/cli/help/help-spanish.ts';
import { translateHelp } from '../../src/cli/help/translate-help.ts';

/** The commands of shops and finance. The help of the other commands is in English, for operators. */
const FOR_SHOPS_AND_FINANCE = [
  'sign',
  'explain',
  'verify',
  'transaction',
  'callback',
  'refund',
  'deposit',
  'statement',
  'payout',
  'batch',
  'recipient',
  'books',
  'reconcile',
  'validate',
  'payment',
  'attention',
];

function textsOf(command: Command): string[] {
  const own = [command.summary() || command.description(), ...command.options.map(({ description }) => description)];
  const args = command.registeredArguments.map(({ description }) => description);
  return [...own, ...args, ...command.commands.flatMap(textsOf)].filter((text) => text !== '');
}

/** Returns the parts of a command and of its subcommands that the help does not describe. */
function silentIn(command: Command, words: readonly string[] = []): string[] {
  const parts = [
    { name: 'itself', description: command.description() },
    ...command.options.map(({ flags, description }) => ({ name: flags, description })),
    ...command.registeredArguments.map((one) => ({ name: one.name(), description: one.description })),
  ];
  const silent = parts.filter(({ description }) => description === '').map(({ name }) => [...words, name].join(' '));
  return [...silent, ...command.commands.flatMap((one) => silentIn(one, [...words, one.name()]))];
}

test('the help describes every command, option and argument', async () => {
  const program = new Command('rubrica').description('all of it');
  await addCommands(program, '');
  assert.deepEqual(silentIn(program), [], 'these have no description');
});

suite('the help in Spanish', () => {
  test('has every command, option and argument that shops and finance use', async () => {
    const program = new Command('rubrica');
    await addCommands(program, '');
    const used = program.commands.filter((command) => FOR_SHOPS_AND_FINANCE.includes(command.name()));
    assert.equal(used.length, FOR_SHOPS_AND_FINANCE.length);
    assert.deepEqual(
      [...new Set(used.flatMap(textsOf))].filter((text) => SPANISH_HELP[text] === undefined),
      [],
      'every text has its Spanish in src/cli/help/help-spanish.ts',
    );
  });

  test('has translated headings and descriptions', async () => {
    const program = new Command('rubrica').description('The payment service that a company can run itself.');
    await addCommands(program, 'refund');
    translateHelp(program);
    const refund = program.commands.find((command) => command.name() === 'refund');
    const help = refund?.helpInformation() ?? '';
    for (const text of [
      'Uso: rubrica refund',
      'Opciones:',
      'Comandos:',
      'devuelve un pago, entero o en parte',
      'muestra la ayuda del comando',
    ])
      assert.ok(help.includes(text), text);
  });
});
