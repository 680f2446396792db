import { Command } from 'commander';
import { addBankValidationCommands } from './cli/bank-validation-commands.ts';
import { addBooksCommands } from './cli/books-commands.ts';
import { addCallbackCommands } from './cli/callback-commands.ts';
import { addDemoCommand } from './cli/demo-command.ts';
import { addOperationCommands } from './cli/operation-commands.ts';
import { addPaymentMethodCommands } from './cli/payment-method-commands.ts';
import { addPaymentServiceCommands } from './cli/payment-service-commands.ts';
import { CommandError } from './cli/print.ts';
import { addReconcileCommand } from './cli/reconcile-command.ts';
import { addRefundCommands } from './cli/refund-commands.ts';
import { addServeCommand } from './cli/serve-command.ts';
import { addSignatureCommands } from './cli/signature-commands.ts';
import { addUserCommands } from './cli/user-commands.ts';
import { ConfigError } from './config.ts';
import { Problem } from './error-catalogue.ts';

const program = new Command('rubrica')
  .description('The payment service that a company can run itself.')
  .showHelpAfterError('(add --help for what there is)');

addDemoCommand(program);
addServeCommand(program);
addPaymentServiceCommands(program);
addPaymentMethodCommands(program);
addUserCommands(program);
addSignatureCommands(program);
addCallbackCommands(program);
addRefundCommands(program);
addBooksCommands(program);
addReconcileCommand(program);
addBankValidationCommands(program);
addOperationCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${messageFor(error)}\n`);
  process.exitCode = error instanceof CommandError ? error.status : 1;
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
