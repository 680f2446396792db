import type { CauseCode } from './signature-causes.ts';

/** A received signature, parsed leniently: its digest, and what is wrong with its form. */
export type ReceivedSignature = { digest: Uint8Array; hash: string; causes: CauseCode[] };

/** Parses a signature in any form that a client may send; null if it cannot contain a digest. */
export function readSignature(text: string): ReceivedSignature | null {
  const causes: CauseCode[] = [];
  const strip = (code: CauseCode, from: string, to: string): string => {
    if (from !== to) causes.push(code);
    return to;
  };
  let rest = strip('SIGNATURE_WITH_WHITESPACE', text, text.trim());
  rest = strip(
    'SIGNATURE_WITH_PREFIX',
    rest,
    rest.replace(/^(?:(?:hmac[-_]?)?sha-?\d+|md5|v1|0x|hex)[=:,]?\s*(?=.{22})/i, ''),
  );
  rest = strip('SIGNATURE_WITH_PREFIX', rest, rest.replace(/^(["'])(.*)\1$/, '$2'));
  if (DASHED_HEX.test(rest)) rest = strip('SIGNATURE_WITH_PREFIX', rest, rest.replaceAll(/[-: ]/g, ''));
  if (HEX.test(rest)) return fromHex(rest, causes);
  return fromBase64(rest, causes);
}

const HEX = /^(?:[0-9a-f]{2})+$/i;
const DASHED_HEX = /^(?:[0-9a-f]{2}[-: ])+[0-9a-f]{2}$/i;
const BASE64 = /^[\w+/-]+={0,2}$/;

/** The hash function by the size of its digest in bytes. */
const HASHES: Record<number, string> = {
  16: 'md5',
  20: 'sha1',
  28: 'sha224',
  32: 'sha256',
  48: 'sha384',
  64: 'sha512',
};

function fromHex(hex: string, causes: CauseCode[]): ReceivedSignature | null {
  if (hex !== hex.toLowerCase()) causes.push('SIGNATURE_IN_UPPER_CASE');
  const bytes = Buffer.from(hex, 'hex');
  return fromHexText(bytes, causes) ?? fromBytes(bytes, causes);
}

function fromBase64(text: string, causes: CauseCode[]): ReceivedSignature | null {
  // A form turns the plus signs of base64 into spaces, and some clients escape them twice.
  const restored = text.replaceAll('%2B', '+').replaceAll('%2F', '/').replaceAll('%3D', '=').replaceAll(' ', '+');
  if (!BASE64.test(restored)) return null;
  causes.push('SIGNATURE_IN_BASE64');
  const bytes = Buffer.from(restored, 'base64');
  return fromHexText(bytes, causes) ?? fromBytes(bytes, causes);
}

/** The hexadecimal text was encoded again, as if it were the digest. */
function fromHexText(bytes: Buffer, causes: CauseCode[]): ReceivedSignature | null {
  const text = bytes.toString('latin1');
  if (!HEX.test(text) || HASHES[text.length / 2] === undefined) return null;
  return fromBytes(Buffer.from(text, 'hex'), ['SIGNATURE_ENCODED_TWICE', ...causes]);
}

function fromBytes(digest: Uint8Array, causes: CauseCode[]): ReceivedSignature | null {
  const hash = HASHES[digest.length];
  if (hash === undefined) return null;
  return { digest, hash, causes: hash === 'sha256' ? causes : [...causes, 'WRONG_HASH'] };
}
