import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contrast } from '../../src/lib/colour.ts';
import { readImageFile } from '../../src/lib/image-file.ts';
import { checkColour, checkLogo, lookStyle } from '../../src/payment-services/look.ts';
import { readServiceName } from '../../src/payment-services/payment-service.ts';
import { readLookText } from '../../src/payment-services/read-look.ts';
import { pngOf } from '../support/make-image.ts';

const colours: [given: string, kept: string | RegExp][] = [
  ['#1f6f4a', '#1f6f4a'],
  ['#1F6F4A', '#1f6f4a'],
  ['#000000', '#000000'],
  ['#ffcc00', /contrast of 1\.5 with white.*#8f7200 would do/],
  ['#ffffff', /would do/],
  ['green', /write # and six hexadecimal digits/],
  ['#1f6', /write #/],
  ['#1f6f4a;}body{}', /write #/],
];
for (const [given, kept] of colours) {
  test(`the colour ${given} is ${kept instanceof RegExp ? 'refused with a fix' : 'accepted'}`, () => {
    const checked = checkColour(given);
    if (kept instanceof RegExp) assert.match('refusal' in checked ? checked.refusal.en : '', kept);
    else assert.deepEqual(checked, { colour: kept });
  });
}

test('text is readable on every accepted colour, light and dark', () => {
  for (let number = 0; number <= 0xffffff; number += 0x050301) {
    const colour = `#${number.toString(16).padStart(6, '0')}`;
    if ('refusal' in checkColour(colour)) continue;
    const [day, night] = [...lookStyle(colour).matchAll(/--accent:(#\w+);--accent-strong:(#\w+);--on-accent:(#\w+)/g)];
    for (const [accent, onAccent, sheet] of [
      [day?.[1], day?.[3], '#ffffff'],
      [night?.[1], night?.[3], '#1b1e28'],
    ] as [string, string, string][]) {
      assert.ok(contrast(accent, onAccent) >= 4.5, `${colour}: a button in ${accent}`);
      assert.ok(contrast(accent, sheet) >= 4.5, `${colour}: a link in ${accent}`);
    }
  }
});

const frame = (marker: number) => Buffer.from([0xff, marker, 0, 11, 8, 0, 40, 0, 60, 1, 1, 0x11, 0]);
const webp = (chunk: string, rest: number[]) =>
  Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${chunk}`, 'latin1'), Buffer.from(rest)]);
const zeros = (count: number) => Array<number>(count).fill(0);

const files: [name: string, bytes: Buffer, found: string | null][] = [
  ['a PNG', pngOf(88, 44), 'image/png 88 44'],
  ['a JPEG', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0]), frame(0xc0)]), 'image/jpeg 60 40'],
  ['a progressive JPEG', Buffer.concat([Buffer.from([0xff, 0xd8]), frame(0xc2)]), 'image/jpeg 60 40'],
  ['a JPEG without a frame', Buffer.from([0xff, 0xd8, 0xff, 0xd9, 0, 0, 0, 0]), null],
  ['a JPEG whose segment has no length', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0]), null],
  ['an extended WebP', webp('VP8X', [...zeros(8), 59, 0, 0, 39, 0, 0, ...zeros(4)]), 'image/webp 60 40'],
  ['a lossy WebP', webp('VP8 ', [...zeros(10), 60, 0, 40, 0]), 'image/webp 60 40'],
  ['a lossless WebP', webp('VP8L', [...zeros(5), 59, 0xc0, 9, 0, ...zeros(6)]), 'image/webp 60 40'],
  ['a truncated WebP', webp('VP8X', zeros(4)), null],
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), null],
  ['a page named logo.png', Buffer.from('<!doctype html><script>alert(1)</script>'), null],
  ['an empty file', Buffer.alloc(0), null],
];
for (const [name, bytes, found] of files) {
  test(`${name} is ${found ?? 'no accepted image'}`, () => {
    const image = readImageFile(bytes);
    assert.equal(image && `${image.type} ${image.width} ${image.height}`, found);
  });
}

test('a name that payers read has no line break, no control character and no reversed text', () => {
  for (const text of ['Uno\nDos', 'Uno\u001b[2K', 'Uno \u202esoD']) {
    assert.equal(readServiceName(text), null);
    assert.ok('refusal' in readLookText('legalName', text));
  }
  assert.equal(readServiceName(' Ñandú & Cía. '), 'Ñandú & Cía.');
});

test('a logo is refused for its type, bytes or pixels, with what is accepted', () => {
  const refusalOf = (bytes: Buffer) => {
    const checked = checkLogo(bytes);
    return 'refusal' in checked ? checked.refusal.en : 'taken';
  };
  assert.equal(refusalOf(pngOf(88, 88)), 'taken');
  assert.match(refusalOf(Buffer.from('<svg/>')), /SVG is not taken/);
  assert.match(refusalOf(Buffer.concat([pngOf(88, 88), Buffer.alloc(65_536)])), /at most 65536/);
  assert.match(refusalOf(pngOf(1, 88)), /1 by 88 pixels; each side has 32 to 1024/);
  assert.match(refusalOf(pngOf(4_000_000_000, 88)), /4000000000 by 88/);
});
