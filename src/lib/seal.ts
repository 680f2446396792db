import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** A 32-byte key and its public id, which every sealed text carries. */
export type SealingKey = { id: string; secret: Buffer };

const sealedForm = /^v1\.([\w-]{8})\.([\w-]{16})\.([\w-]*)\.([\w-]{22})$/;
const cipherName = 'aes-256-gcm';
const ivBytes = 12;
// Without this option Node accepts tags as short as four bytes.
const tagOptions = { authTagLength: 16 };

/** Derives 32 bytes by HKDF-SHA256 with an empty salt. `label` (the "info") makes keys for different uses unrelated. */
export function deriveKey(master: string | Uint8Array, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', master, '', label, 32));
}

/** Makes a key for `seal` and `open` from 32 secret bytes. The id is derived from them and reveals nothing. */
export function sealingKey(secret: Buffer): SealingKey {
  if (secret.length !== 32) throw new RangeError('a sealing key has 32 bytes');
  return { id: deriveKey(secret, 'sealing-key-id').toString('base64url', 0, 6), secret };
}

/**
 * Encrypts with AES-256-GCM into `v1.<key id>.<iv>.<ciphertext>.<tag>`, each part in base64url.
 *
 * `aad` names the owner of the text (table, row, version). It is not stored. Only the same `aad` decrypts the text, so
 * a sealed text that is copied to another row is refused. The iv is random: seal at most 2^32 texts with one key (NIST
 * SP 800-38D, 8.3).
 */
export function seal(key: SealingKey, plaintext: string, aad: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(cipherName, key.secret, iv, tagOptions).setAAD(boundData(key.id, aad));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  const parts = [iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'));
  return `v1.${key.id}.${parts.join('.')}`;
}

/** Decrypts a sealed text. Throws if one bit, the key or the `aad` differs; the error never quotes the text. */
export function open(key: SealingKey, sealed: string, aad: string): string {
  const [, keyId, iv, ciphertext, tag] = sealedForm.exec(sealed) ?? [];
  if (keyId === undefined) throw new Error('this is not a sealed text');
  if (keyId !== key.id) throw new Error(`this text was sealed with the key ${keyId}, not with ${key.id}`);
  const decipher = createDecipheriv(cipherName, key.secret, decodeStrictly(iv), tagOptions);
  decipher.setAAD(boundData(keyId, aad)).setAuthTag(decodeStrictly(tag));
  return Buffer.concat([decipher.update(decodeStrictly(ciphertext)), decipher.final()]).toString('utf8');
}

/** Returns the id of the key of a sealed text, or null if the text is not sealed. */
export function sealedKeyId(sealed: string): string | null {
  return sealedForm.exec(sealed)?.[1] ?? null;
}

function boundData(keyId: string, aad: string): Buffer {
  return Buffer.from(`v1.${keyId}.${aad}`);
}

/** Node ignores the unused bits of the last base64url character, so two texts could decode to the same bytes. */
function decodeStrictly(text = ''): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw new Error('this is not a sealed text');
  return bytes;
}
