import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import type { HostedCommand } from './run-command.ts';

/**
 * Runs commands of `bin/rubrica` one after another in this process, which has loaded the code once. Each has the arguments, the
 * environment and the standard streams of a process of its own, and it has ended when that process would have: when nothing is
 * left to wait for. So a command that leaves a timer or a connection behind is still running here too.
 *
 * A command arrives as one line of JSON. What it wrote ends on both streams with `END_OF_COMMAND`, on stdout with its status behind it.
 */
const commands = new Socket({ fd: 0, readable: true, writable: false });
let count = 0;

createInterface({ input: commands }).on('line', (line) => void run(JSON.parse(line) as HostedCommand));

async function run({ words, env, input, isTTY, end }: HostedCommand): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(2, Infinity, ...words);
  const typed = Readable.from(input === '' ? [] : [Buffer.from(input)], { objectMode: false });
  setStream('stdin', Object.assign(typed, { isTTY: isTTY !== false }));
  setStream('stdout', writerTo(1));
  setStream('stderr', Object.assign(writerTo(2), { isTTY: isTTY === true }));
  // Node's own for a module that waits for what never comes.
  process.exitCode = 13;
  commands.unref();
  const nothingLeft = new Promise((resolve) => process.once('beforeExit', resolve));
  // The command line runs when it is loaded; with another address it is loaded again, and nothing else is.
  await import(`../../src/main.ts?command=${++count}`).then(() => {
    if (process.exitCode === 13) process.exitCode = 0;
  });
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
