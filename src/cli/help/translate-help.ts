import type { Command } from 'commander';
import { SPANISH_HELP, SPANISH_TITLES } from './help-spanish.ts';

/**
 * Translates the help of a command and of all its subcommands into Spanish. A text without a translation stays English.
 */
export function translateHelp(command: Command): void {
  const spanish = (text: string) => SPANISH_HELP[text] ?? text;
  command.description(spanish(command.description()));
  if (command.summary() !== '') command.summary(spanish(command.summary()));
  for (const part of [...command.options, ...command.registeredArguments]) part.description = spanish(part.description);
  const { styleTitle = (title: string) => title, ...style } = command.configureHelp();
  command.configureHelp({ ...style, styleTitle: (title) => styleTitle(SPANISH_TITLES[title] ?? title) });
  command.helpOption('-h, --help', spanish('display help for command'));
  if (command.commands.length > 0) command.helpCommand('help [command]', spanish('display help for command'));
  for (const one of command.commands) translateHelp(one);
}
