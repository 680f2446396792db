import type { Command } from 'commander';
import { computeSignature, signingKey } from '../../sdk/src/hmac.ts';
import { readJsonFields } from '../../sdk/src/read-json-fields.ts';
import { messageOf } from '../../sdk/src/sign-fields.ts';
import { SigningError } from '../../sdk/src/signing-error.ts';
import { verifyCallback } from '../../sdk/src/verify-callback.ts';
import { readStdin } from './options.ts';

/** `sign`, `verify`: what the SDK does, for whoever has a shell. No store is opened. */
export function addSignatureCommands(program: Command): void {
  program
    .command('sign')
    .description(
      'read JSON of the fields from stdin, print x_signature and nothing else; status 2 when they must not be signed',
    )
    .requiredOption('--secret <secret>', 'Secret Token')
    .option('--message', 'print the text that is signed instead')
    .action(sign);
  program
    .command('verify')
    .description('read a callback (form or JSON) from stdin; status 0 when it is genuine, 1 when not, with the reason')
    .requiredOption('--secret <secret>', 'Secret Token')
    .option('--json', 'print one JSON object')
    .action(verify);
}

async function sign(options: { secret: string; message?: boolean }): Promise<void> {
  try {
    const message = messageOf(readJsonFields(await readStdin()));
    process.stdout.write(
      options.message === true ? message : `${computeSignature(message, signingKey(options.secret))}\n`,
    );
  } catch (error) {
    if (!(error instanceof SigningError)) throw error;
    for (const { code, message, fix } of error.problems) process.stderr.write(`${code}: ${message} ${fix}\n`);
    process.exitCode = 2;
  }
}

async function verify(options: { secret: string; json?: boolean }): Promise<void> {
  const result = verifyCallback({ body: await readStdin(), secret: options.secret, expected: {} });
  if (options.json === true) process.stdout.write(`${JSON.stringify(result)}\n`);
  else if (result.ok) process.stdout.write(`genuine: ${result.data.x_reference} ${result.data.x_result}\n`);
  else process.stdout.write(`not genuine: ${result.code}: ${result.message} ${result.fix}\n`);
  if (!result.ok) process.exitCode = 1;
}
