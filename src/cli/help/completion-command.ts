import { Argument, Command } from 'commander';
import { type CompletedCommand, completionScript, SHELLS, type Shell } from './completion-script.ts';

/** `completion bash | zsh | fish`. `addAll` adds every command. */
export function addCompletionCommand(program: Command, addAll: (to: Command) => Promise<void>): void {
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(SHELLS))
    .action(async (shell: Shell) => {
      const all = new Command('rubrica');
      await addAll(all);
      process.stdout.write(completionScript(shell, describe(all, [])));
    });
}

/** Returns the completions of a command and of all its subcommands. */
function describe(command: Command, words: readonly string[]): CompletedCommand[] {
  const help = { long: '--help', takesValue: false, choices: [], says: 'display help for command' };
  const own: CompletedCommand = {
    words: words.join(' '),
    commands: command.commands.map((one) => ({ name: one.name(), says: one.summary() || one.description() })),
    choices: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    takesArgument: command.registeredArguments.length > 0,
    options: [
      ...command.options.map((option) => ({
        long: option.long ?? option.flags,
        takesValue: option.required || option.optional,
        choices: option.argChoices ?? [],
        says: option.description,
      })),
      help,
    ],
  };
  return [own, ...command.commands.flatMap((one) => describe(one, [...words, one.name()]))];
}
