import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The addresses of each name; null: the server does not respond. */
export type Zone = Record<string, { a?: string[]; aaaa?: string[] } | null>;

const A = 1;
const AAAA = 28;
const NAME_ERROR = 3;

/** Starts a name server on loopback that knows `zone` and counts the queries for each name. */
export async function startNameServer(zone: Zone) {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  socket.on('message', (query, from) => {
    const { name, end } = readName(query);
    questions.push(name);
    const entry = zone[name];
    if (entry !== null) socket.send(answerTo(query, end, entry), from.port);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    server: `127.0.0.1:${socket.address().port}`,
    questions,
    close: () => void socket.close(),
  };
}

/**
 * Reads the one question of a query, in plain labels (RFC 1035, 4.1.2). `end` is the offset after its type and class.
 */
function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] as number; length > 0; length = query[at] as number) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 };
}

function answerTo(query: Buffer, end: number, entry: Zone[string] | undefined): Buffer {
  const type = query.readUInt16BE(end - 4);
  const found = (type === A ? entry?.a : type === AAAA ? entry?.aaaa : undefined) ?? [];
  const header = Buffer.alloc(12);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(0x8180 | (entry === undefined ? NAME_ERROR : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found.length, 6);
  const records = found.map((address) => {
    const data = addressBytes(address);
    const fixed = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
    return Buffer.concat([fixed, data]);
  });
  return Buffer.concat([header, query.subarray(12, end), ...records]);
}

/** Accepts an IPv6 address only with all eight groups. */
function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  return Buffer.from(
    address.split(':').flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
  );
}
