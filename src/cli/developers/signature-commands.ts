import type { Command } from 'commander';
import { type Cause, explain } from '../../../protocol/explain-signature.ts';
import { computeSignature, signingKey } from '../../../protocol/hmac.ts';
import { readJsonFields } from '../../../protocol/read-json-fields.ts';
import { messageOf } from '../../../protocol/sign-fields.ts';
import type { ProgramLanguage } from '../../../protocol/signature-causes.ts';
import { SigningError } from '../../../protocol/signing-error.ts';
import { verifyCallback } from '../../../protocol/verify-callback.ts';
import { LANGUAGE_NAMES } from '../../http/language-of-client.ts';
import { readStdin } from '../options.ts';
import { CommandError, EXIT_USAGE, print, table } from '../print.ts';
import { addOtherSecretOptions, addSecretOptions, readSecret, type SecretOptions } from '../secret-option.ts';

/** `sign`, `verify`, `explain`: the functions of the SDK in a shell. They open no store. */
export function addSignatureCommands(program: Command): void {
  const sign = program
    .command('sign')
    .description('read the fields as JSON from stdin and print only x_signature; status 2 if they must not be signed');
  addSecretOptions(sign, '--secret <secret>', 'the Secret Token')
    .option('--message', 'print the text that is signed, not the signature')
    .action(signFields);
  const verify = program
    .command('verify')
    .description('verify a callback (form or JSON) from stdin; status 0 if it is genuine, else 1 with the reason');
  addSecretOptions(verify, '--secret <secret>', 'the Secret Token')
    .option('--json', 'print one JSON object')
    .action(verifyBody);
  const explained = program
    .command('explain')
    .description(
      'find why a signature is wrong: reads the body of a request or callback (form or JSON) with its x_signature from stdin; status 1 if no cause is found',
    );
  addSecretOptions(explained, '--secret <secret>', 'the expected Secret Token');
  addOtherSecretOptions(explained).option('--json', 'print one JSON object').action(explainBody);
}

async function signFields(options: SecretOptions & { message?: boolean }): Promise<void> {
  const secret = readSecret(options);
  try {
    const message = messageOf(readJsonFields(await readStdin()));
    process.stdout.write(options.message === true ? message : `${computeSignature(message, signingKey(secret))}\n`);
  } catch (error) {
    if (!(error instanceof SigningError)) throw error;
    for (const { code, message, fix } of error.problems) process.stderr.write(`${code}: ${message} ${fix}\n`);
    process.exitCode = 2;
  }
}

async function verifyBody(options: SecretOptions & { json?: boolean }): Promise<void> {
  const secret = readSecret(options);
  const body = withoutLineEnd(await readStdin());
  // A script that reads JSON gets a verdict, also about nothing.
  if (body.length === 0 && options.json !== true) throw emptyInput('verify', 1);
  const result = verifyCallback({ body, secret, expected: {} });
  if (options.json === true) process.stdout.write(`${JSON.stringify(result)}\n`);
  else if (result.ok) process.stdout.write(`genuine: ${result.data.x_reference} ${result.data.x_result}\n`);
  else process.stdout.write(`not genuine: ${result.code}: ${result.message} ${result.fix}\n`);
  if (!result.ok) process.exitCode = 1;
}

/** Returns the error for a command that got no body: what to give it. */
function emptyInput(command: 'verify' | 'explain', status: number): CommandError {
  const file = command === 'verify' ? 'callback.txt' : 'refused.json';
  const message = `Standard input is empty: give it the body, as in bin/rubrica ${command} --secret-env SECRET_TOKEN < ${file}`;
  return new CommandError(message, status, 'INVALID_OPTION');
}

/** Removes the end of line that `echo` and editors add, on Windows too. No body ends with one. */
function withoutLineEnd(body: Buffer): Buffer {
  const [added = ''] = /\r?\n$/.exec(body.toString('latin1', body.length - 2)) ?? [];
  return body.subarray(0, body.length - added.length);
}

type ExplainOptions = SecretOptions & {
  otherSecret?: string[];
  otherSecretFile?: string[];
  otherSecretEnv?: string[];
  json?: boolean;
};

async function explainBody(options: ExplainOptions): Promise<void> {
  const secret = readSecret(options);
  const { otherSecret = [], otherSecretFile = [], otherSecretEnv = [] } = options;
  const others = [...otherSecret, ...otherSecretFile, ...otherSecretEnv];
  const body = withoutLineEnd(await readStdin());
  if (body.length === 0) throw emptyInput('explain', EXIT_USAGE);
  const { verified, causes } = explain({
    body,
    secret,
    otherSecrets: others.map((other) => ({ label: 'other', secret: other })),
    allowHttp: true,
  });
  const named = causes.map(({ code, field, fix }) => ({ code, field, fix }));
  const nothing = verified
    ? 'The signature is right, and nothing is wrong with the body. If the service still answers 401, x_account_id is not the Service Token that belongs to this secret: development and production have one each.'
    : 'No cause was found: a value may have been changed on the way, or the secret is another one. Try --other-secret with the Secret Token of the other environment.';
  print(options, { verified, causes: named }, causes.length === 0 ? [nothing] : causes.flatMap(linesOf));
  if (causes.length === 0) process.exitCode = 1;
}

function linesOf({ code, field, fix, fixes }: Cause): string[] {
  const languages = Object.entries(fixes) as [ProgramLanguage, string][];
  return [
    field === null ? code : `${code} in ${field}`,
    `  ${fix}`,
    ...table(languages.map(([language, text]) => [`  ${LANGUAGE_NAMES[language]}`, text])),
  ];
}
