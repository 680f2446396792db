import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { trimEnd } from '../../../protocol/plain-text.ts';
import { randomHex } from '../../lib/ids.ts';

/** Argon2id with 19 MiB and two passes, from OWASP's password storage sheet. About 35 ms off the main thread. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

const STORED_FORM = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

const derive = promisify(argon2);

export type HashedPassword = { password: string; hash: string };

/** Returns a random password of 128 bits with its stored text. */
export async function makePassword(): Promise<HashedPassword> {
  const password = randomHex(16);
  return { password, hash: await hashPassword(password) };
}

/** Returns the stored text: algorithm, parameters, salt and hash in the PHC string format. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  return storedForm(nonce, await derive('argon2id', { ...PARAMETERS, message: password, nonce }));
}

/** Returns whether the password is right. `stored` null (an unknown user) returns false after the same work. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, salt, hash] = STORED_FORM.exec(stored ?? DECOY) ?? [];
  if (hash === undefined) throw new Error('A stored password is not in its form');
  const expected = Buffer.from(hash, 'base64');
  const actual = await derive('argon2id', {
    message: password,
    nonce: Buffer.from(salt as string, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(actual, expected);
}

function storedForm(salt: Buffer, hash: Buffer): string {
  const { memory, passes, parallelism } = PARAMETERS;
  const [saltText, hashText] = [salt, hash].map((bytes) => trimEnd(bytes.toString('base64'), '='));
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${saltText}$${hashText}`;
}

/** A hash that no known password has. */
const DECOY = storedForm(randomBytes(16), randomBytes(PARAMETERS.tagLength));
