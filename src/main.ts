import { Command, CommanderError } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { CommandError, EXIT_FINAL, EXIT_USAGE } from './cli/print.ts';
import { ConfigError } from './config.ts';
import { SchemaError, StorageError, StoreHeldError } from './db/database.ts';
import { CATALOGUE, Problem } from './error-catalogue.ts';

/**
 * The commands by their first word. Only what is asked for is loaded: whoever signs in a shell loop does not wait for the
 * database driver and the HTTP server. Help shows all of them.
 */
const COMMANDS: Record<string, () => Promise<(program: Command) => void>> = {
  demo: async () => (await import('./cli/demo-command.ts')).addDemoCommand,
  serve: async () => (await import('./cli/serve-command.ts')).addServeCommand,
  'payment-service': async () => (await import('./cli/payment-service-commands.ts')).addPaymentServiceCommands,
  'payment-method': async () => (await import('./cli/payment-method-commands.ts')).addPaymentMethodCommands,
  user: async () => (await import('./cli/user-commands.ts')).addUserCommands,
  'sign explain verify': async () => (await import('./cli/signature-commands.ts')).addSignatureCommands,
  transaction: async () => (await import('./cli/transaction-commands.ts')).addTransactionCommands,
  callback: async () => (await import('./cli/callback-commands.ts')).addCallbackCommands,
  refund: async () => (await import('./cli/refund-commands.ts')).addRefundCommands,
  'payout deposit': async () => (await import('./cli/movement-commands.ts')).addMovementCommands,
  books: async () => (await import('./cli/books-commands.ts')).addBooksCommands,
  reconcile: async () => (await import('./cli/reconcile-command.ts')).addReconcileCommand,
  validate: async () => (await import('./cli/validate-command.ts')).addValidateCommand,
  'banks privacy': async () => (await import('./cli/bank-validation-commands.ts')).addBankValidationCommands,
  payment: async () => (await import('./cli/payment-commands.ts')).addPaymentCommands,
  audit: async () => (await import('./cli/audit-commands.ts')).addAuditCommands,
  attention: async () => (await import('./cli/attention-commands.ts')).addAttentionCommands,
  doctor: async () => (await import('./cli/doctor-command.ts')).addDoctorCommand,
  'master-key': async () => (await import('./cli/master-key-commands.ts')).addMasterKeyCommands,
  'restore after-restore release': async () => (await import('./cli/restore-commands.ts')).addRestoreCommands,
  'migrate backup': async () => (await import('./cli/operation-commands.ts')).addOperationCommands,
  bench: async () => (await import('./cli/bench-command.ts')).addBenchCommand,
};

/** What to do where the operating system or the database only says what is wrong, by its code or by the call. */
const FIXES: Record<string, string> = {
  EADDRINUSE: 'set PORT to another, or to 0 for a free one.',
  EADDRNOTAVAIL: 'set HOST to an address of this machine.',
  ECONNREFUSED: 'check DATABASE_URL.',
  ENOTFOUND: 'check DATABASE_URL.',
  ENOSPC: 'make room on the disk.',
  mkdir: 'check DATA_DIR and DATABASE_URL.',
  // PostgreSQL: there is no such database, no such role, another password.
  '3D000': 'make it with createdb, or check DATABASE_URL.',
  '28000': 'check DATABASE_URL.',
  '28P01': 'check DATABASE_URL.',
};

const DISK_FULL =
  'The disk is full: make room where the database is, in DATA_DIR or on the server of PostgreSQL. Nothing was stored.';

const program = new Command('rubrica')
  .description('The payment service that a company can run itself.')
  .version(manifest.version)
  // In the form of every other refusal, with its code in front.
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'USAGE: ')) })
  .showHelpAfterError('(add --help for what there is)')
  .exitOverride();

try {
  await addCommands(process.argv[2] ?? '');
  await program.parseAsync();
} catch (error) {
  process.exitCode = statusOf(error);
  if (process.exitCode !== 0) report(error);
}

function statusOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof SchemaError && process.argv[2] === 'serve') return EXIT_FINAL;
  return error instanceof CommandError ? error.status : 1;
}

/** On stderr for a person. With `--json` stdout is one JSON object here too. */
function report(error: unknown): void {
  const { code, message } = describe(error);
  // What commander refuses it has explained itself, with the help of the command.
  if (!(error instanceof CommanderError))
    process.stderr.write(code === 'COMMAND_FAILED' ? `${message}\n` : `${code}: ${message}\n`);
  if (!process.argv.includes('--json')) return;
  process.stdout.write(`${JSON.stringify({ error: { code, message: message.split('\n', 1)[0] } })}\n`);
}

async function addCommands(asked: string): Promise<void> {
  const groups = Object.keys(COMMANDS);
  const named = groups.filter((words) => words.split(' ').includes(asked));
  for (const words of named.length > 0 ? named : groups) {
    const add = await COMMANDS[words]?.();
    add?.(program);
  }
}

/** A code for scripts, and a sentence for what the person at the keyboard can mend; everything for what is a bug. */
function describe(error: unknown): { code: string; message: string } {
  if (error instanceof CommanderError) return { code: 'USAGE', message: error.message.replace(/^error: /, '') };
  if (error instanceof CommandError) return { code: error.code, message: error.message };
  if (error instanceof ConfigError) return { code: 'INVALID_SETTING', message: error.message };
  if (error instanceof StoreHeldError) return { code: 'ALREADY_SERVED', message: error.message };
  if (error instanceof SchemaError) return { code: error.code, message: error.message };
  if (error instanceof Problem) {
    const { title, fix } = CATALOGUE[error.code];
    return { code: error.code, message: error.extras.detail ?? `${title}. ${fix}` };
  }
  if (error instanceof StorageError) {
    if (error.code === 'STORAGE_FULL') return { code: error.code, message: DISK_FULL };
    const { message } = describe(error.cause);
    return { code: error.code, message: `The database does not answer or refuses: ${message}` };
  }
  // What the operating system says is about the machine and names the file or the address; a stack adds nothing.
  const { code, syscall, message, stack } = error as NodeJS.ErrnoException;
  if (code === undefined) return { code: 'INTERNAL', message: stack ?? String(error) };
  const fix = FIXES[code] ?? FIXES[syscall ?? ''];
  const says = message.replace(`${code}: `, '');
  return { code, message: fix === undefined ? says : `${says}: ${fix}` };
}
