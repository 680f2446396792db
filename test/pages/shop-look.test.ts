import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { cancelTransaction } from '../../src/checkout/cancel-transaction.ts';
import { settlePayment } from '../../src/checkout/settle-payment.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { simulatedMethod, simulatedTransfer } from '../../src/payment-methods/simulated-method.ts';
import { findLogo, type LookChanges, readLook, setLook } from '../../src/payment-services/set-look.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { payToken, type TransactionInput } from '../../src/transactions/transaction.ts';
import { selectTransaction } from '../../src/transactions/transaction-queries.ts';
import { approved, readAttempt } from '../checkout/checkout-case.ts';
import { forEachEngine } from '../support/engines.ts';
import { pngOf } from '../support/make-image.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { acceptedRefund } from '../support/test-refunds.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';

const LOOK: LookChanges = {
  colour: '#1f6f4a',
  site: 'https://www.casaverde.example.cl/',
  contact: 'ayuda@casaverde.example.cl',
  legalName: 'Casa Verde SpA',
  rut: '76111222-8',
  terms: 'https://casaverde.example.cl/terminos',
  logo: { image: { type: 'image/png', width: 88, height: 44 }, bytes: pngOf(88, 44) },
};
const LOGO = createHash('sha256').update(pngOf(88, 44)).digest('hex');
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

