import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { environmentVariable } from '../config.ts';
import { readStdin } from './options.ts';
import { CommandError, EXIT_USAGE } from './print.ts';

/** Where a Secret Token is read from. One of the three is given. */
export type SecretOptions = { secret?: string; secretFile?: string; secretEnv?: string };

const VISIBLE = 'itself; other users of the machine and the shell history can see it';

/** `--secret-env`, `--secret-file`, and `direct`, whose value stands on the command line. */
export function addSecretOptions(command: Command, direct: string, what: string): Command {
  return command
    .option('--secret-env <name>', `environment variable that holds ${what}`)
    .option('--secret-file <file>', `file that holds ${what}`)
    .option(direct, `${what} ${VISIBLE}`, checkSecret);
}

/** The same for `explain`, of secrets that may be others; each may be repeated. */
export function addOtherSecretOptions(command: Command): Command {
  const what = 'a secret that may have been used by mistake';
  const collect = (read: (value: string) => string) => (value: string, previous: string[]) => [
    ...previous,
    read(value),
  ];
  return command
    .option('--other-secret-env <name>', `environment variable that holds ${what}`, collect(readVariable), [])
    .option('--other-secret-file <file>', `file that holds ${what}`, collect(readSecretFile), [])
    .option('--other-secret <secret>', `${what}, ${VISIBLE}`, collect(checkSecret), []);
}

/** The secret of whichever option was given. Throws `CommandError` unless exactly one was given. */
export function readSecret({ secret, secretFile, secretEnv }: SecretOptions): string {
  const given = [secret, secretFile, secretEnv].filter((value) => value !== undefined);
  if (given.length !== 1) {
    const fix = 'Give the Secret Token once, by --secret-env NAME or --secret-file FILE';
    throw new CommandError(`${fix}.`, EXIT_USAGE, given.length === 0 ? 'USAGE' : 'INVALID_OPTION');
  }
  if (secretFile !== undefined) return readSecretFile(secretFile);
  return secretEnv === undefined ? (secret as string) : readVariable(secretEnv);
}

/** The same for a command that reads nothing else from standard input: `--secret-file -` is that. */
export async function readSecretOrStdin(options: SecretOptions): Promise<string> {
  if (options.secretFile !== '-') return readSecret(options);
  return checkSecret(withoutLineEnd((await readStdin()).toString('utf8')));
}

/** A shell variable that is not set arrives as an empty text. */
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

/** Editors and `echo` put a line feed at the end. */
function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
