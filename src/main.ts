import { Command } from 'commander';
import { addPaymentServiceCommands } from './cli/payment-service-commands.ts';
import { CommandError } from './cli/print.ts';
import { addServeCommand } from './cli/serve-command.ts';
import { ConfigError } from './config.ts';

const program = new Command('rubrica').description('The payment service that a company can run itself.');

addServeCommand(program);
addPaymentServiceCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof ConfigError) && !(error instanceof CommandError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