forEachEngine('the page of a shop', (openTestDatabase) => {
  const open = async (changes: Partial<TransactionInput> = {}, look: LookChanges | null = LOOK) => {
    const answers = { status: 200 };
    const base = createTestApp(await openTestDatabase(), {
      paymentMethods: [simulatedMethod, simulatedTransfer],
      fetch: async () => ({ kind: 'answered', status: answers.status, retryAfter: null, excerpt: '', durationMs: 1 }),
    });
    const app = { ...base, config: { ...base.config, operatorName: 'Pagos del Sur' } };
    const environment = await createTestEnvironment(app);
    if (look !== null) await setLook(app, environment.paymentServiceId, look, TESTER);
    const transaction = await createTestTransaction(app, environment, changes);
    const server = await startTestServer(app);
    const path = `/pay/${payToken(transaction)}`;
    const pay = (method = 'simulated') => server.post(path, { headers: FORM, body: `method=${method}` });
    const read = async () => (await server.get(path)).text;
    const end = () => server[Symbol.asyncDispose]();
    return { app, answers, environment, transaction, server, path, pay, read, [Symbol.asyncDispose]: end };
  };

  test('shows the shop’s logo, colour, site, contact, legal name, RUT and terms, and the operator of the service', async () => {
    await using shop = await open();
    const text = await shop.read();
    for (const part of [
      `<img src="/looks/${LOGO}" alt="" width="88" height="44">`,
      '<link rel="stylesheet" href="/looks/1f6f4a.css">',
      '<a href="https://www.casaverde.example.cl/" rel="noreferrer">casaverde.example.cl</a>',
      'Casa Verde SpA, 76.111.222-8',
      '<a href="mailto:ayuda@casaverde.example.cl">',
      '<a href="https://casaverde.example.cl/terminos" rel="noreferrer">Términos de venta</a>',
      'Pago procesado por Pagos del Sur <small>con Rúbrica</small>',
    ]) {
      assert.ok(text.includes(part), `the page has ${part}`);
    }
  });

  test('has the shop’s initials without a logo, and no look that is not set', async () => {
    await using shop = await open({}, null);
    const text = await shop.read();
    assert.match(text, /<span class="initials" aria-hidden="true">TS<\/span>/);
    assert.doesNotMatch(text, /looks\//);
  });

  test('lists the methods as equal rows with an image, a description and a verb, and preselects none', async () => {
    await using shop = await open();
    const text = await shop.read();
    const rows = [
      ...text.matchAll(
        /<button name="method" value="([\w-]+)">\s*<img [^>]+>\s*<span class="what"><strong>([^<]+)<\/strong><small>([^<]+)<\/small><\/span>\s*<span class="verb">([^<]+)</g,
      ),
    ];
    assert.deepEqual(
      rows.map(([, ...parts]) => parts),
      [
        ['simulated', 'Simulador', 'Una tarjeta de prueba', 'Pagar'],
        ['simulated-transfer', 'Transferencia simulada', 'Desde un banco de prueba', 'Pagar'],
      ],
    );
    assert.doesNotMatch(text, /class="primary"/);
  });

  test('names the shop’s contact to a payer whose payment is under review', async () => {
    await using shop = await open({ amount: 5011 });
    await shop.pay();
    await cancelTransaction(shop.app, shop.transaction);
    await settlePayment(shop.app, await readAttempt(shop.app), approved);
    assert.match(await shop.read(), /No pagues otra vez: consulta a ayuda@casaverde\.example\.cl con el número/);
  });

  test('lets the payer pay by another method what the first one declined', async () => {
    await using shop = await open({ amount: 5011 });
    await shop.pay();
    assert.match(
      await shop.read(),
      /No hay saldo o cupo suficiente en la tarjeta terminada en 6623\. No se cobró nada\. Puedes intentarlo otra vez o pagar de otra manera\./,
    );
    await shop.pay('simulated-transfer');
    assert.match(await shop.read(), /<h1>Pago aprobado<\/h1>/);
  });

  const line = (name: string, quantity: number, price: number | string) => ({ name, quantity, price });
  for (const [name, products, items] of [
    [
      'prices that add up',
      [line('Maceta', 2, 5000), line('Despacho', 1, '2990')],
      '<li><span>Maceta × 2</span><span>$10.000</span></li><li><span>Despacho</span><span>$2.990</span></li>',
    ],
    ['prices that do not add up', [line('Maceta', 2, 1)], '<li><span>Maceta × 2</span></li>'],
    [
      'Spanish member names',
      [{ nombre: 'Té', cantidad: 1, precio: 12990 }],
      '<li><span>Té</span><span>$12.990</span></li>',
    ],
    ['a script', [{ name: '<script>' }], '<li><span>&lt;script&gt;</span></li>'],
    ['unusable products', [1, 'b', null, []], null],
    ['a product that cannot be read', [line('Maceta', 2, 5000), 'Despacho'], null],
    ['another type', { name: 'x' }, null],
  ] as const) {
    test(`shows the order from x_products with ${name}`, async () => {
      await using shop = await open({ unsignedFields: JSON.stringify({ x_products: products }) });
      assert.equal(/<ul class="lines">(.*)<\/ul>/.exec(await shop.read())?.[1] ?? null, items);
    });
  }

  test('serves its own files, cached forever, and nothing in them can run', async () => {
    await using shop = await open();
    const logo = await shop.server.get(`/looks/${LOGO}`);
    assert.deepEqual(await findLogo(shop.app, LOGO), { type: 'image/png', bytes: pngOf(88, 44) });
    assert.equal(logo.headers.get('content-length'), String(pngOf(88, 44).length));
    const style = await shop.server.get('/looks/1f6f4a.css');
    assert.match(style.text, /--accent:#1f6f4a;/);
    for (const [{ headers }, type] of [
      [logo, 'image/png'],
      [style, 'text/css; charset=utf-8'],
    ] as const) {
      assert.equal(headers.get('content-type'), type);
      assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox");
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.match(headers.get('cache-control') ?? '', /immutable/);
    }
    for (const name of ['0'.repeat(64), 'ffcc00.css', 'xyz', '1f6f4a', `${LOGO}.png`]) {
      assert.equal((await shop.server.get(`/looks/${name}`)).status, 404, name);
    }
  });

  test('keeps settings that a change leaves out, and removes one with an empty value', async () => {
    await using shop = await open();
    const id = shop.environment.paymentServiceId;
    await setLook(shop.app, id, { colour: '#2a3f9d', logo: null }, TESTER);
    const look = await readLook(shop.app.db, id);
    assert.deepEqual([look.colour, look.logo, look.legalName], ['#2a3f9d', null, 'Casa Verde SpA']);
    assert.equal(await setLook(shop.app, 'ps_none', { colour: '#2a3f9d' }, TESTER), null);
  });

  test('weighs less than 15 kB with all assets except the logo', async () => {
    await using shop = await open({ amount: 5011 });
    await shop.pay();
    const text = await shop.read();
    const files = [...text.matchAll(/(?:src|href)="(\/(?:assets|looks)\/[^"]+)"/g)].map(([, file]) => file as string);
    let bytes = Buffer.byteLength(text);
    for (const file of new Set(files)) {
      if (!file.includes(LOGO)) bytes += Buffer.byteLength((await shop.server.get(file)).text);
    }
    assert.ok(bytes < 15_000, `${bytes} bytes`);
  });

  test('shows the result for nine seconds with a countdown and a way to stay', async () => {
    await using shop = await open();
    await shop.pay();
    const text = await shop.read();
    assert.match(text, /data-submit-after="9000"/);
    assert.match(text, /<p class="quiet leaving" hidden>Vuelves a Test shop en <output aria-live="off"><\/output> s\./);
    assert.match(text, /<button type="button" class="plain">Quedarme aquí<\/button>/);
    shop.app.now.advance(11 * 60_000);
    const receipt = await shop.read();
    assert.doesNotMatch(receipt, /data-submit-after/);
    assert.match(receipt, /Este enlace es tu comprobante/);
    assert.match(receipt, /<dt>Código de autorización<\/dt>/);
  });

  test('announces the last try before it', async () => {
    await using shop = await open({ amount: 5010 });
    for (let attempt = 1; attempt < 5; attempt++) {
      await shop.pay();
      assert.equal(/Te queda un intento/.test(await shop.read()), attempt === 4, `after decline ${attempt}`);
    }
  });

  test('sends nobody away after the last decline', async () => {
    await using shop = await open({ amount: 5010 });
    for (let attempt = 0; attempt < 5; attempt++) await shop.pay();
    const text = await shop.read();
    assert.match(text, /<h1>Pago rechazado<\/h1>/);
    assert.doesNotMatch(text, /data-submit-after|Vuelves a/);
    assert.match(text, /<button class="primary">Volver a la tienda<\/button>/);
  });

  test('says that the shop is down also after its callback was given up', async () => {
    await using shop = await open();
    await shop.pay();
    shop.answers.status = 503;
    for (let attempt = 0; attempt < 10; attempt++) {
      const delivery = createCallbackDelivery(shop.app);
      await delivery.poll();
      await delivery.drain();
      shop.app.now.advance(30 * 3_600_000);
    }
    const [callback] = await shop.app.db.query('select state from callbacks');
    assert.equal(callback?.['state'], 'dead');
    assert.match(await shop.read(), /La tienda no responde por ahora/);
  });

  for (const [status, silent] of [
    [503, true],
    [500, false],
    [400, false],
    [200, false],
  ] as const) {
    const says = silent
      ? 'says that the shop is down and the payment done, and stays'
      : 'does not mention it, and returns to the shop';
    test(`when callbacks are answered ${status} ${says}`, async () => {
      await using shop = await open();
      await shop.pay();
      shop.answers.status = status;
      for (let attempt = 0; attempt < 3; attempt++) {
        const delivery = createCallbackDelivery(shop.app);
        await delivery.poll();
        await delivery.drain();
        const text = await shop.read();
        assert.match(text, /<h1>Pago aprobado<\/h1>/);
        assert.equal(/La tienda no responde por ahora\. Tu pago está hecho/.test(text), silent);
        assert.equal(/data-submit-after/.test(text), !silent);
        if (!silent)
          assert.match(text, /tu pago está hecho, y se lo avisamos a/, 'the page says that the payment is done');
        shop.app.now.advance(200_000);
      }
    });
  }

  for (const [refunded, title] of [
    [2990, 'Pago devuelto en parte'],
    [12_990, 'Pago devuelto'],
  ] as const) {
    test(`shows "${title}" after a refund of ${refunded} of 12990`, async () => {
      await using shop = await open();
      await shop.pay();
      const paid = await selectTransaction(shop.app.db, shop.transaction);
      assert.ok(paid !== null);
      await acceptedRefund(shop.app, paid, refunded);
      await carryOutRefunds(shop.app, 10);
      const text = await shop.read();
      assert.ok(text.includes(`<h1>${title}</h1>`));
      assert.match(text, /Se devolvieron \$[\d.]+ de \$12\.990/);
      assert.doesNotMatch(text, /data-submit-after/);
    });
  }
});
