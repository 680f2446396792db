import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { mediaTypeOf } from '../../src/http/framing.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

const MEDIA_TYPES: [header: string | undefined, media: string | null][] = [
  ['application/json', JSON_TYPE],
  ['Application/JSON', JSON_TYPE],
  [' application/json ', JSON_TYPE],
  ['application/json;', JSON_TYPE],
  ['application/json; charset=utf-8', JSON_TYPE],
  ['application/json ; Charset = "UTF8" ; ', JSON_TYPE],
  ['application/x-www-form-urlencoded', FORM_TYPE],
  ['application/x-www-form-urlencoded;charset=UTF-8', FORM_TYPE],
  [undefined, null],
  ['', null],
  ['text/plain', null],
  ['application/jsonp', null],
  ['application/json; charset=latin1', null],
  ['application/json; charset=utf-8; charset=utf-8', null],
  ['application/json; boundary=x', null],
  ['application/json;;', null],
  [`application/json${' '.repeat(7_900)}x`, null],
  [`application/json; charset=utf-8${' '.repeat(7_900)}x`, null],
];

for (const [header, media] of MEDIA_TYPES) {
  test(`the media type ${header?.replaceAll(/ {2,}/g, ' … ')} is ${media ?? 'none of ours'}`, () => {
    assert.equal(mediaTypeOf({ headers: { 'content-type': header } } as unknown as IncomingMessage), media);
  });
}
