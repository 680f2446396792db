import { crc32, deflateSync } from 'node:zlib';

/** The colour of the demo's shop. */
export const DEMO_COLOUR = '#1f6f4a';

const SIDE = 88;
/** Samples per pixel and direction, for smooth edges. */
const SAMPLES = 4;

/**
 * Draws the mark of the demo's shop as a PNG: a white bag on the shop's colour. Drawing it avoids other people's
 * images.
 */
export function drawDemoLogo(): Buffer {
  const ground = [1, 3, 5].map((at) => Number.parseInt(DEMO_COLOUR.slice(at, at + 2), 16));
  const rows: number[] = [];
  for (let y = 0; y < SIDE; y++) {
    rows.push(0);
    for (let x = 0; x < SIDE; x++) {
      const bag = coverage(x, y, isBag);
      const alpha = coverage(x, y, isGround);
      rows.push(...ground.map((value) => Math.round(value + (255 - value) * bag)), Math.round(255 * alpha));
    }
  }
  return pngOf(Buffer.from(rows));
}

/** Returns the part of a pixel that a shape covers, 0 to 1. */
function coverage(x: number, y: number, shape: (x: number, y: number) => boolean): number {
  let inside = 0;
  for (let at = 0; at < SAMPLES * SAMPLES; at++) {
    const [right, down] = [at % SAMPLES, Math.floor(at / SAMPLES)].map((step) => (step + 0.5) / SAMPLES);
    if (shape((x + (right ?? 0)) / SIDE, (y + (down ?? 0)) / SIDE)) inside++;
  }
  return inside / (SAMPLES * SAMPLES);
}

/** Returns whether a point is in a square with round corners. Coordinates are from 0 to 1. */
function isGround(x: number, y: number): boolean {
  return isRounded(x - 0.5, y - 0.5, 0.5, 0.5, 0.24);
}

/** Returns whether a point is in the bag or in its handle, a ring that the bag cuts off. */
function isBag(x: number, y: number): boolean {
  const body = isRounded(x - 0.5, y - 0.6, 0.24 + (y - 0.6) * 0.12, 0.2, 0.06);
  const ring = Math.hypot(x - 0.5, y - 0.4);
  return body || (y < 0.42 && ring < 0.15 && ring > 0.1);
}

function isRounded(x: number, y: number, width: number, height: number, radius: number): boolean {
  const [right, down] = [Math.abs(x) - width + radius, Math.abs(y) - height + radius];
  return Math.hypot(Math.max(right, 0), Math.max(down, 0)) + Math.min(Math.max(right, down), 0) <= radius;
}

/** Encodes the pixels as a PNG: four bytes per pixel, and a filter byte before each row. */
function pngOf(pixels: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  // Eight bits per channel: red, green, blue and alpha.
  header.set([8, 6, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(pixels, { level: 9 });
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const length = Buffer.alloc(4);
  const check = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
