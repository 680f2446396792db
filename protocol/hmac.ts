import { needNode, node } from './platform.ts';

/**
 * Makes a signing key from a Secret Token: its text as UTF-8, never decoded, even if it looks like hexadecimal. Keep
 * the key if you sign many messages. Throws `TypeError` if the secret is empty or not a text.
 */
export function signingKey(secret: string): SigningKey {
  requireSecret(secret);
  if (tools === undefined) needNode();
  return new SigningKey(secret);
}

/** Throws `TypeError` for a secret that is empty or not a text: anybody could sign with it. */
export function requireSecret(secret: string): void {
  if (typeof secret !== 'string' || secret === '')
    throw new TypeError('The secret is empty or not a text. Give your Secret Token as it was shown to you.');
}

/** Computes the `x_signature` of a message: HMAC-SHA256 in lower-case hexadecimal, 64 digits. */
export function computeSignature(message: string, key: SigningKey): string {
  return key.sign(message);
}

/**
 * Returns whether `signature` is the `x_signature` of the message. Compares 32 bytes in constant time; never throws.
 */
export function signatureMatches(message: string, signature: string, key: SigningKey): boolean {
  // Checked before decoding, because decoding silently drops characters that are not hexadecimal.
  if (!SIGNATURE_FORMAT.test(signature)) return false;
  const { timingSafeEqual, expected, received } = tools ?? needNode();
  expected.write(key.sign(message), 'hex');
  received.write(signature, 'hex');
  return timingSafeEqual(expected, received);
}

export const SIGNATURE_FORMAT = /^[0-9a-f]{64}$/;
const BLOCK = 64;
const DIGEST = 32;
const LONGEST_CHARACTER = 3;

// Shared by all calls: filled and used up within one call.
const tools = node && {
  hash: node.crypto.hash,
  timingSafeEqual: node.crypto.timingSafeEqual,
  scratch: Buffer.alloc(8192),
  expected: Buffer.alloc(DIGEST),
  received: Buffer.alloc(DIGEST),
};

/** Made by `signingKey`, which refuses an empty secret. Printing or serialising it reveals nothing. */
export class SigningKey {
  readonly #inner = Buffer.alloc(BLOCK, 0x36);
  readonly #outer = Buffer.alloc(BLOCK + DIGEST, 0x5c);

  constructor(secret: string | Uint8Array) {
    const { hash } = tools ?? needNode();
    const bytes = typeof secret === 'string' ? Buffer.from(secret, 'utf8') : secret;
    const key = bytes.length > BLOCK ? hash('sha256', bytes, 'buffer') : bytes;
    for (let place = 0; place < key.length; place++) {
      const byte = key[place] as number;
      this.#inner[place] = byte ^ 0x36;
      this.#outer[place] = byte ^ 0x5c;
    }
  }

  /**
   * Computes HMAC-SHA256 as RFC 2104 defines it. Two one-shot hashes take half the time of `createHmac`, whose native
   * object costs more than hashing such a short message. A test compares the two.
   */
  sign(message: string, encoding: 'hex' | 'base64' = 'hex'): string {
    const { hash, scratch } = tools ?? needNode();
    const longest = BLOCK + message.length * LONGEST_CHARACTER;
    const block = longest > scratch.length ? Buffer.alloc(longest) : scratch;
    this.#inner.copy(block);
    const end = BLOCK + block.write(message, BLOCK, 'utf8');
    this.#outer.write(hash('sha256', block.subarray(0, end), 'binary'), BLOCK, 'binary');
    return hash('sha256', this.#outer, encoding);
  }
}
