import { Command } from 'commander';
import { CommandError } from './cli/print.ts';
import { ConfigError } from './config.ts';
import { Problem } from './error-catalogue.ts';

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
  callback: async () => (await import('./cli/callback-commands.ts')).addCallbackCommands,
  refund: async () => (await import('./cli/refund-commands.ts')).addRefundCommands,
  books: async () => (await import('./cli/books-commands.ts')).addBooksCommands,
  reconcile: async () => (await import('./cli/reconcile-command.ts')).addReconcileCommand,
  'validate banks privacy': async () => (await import('./cli/bank-validation-commands.ts')).addBankValidationCommands,
  'migrate doctor backup': async () => (await import('./cli/operation-commands.ts')).addOperationCommands,
  bench: async () => (await import('./cli/bench-command.ts')).addBenchCommand,
};

const program = new Command('rubrica')
  .description('The payment service that a company can run itself.')
  .showHelpAfterError('(add --help for what there is)');

try {
  await addCommands(process.argv[2] ?? '');
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${messageFor(error)}\n`);
  process.exitCode = error instanceof CommandError ? error.status : 1;
}

async function addCommands(asked: string): Promise<void> {
  const groups = Object.keys(COMMANDS);
  const named = groups.filter((words) => words.split(' ').includes(asked));
  for (const words of named.length > 0 ? named : groups) {
    const add = await COMMANDS[words]?.();
    add?.(program);
  }
}

/** A sentence for what the person at the keyboard can mend, everything for what is a bug. */
function messageFor(error: unknown): string {
  if (error instanceof ConfigError || error instanceof CommandError) return error.message;
  if (error instanceof Problem) return `${error.code}: ${error.message}`;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'The port is taken: set PORT to another, or to 0 for a free one.';
  if (code === 'ECONNREFUSED') return 'The database does not answer: check DATABASE_URL.';
  return (error as Error).stack ?? String(error);
}
