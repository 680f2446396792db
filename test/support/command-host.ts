import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { PassThrough, Readable, Writable } from 'node:stream';
import type { HostedCommand } from './run-command.ts';

/**
 * Runs commands of `bin/rubrica` one after another in this process, which loads the code once. Each command has the
 * arguments, the environment and the standard streams that it would have in a separate process. It has ended when that
 * process would have ended: when nothing is left to wait for. So a command that leaves a timer or a connection open
 * does not end here either.
 *
 * A command arrives as one line of JSON, and the next lines are its `answers`. Its output ends on both streams with the
 * command's `end`, on stdout followed by its status and a line end.
 */
const commands = new Socket({ fd: 0, readable: true, writable: false });
let count = 0;
let keyboard = new PassThrough();
/** How many of the next lines are answers of the command that runs. */
let unanswered = 0;

createInterface({ input: commands }).on('line', (line) => {
  if (unanswered === 0) return void run(JSON.parse(line) as HostedCommand);
  keyboard.write(`${line}\n`);
  if (--unanswered === 0) commands.unref();
});

async function run({ words, env, input, isTTY, answers, end }: HostedCommand): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(2, Infinity, ...words);
  keyboard = new PassThrough();
  unanswered = answers;
  const typed = answers > 0 ? keyboard : Readable.from(input === '' ? [] : [Buffer.from(input)], { objectMode: false });
  setStream('stdin', Object.assign(typed, { isTTY: isTTY !== false }));
  setStream('stdout', writerTo(1));
  setStream('stderr', Object.assign(writerTo(2), { isTTY: isTTY === true }));
  // Node's exit code for a module whose top-level await never settles.
  process.exitCode = 13;
  if (answers === 0) commands.unref();
  const nothingLeft = new Promise((resolve) => process.once('beforeExit', resolve));
  // The command line runs when its module loads. Another query in the address loads that module again, and no other.
  await import(`../../src/main.ts?command=${++count}`).then(() => {
    if (process.exitCode === 13) process.exitCode = 0;
  });
  // Answers to questions that were not asked do not come.
  unanswered = 0;
  commands.unref();
  await nothingLeft;
  commands.ref();
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
  writeAll(2, end);
  writeAll(1, `${end}${process.exitCode}\n`);
}

function setStream(name: 'stdin' | 'stdout' | 'stderr', value: Readable | Writable): void {
  Object.defineProperty(process, name, { value, configurable: true });
}

function writerTo(descriptor: 1 | 2): Writable {
  return new Writable({
    decodeStrings: true,
    write: (chunk: Buffer, _encoding, done) => {
      writeAll(descriptor, chunk);
      done();
    },
  });
}

function writeAll(descriptor: 1 | 2, text: string | Buffer): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
}
