import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { checkFraming, mediaTypeOf } from '../../src/http/framing.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

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
  test(`the media type ${header?.replaceAll(/ {2,}/g, ' … ')} is ${media ?? 'not supported'}`, () => {
    assert.equal(mediaTypeOf({ headers: { 'content-type': header } } as unknown as IncomingMessage), media);
  });
}

test('a target with a fragment is refused', () => {
  const of = (url: string) =>
    ({ url, httpVersionMajor: 1, httpVersionMinor: 1, headers: { host: 'a' }, rawHeaders: [] }) as unknown;
  for (const url of ['/trxs#x', '/healthz?a=b#', '/#/trxs'])
    assert.throws(() => checkFraming(of(url) as IncomingMessage), { code: 'HTTP_MALFORMED' }, url);
  checkFraming(of('/trxs?a=b') as IncomingMessage);
});

test('a header that a proxy may read as another one is refused, or that occurs twice, and HTTP/1.0 needs no Host', () => {
  const check = (httpVersionMinor: number, names: readonly string[], host?: string) => {
    const rawHeaders = names.flatMap((name) => [name, 'x']);
    const raw = { url: '/', httpVersionMajor: 1, httpVersionMinor, headers: { host }, rawHeaders } as unknown;
    checkFraming(raw as IncomingMessage);
  };
  for (const name of ['X_Forwarded_For', 'x-forwarded_proto', 'X_FORWARDED-HOST', 'content_length'])
    assert.throws(() => check(1, [name], 'a'), { code: 'INVALID_HEADER' }, name);
  const twice = { code: 'DUPLICATE_HEADER', message: 'Send the header authorization once.' };
  assert.throws(() => check(1, ['Authorization', 'authorization'], 'a'), twice);
  check(1, ['x-forwarded-proto', 'x_other'], 'a');
  check(0, []);
  assert.throws(() => check(1, []), { code: 'HTTP_MALFORMED' });
});

forEachEngine('odd requests', (openTestDatabase) => {
  test('a NUL in a parameter, a body or a file name is refused', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id: of, paymentServiceId } = await createTestEnvironment(app);
    await using server = await startTestServer(app);
    const { headers, console } = await createTestUser(app, {
      role: 'owner',
      may: [],
      paymentServices: [paymentServiceId],
    });
    for (const path of [
      '/v2/payments?x_account_id=%00',
      '/transactions?payment_service=a%00',
      '/console/payments?merchant=%00b',
    ])
      assert.equal((await server.get(path, { ...headers, ...console })).status, 400, path);

    const account = { rut: '12.531.909-2', bankData: { bankSBIFNumber: '012', bankAccount: '12531909' } };
    const { rut, bankData } = account;
    const recipientData = { rut, name: 'Ana', email: 'ana@example.cl' };
    const tef = { id: 'x', amount: 1000, recipientData, bankData };
    const file = {
      account: '1234567',
      fileName: 'a',
      content: btoa('Fecha;Descripción;Cargos;Abonos\n15/01/2026;x;;5'),
    };
    const bodies: [string, object][] = [
      ['/recipients', { ...account, name: 'Ana', validationId: '\0' }],
      ['/payout-batches', { name: 'a\0', payouts: [tef] }],
      ['/payout-batches', { name: 'a', payouts: [{ ...tef, url: 'https://shop.example.cl/\0' }] }],
      ['/bank-statements', { ...file, fileName: '\0' }],
      ['/bank-statements', { ...file, paymentServiceId: '\0' }],
    ];
    for (const [path, json] of bodies)
      assert.equal(
        jsonOf(await server.post(path, { headers, json }))['code'],
        'INVALID_ENCODING',
        JSON.stringify(json),
      );

    const upload = async (name: string) => {
      const form = new FormData();
      form.set('file', new File(['RUT;Banco;Cuenta;Nombre;Monto\n12.531.909-2;012;12531909;Ana;1000'], 'a.csv'));
      form.set('of', String(of));
      form.set('name', name);
      form.set('confirm', '1');
      const sent = new Response(form);
      const type = { 'content-type': sent.headers.get('content-type') ?? '', 'sec-fetch-site': 'same-origin' };
      return (
        await server.post('/console/payouts/upload', { headers: { ...console, ...type }, body: await sent.text() })
      ).status;
    };
    assert.deepEqual([await upload('a\0'), await upload('a')], [400, 303]);
  });

  test('an id that is too long is answered 404', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    for (const path of ['/pay/', '/console/invitation/', '/trxs/', '/errors/'])
      assert.equal((await server.get(path + 'x'.repeat(201))).status, 404, path);
  });
});
