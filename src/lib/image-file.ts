/** The type and size of an image, from its first bytes. */
export type ImageFile = { type: 'image/png' | 'image/jpeg' | 'image/webp'; width: number; height: number };

/**
 * Reads the type and size of a PNG, JPEG or WebP from its bytes, not from its name. Null for any other format, such as
 * SVG, which can carry scripts.
 */
export function readImageFile(bytes: Buffer): ImageFile | null {
  return readPng(bytes) ?? readJpeg(bytes) ?? readWebp(bytes);
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function readPng(bytes: Buffer): ImageFile | null {
  const isPng = bytes.length >= 24 && bytes.subarray(0, 8).equals(PNG) && bytes.toString('latin1', 12, 16) === 'IHDR';
  return isPng ? { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : null;
}

/** The size is in the first frame header, after segments that each state their length. */
function readJpeg(bytes: Buffer): ImageFile | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] as number;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function readWebp(bytes: Buffer): ImageFile | null {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') {
    return null;
  }
  const size = webpSize(bytes, bytes.toString('latin1', 12, 16));
  return size === null ? null : { type: 'image/webp', ...size };
}

function webpSize(bytes: Buffer, chunk: string): { width: number; height: number } | null {
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (chunk === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (chunk !== 'VP8L') return null;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
