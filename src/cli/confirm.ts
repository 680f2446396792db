import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { Option } from 'commander';
import { CommandError } from './print.ts';

/** The streams of a question to a person. The output is not stdout, because with `--json` stdout is one object. */
export type Terminal = { input: Readable & { isTTY?: boolean }; output: Writable & { isTTY?: boolean } };

/** `--yes`, for every command that moves money. */
export function yesOption(): Option {
  return new Option('--yes', 'do not ask for confirmation (only a terminal is asked)');
}

/**
 * Asks for confirmation at a terminal before money moves. Without a terminal, or with `--yes`, it does not ask. Returns
 * whether it asked. Throws `CommandError` NOT_CONFIRMED unless the answer is y, yes, s, si or sí.
 */
export async function confirm(
  question: string,
  options: { yes?: boolean },
  terminal: Terminal = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  const { input, output } = terminal;
  if (options.yes === true || input.isTTY !== true || output.isTTY !== true) return false;
  output.write(`${question} [y/N] `);
  const lines = createInterface({ input });
  // Ctrl+D closes the input without an answer.
  const answer = await new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''));
    lines.once('line', (line) => {
      resolve(line);
      // At once, so that the next line answers the next question.
      lines.close();
    });
  });
  if (/^(y|yes|s|sí|si)$/i.test(answer.trim())) return true;
  throw new CommandError('Nothing was done: it was not confirmed.', 1, 'NOT_CONFIRMED');
}
