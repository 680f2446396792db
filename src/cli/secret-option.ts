import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { environmentVariable } from '../config.ts';
import { readStdin } from './options.ts';
import { CommandError, EXIT_USAGE } from './print.ts';

/** The sources of a Secret Token. Exactly one must be given. */
export type SecretOptions = { secret?: string; secretFile?: string; secretEnv?: string };

const VISIBLE = 'itself; other users of the machine and the shell history can see it';

/** Adds `--secret-env`, `--secret-file`, and `direct`, whose value is the secret itself. */
export function addSecretOptions(command: Command, direct: string, what: string): Command {
  return command
    .option('--secret-env <name>', `environment variable that holds ${what}`)
    .option('--secret-file <file>', `file that holds ${what}`)
    .option(direct, `${what} ${VISIBLE}`, checkSecret);
}

/** Adds the same options for further secrets of `explain`. Each may be repeated. */
export function addOtherSecretOptions(command: Command): Command {
  const what = 'a secret that may have been used by mistake';
  const collect =
    (read: (value: string) => string) =>
    (value: string, previous: string[] = []) => [...previous, read(value)];
  return command
    .option('--other-secret-env <name>', `environment variable that holds ${what}`, collect(readVariable))
    .option('--other-secret-file <file>', `file that holds ${what}`, collect(readSecretFile))
    .option('--other-secret <secret>', `${what}, ${VISIBLE}`, collect(checkSecret));
}

/**
 * Returns the secret of the given option. Throws `CommandError` unless exactly one option is given, and for an empty or
 * unreadable secret.
 */
export function readSecret({ secret, secretFile, secretEnv }: SecretOptions): string {
  const given = [secret, secretFile, secretEnv].filter((value) => value !== undefined);
  if (given.length !== 1) {
    const fix = 'Give the Secret Token once, by --secret-env NAME or --secret-file FILE';
    throw new CommandError(`${fix}.`, EXIT_USAGE, given.length === 0 ? 'USAGE' : 'INVALID_OPTION');
  }
  if (secretFile !== undefined) return readSecretFile(secretFile);
  return secretEnv === undefined ? (secret as string) : readVariable(secretEnv);
}

/** Does the same, and `--secret-file -` reads standard input. For commands that read nothing else there. */
export async function readSecretOrStdin(options: SecretOptions): Promise<string> {
  if (options.secretFile !== '-') return readSecret(options);
  return checkSecret(withoutLineEnd((await readStdin()).toString('utf8')));
}

/** Refuses an empty text, which is how an unset shell variable arrives. */
function checkSecret(value: string): string {
  if (value !== '') return value;
  throw new CommandError('The secret is empty: is the shell variable set?', EXIT_USAGE, 'INVALID_OPTION');
}

function readVariable(name: string): string {
  const value = environmentVariable(name) ?? '';
  if (value !== '') return value;
  throw new CommandError(`${name} is not set in the environment: export it.`, EXIT_USAGE, 'INVALID_OPTION');
}

function readSecretFile(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new CommandError(`${file} cannot be read: is it there, and whose is it?`, EXIT_USAGE, 'FILE_UNUSABLE');
  }
  return checkSecret(withoutLineEnd(text));
}

/** Removes the line feed that editors and `echo` add. */
function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
