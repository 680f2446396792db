import './lib/network/resolve-quickly.ts';
import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { SigningError } from '../protocol/signing-error.ts';
import { addCommands } from './cli/command-groups.ts';
import { addExamples, colourHelp } from './cli/help/dress-help.ts';
import { systemFix } from './cli/operation/system-fixes.ts';
import { CommandError, EXIT_FINAL, EXIT_NOT_READ, EXIT_USAGE } from './cli/print.ts';
import { refuseBlank } from './cli/refuse-blank.ts';
import { terminalLanguage } from './cli/terminal-language.ts';
import { ConfigError } from './config.ts';
import { SchemaError, StorageError, StoreHeldError } from './db/database.ts';
import { Problem } from './error-catalogue.ts';
import { paint } from './lib/paint.ts';
import { SETTINGS } from './settings.ts';

const MOVING =
  'The payment service is moving to another database, or has moved: bin/rubrica payment-service moves says where.';
const DISK_FULL =
  'The disk is full: make room where the database is, in DATA_DIR or on the server of PostgreSQL. Nothing was stored.';

/** A place in the code, to mend a bug: only stderr has it. */
const STACK_FRAME = /^ +at /;

// A reader such as `head` may close the pipe. A command with its own listener decides itself, and the service continues
// without its log.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (process.argv[2] === 'serve' || process.stdout.listenerCount('error') > 1) return;
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT_NOT_READ);
});

// Losing the reader of the progress must not end a command.
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const program = new Command('rubrica')
  .description('The payment service that a company can run itself.')
  .version(manifest.version)
  // Prints usage errors like every other refusal, with the code in front.
  .configureOutput({ outputError: (text, write) => write(`USAGE: ${usageText(text)}`) })
  .showHelpAfterError('(add --help for what there is)')
  .exitOverride()
  .hook('preAction', (_, command) => refuseBlank(command));

try {
  colourHelp(program);
  await addCommands(program, process.argv[2] ?? '');
  addExamples(program);
  if (terminalLanguage() === 'es') await speakSpanish();
  await program.parseAsync();
} catch (error) {
  process.exitCode = statusOf(error);
  if (process.exitCode !== 0) await report(error);
}

/**
 * Returns commander's error without its prefix, and says where the ids of a missing `--payment-service` are, that an
 * option such as `--port` is a setting, and that `-1d` is no duration.
 */
function usageText(text: string): string {
  const fix = '$&: bin/rubrica payment-service list has the ids';
  return text
    .replace(/^error: /, '')
    .replace(/'--payment-service <id>' not specified/, fix)
    .replace(/unknown option '--([^']*)'/, (said, option: string) => {
      const setting = option.replace(/=.*/, '').replaceAll('-', '_').toUpperCase();
      return SETTINGS.some(({ name }) => name === setting) ? `${said}: set the environment variable ${setting}` : said;
    })
    .replace(/unknown option '-\d+[smhd]'/, '$&: a duration has no sign')
    .replace(/^(unknown (?:command|option) '[^']*')(?:\n\(Did you mean .*\))?/, (said, cause: string) => {
      const meant = inOrder(process.argv.slice(2, 4));
      return meant === null ? said : `${cause}\n(Did you mean ${meant}?)`;
    });
}

/** Returns the words of `list callback` or `--json doctor` in the order of a command; null for other words. */
function inOrder([first = '', second = '']: readonly string[]): string | null {
  const command = program.commands.find((one) => one.name() === second);
  const takes = [
    ...(command?.commands ?? []).map((one) => one.name()),
    ...(command?.options ?? []).map(({ long }) => long),
  ];
  return takes.includes(first) ? `${second} ${first}` : null;
}

/** Loads the Spanish help only when it is needed. */
async function speakSpanish(): Promise<void> {
  const { translateHelp } = await import('./cli/help/translate-help.ts');
  translateHelp(program);
}

function statusOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof SchemaError && process.argv[2] === 'serve') return EXIT_FINAL;
  return error instanceof CommandError ? error.status : 1;
}

/** Prints an error to stderr for a person. With `--json`, stdout also gets one JSON object. */
async function report(error: unknown): Promise<void> {
  const { code, message } = await describe(error);
  // Commander has already printed its own errors, with the help of the command.
  if (!(error instanceof CommanderError))
    process.stderr.write(
      code === 'COMMAND_FAILED' ? `${message}\n` : `${paint('red', `${code}:`, process.stderr)} ${message}\n`,
    );
  if (!process.argv.includes('--json')) return;
  const [first, ...others] = message.split('\n').filter((line) => !STACK_FRAME.test(line));
  process.stdout.write(`${JSON.stringify({ error: { code, message: first, details: others } })}\n`);
}

function eachOnItsLine(errors: readonly { message: string; fix: string }[]): string {
  return errors.map(({ message, fix }) => `${message} ${fix}`).join('\n');
}

/** Returns a code for scripts, and a sentence about what the person can fix. For a bug it returns the stack. */
async function describe(error: unknown): Promise<{ code: string; message: string }> {
  if (error instanceof CommanderError) return { code: 'USAGE', message: usageText(error.message) };
  if (error instanceof CommandError) return { code: error.code, message: error.message };
  if (error instanceof ConfigError) return { code: 'INVALID_SETTING', message: error.message };
  if (error instanceof StoreHeldError) return { code: 'ALREADY_SERVED', message: error.message };
  if (error instanceof SchemaError) return { code: error.code, message: error.message };
  if (error instanceof SigningError) {
    return { code: error.code, message: eachOnItsLine(error.problems) };
  }
  if (error instanceof Problem) {
    const { wordsOf } = await import('./http/problem-words.ts');
    const { title, fix, detail, errors } = wordsOf(error, terminalLanguage());
    const [first, ...others] = errors;
    if (first !== undefined && detail === eachOnItsLine([first])) {
      return { code: error.code, message: eachOnItsLine([first, ...others]) };
    }
    return { code: error.code, message: detail === fix ? `${title}. ${fix}` : detail };
  }
  if (error instanceof StorageError) {
    if (error.code === 'STORAGE_FULL') return { code: error.code, message: DISK_FULL };
    if (error.code === 'PAYMENT_SERVICE_MOVING') return { code: error.code, message: MOVING };
    const { message } = await describe(error.cause);
    return { code: error.code, message: `The database does not answer or refuses: ${message}` };
  }
  // An error of the operating system names the file or the address; a stack adds nothing.
  const { code, message, stack } = error as NodeJS.ErrnoException;
  if (code === undefined) return { code: 'INTERNAL', message: stack ?? String(error) };
  const fix = systemFix(error as NodeJS.ErrnoException);
  const says = message.replace(`${code}: `, '');
  // SQLite's own error about the file of a backup.
  const isFull = (error as { errcode?: number }).errcode === 13;
  return { code: isFull ? 'STORAGE_FULL' : code, message: fix === null ? says : `${says}: ${fix}` };
}
