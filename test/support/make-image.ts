/** Returns the first bytes of a PNG: the product reads nothing else. */
export function pngOf(width: number, height: number): Buffer {
  const bytes = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), Buffer.alloc(17)]);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}
