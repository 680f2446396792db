import { connect, type Socket } from 'node:net';
import type { LoadPlan, LoadResult } from './support/load-plan.ts';
import { prepareRequests } from './support/prepared-requests.ts';

// A separate program: `node bench/load-generator.ts '{…}'` prints one line of JSON. It shares the machine with the
// measured server, so it does as little as possible: requests are built beforehand, a socket reads into one buffer, and
// only the status line and the length of a response are read.

const END_OF_HEAD = '\r\n\r\n';
const READ_BUFFER = 64 * 1024;
const MOST_ANSWERS = 2_000_000;

const plan = JSON.parse(process.argv[2] ?? '') as LoadPlan;
const requests = prepareRequests(plan);
const latencies = new Float64Array(MOST_ANSWERS);
let next = 0;
let measuring = plan.warmUpMs === 0;
let ended = false;
let answers = 0;
let refused = 0;
let refusal: string | null = null;
let endedAt = 0;

const sockets = await Promise.all(Array.from({ length: plan.connections }, open));
let startedAt = performance.now();
const finished = Promise.all(sockets.map(drive));
if (!measuring) {
  await pause(plan.warmUpMs);
  measuring = true;
  startedAt = performance.now();
}
const timer = setTimeout(end, plan.measureMs);
await finished;
clearTimeout(timer);
process.stdout.write(`${JSON.stringify(resultOf())}\n`);

function end(): void {
  if (ended) return;
  ended = true;
  endedAt = performance.now();
}

type Connection = { socket: Socket; onBytes: (bytes: Buffer) => void; onEnd: (error: Error) => void };

/** Opens a connection. With `onread`, the socket reads into the same memory each time, without a stream. */
function open(): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const connection: Connection = { socket: null as unknown as Socket, onBytes: () => {}, onEnd: () => {} };
    const callback = (length: number, buffer: Uint8Array) => {
      connection.onBytes(Buffer.from(buffer.buffer, buffer.byteOffset, length));
      return true;
    };
    const onread = { buffer: Buffer.allocUnsafeSlow(READ_BUFFER), callback };
    connection.socket = connect({ port: plan.port, host: '127.0.0.1', noDelay: true, onread });
    connection.socket.once('connect', () => resolve(connection));
    connection.socket.on('error', (error) => {
      connection.onEnd(error);
      reject(error);
    });
    connection.socket.on('close', () => connection.onEnd(new Error('the server closed a connection')));
  });
}

/** Sends requests one after the other over one connection, until the time or the requests run out. */
function drive(connection: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    let partial: Buffer | null = null;
    const send = () => {
      if (next === requests.length && plan.repeat) next = 0;
      if (next === requests.length) end();
      if (ended) {
        resolve();
        connection.socket.destroy();
        return;
      }
      sentAt = performance.now();
      connection.socket.write(requests[next++] as Buffer);
    };
    connection.onEnd = (error) => (ended ? resolve() : reject(error));
    connection.onBytes = (bytes) => {
      const answer = partial === null ? bytes : Buffer.concat([partial, bytes]);
      if (isWhole(answer)) {
        partial = null;
        note(answer, sentAt);
        send();
      } else if (partial === null) {
        // The socket reuses this memory, so the bytes are copied.
        partial = Buffer.from(bytes);
      } else partial = answer;
    };
    send();
  });
}

function isWhole(answer: Buffer): boolean {
  const head = answer.indexOf(END_OF_HEAD);
  if (head === -1) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer.toString('latin1', 0, head));
  if (length === null) throw new Error('An answer without content-length');
  const expected = head + END_OF_HEAD.length + Number(length[1]);
  if (answer.length > expected) throw new Error('More bytes than one answer');
  return answer.length === expected;
}

function note(answer: Buffer, sentAt: number): void {
  // A refusal is cheaper than the work, so a single one, even in the warm-up, invalidates the figure.
  if (answer.toString('latin1', 9, 12) !== '200') {
    refused++;
    refusal ??= answer.toString('latin1', 0, 2000);
  }
  if (!measuring || ended) return;
  latencies[answers++] = performance.now() - sentAt;
}

function resultOf(): LoadResult {
  const sorted = latencies.subarray(0, answers).sort();
  const quantile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    rate: (answers / (endedAt - startedAt)) * 1000,
    answers,
    refused,
    refusal,
    p50: quantile(0.5),
    p99: quantile(0.99),
    p999: quantile(0.999),
    slowest: quantile(1),
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
