import { styleText } from 'node:util';
import type { Command } from 'commander';
import { EXAMPLES } from './help-examples.ts';

// Always style: commander removes the colours if the terminal has none.
const always = { validateStream: false };

/** Adds colours to the help of a command and of subcommands that are added later. */
export function colourHelp(command: Command): void {
  command.configureHelp({
    styleTitle: (title) => styleText('bold', title, always),
    styleSubcommandText: (text) => styleText('cyan', text, always),
    styleOptionText: (text) => styleText('cyan', text, always),
  });
}

/** Adds examples to the help of a command and of all its subcommands. */
export function addExamples(command: Command, words: readonly string[] = []): void {
  const examples = EXAMPLES[words.join(' ')];
  if (examples !== undefined) command.addHelpText('after', () => examplesText(command, examples));
  for (const one of command.commands) addExamples(one, [...words, one.name()]);
}

function examplesText(command: Command, examples: readonly string[]): string {
  const styleTitle = command.configureHelp().styleTitle ?? ((title: string) => title);
  return ['', styleTitle('Examples:'), ...examples.map((example) => `  bin/rubrica ${example}`)].join('\n');
}
