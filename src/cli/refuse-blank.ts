import type { Command } from 'commander';
import { CommandError, EXIT_USAGE } from './print.ts';

/**
 * Throws `CommandError` for an empty or blank argument, or option that names an id, a file or a folder, as from an
 * unset variable. A command would answer that there is no such thing, with nothing between the words.
 */
export function refuseBlank(command: Command): void {
  command.registeredArguments.forEach((argument, index) => {
    if (hasBlank(command.processedArgs[index])) throw blank(`<${argument.name()}>`);
  });
  const blankName = command.options.find(
    // An empty secret has a message of its own, and an empty logo removes it.
    (option) =>
      /<(id|file|folder)>/.test(option.flags) &&
      !/secret|logo/.test(option.flags) &&
      hasBlank(command.getOptionValue(option.attributeName())),
  );
  if (blankName !== undefined) throw blank(blankName.long ?? blankName.flags);
}

/** `value`: as commander read it; an option or an argument that may be repeated is a list. */
function hasBlank(value: unknown): boolean {
  return [value].flat().some((one) => typeof one === 'string' && one.trim() === '');
}

function blank(name: string): CommandError {
  return new CommandError(`${name} is empty: is the shell variable set?`, EXIT_USAGE, 'INVALID_OPTION');
}
