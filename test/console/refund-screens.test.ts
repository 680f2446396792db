import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carryOutRefunds } from '../../src/refunds/carry-out-refunds.ts';
import { valueOf } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { FORM } from '../support/form-headers.ts';
import { createTestApp } from '../support/test-app.ts';
import { payOut } from '../support/test-movements.ts';
import { openRefundDesk } from '../support/test-refund-requests.ts';
import { acceptedRefund, refundsOf } from '../support/test-refunds.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('a refund at the console', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openRefundDesk(app);
    const server = await startTestServer(app);
    const headers = { 'accept-language': 'es', ...desk.users.asker.console };
    const at = `/console/payments/${desk.paid.id}`;
    const get = (path: string) => server.get(`${at}${path}`, headers);
    const post = (fields: Record<string, string>) =>
      server.post(`${at}/refund`, { headers: { ...FORM, ...headers }, body: String(new URLSearchParams(fields)) });
    /** Sends the form of the payment's page. Returns its confirmation, or the refusal. */
    const ask = async (amount: number | string) => {
      const answer = await post({ amount: String(amount), reason: 'roto' });
      return answer.status === 303 ? server.get(answer.headers.get('location') ?? '', headers) : answer;
    };
    return { app, environment: desk.environment, paid: desk.paid, server, at, get, post, ask };
  };

  test('cannot exceed what earlier refunds leave', async () => {
    const { app, paid, server, get, ask } = await open();
    await using _server = server;
    await acceptedRefund(app, paid, 90_000);
    assert.match((await get('')).text, /Queda por devolver \$60\.000 CLP/);
    const more = await ask(60_001);
    assert.deepEqual([more.status, /sin puntos, de 1 a 60000\./.test(more.text)], [400, true]);
    await acceptedRefund(app, paid, 60_000);
    assert.match((await get('')).text, /No queda nada por devolver/);
  });

  test('marks the field at fault in its refused form, and no field in a fresh one', async () => {
    const { server, get, post, ask } = await open();
    await using _server = server;
    assert.doesNotMatch((await get('')).text, /aria-invalid|refused-/);
    assertMarked((await ask('abc')).text, 'amount');
    const { text } = await post({ amount: '1000', reason: 'lo dijo ana@example.cl' });
    assertMarked(text, 'reason');
    assert.match(text, /aria-describedby="refused-reason-why reason-hint"/);
  });

  test('takes a tab that was pasted with an amount or a reason for a space', async () => {
    const { server, get, post } = await open();
    await using _server = server;
    const { headers } = await post({ amount: '1000\t', reason: 'llegó\troto', key: 'one' });
    const done = /\?done=refund&refund=0rf_[0-9a-z]{20}$/.exec(headers.get('location') ?? '')?.[0] ?? '';
    const page = (await get(done)).text;
    assert.match(page, /llegó roto/);
    assert.match(page, /La devolución de \$1\.000 CLP está en proceso/);
    for (const made of ['', '&amount=%249.000+CLP', '&refund=0rf_00000000000000000000'])
      assert.doesNotMatch((await get(`?done=refund${made}`)).text, /La devolución de [^<]* está en proceso/, made);
  });

  test('starts with all that is left, or with what the person may still refund today if that is less', async () => {
    const { server, get, post } = await open();
    await using _server = server;
    const shown = async () => / name="amount"[^>]* value="(\d+)"/.exec((await get('')).text)?.[1];
    assert.equal(await shown(), '100000');
    assert.equal((await post({ amount: '80000', reason: 'roto', key: 'one' })).status, 303);
    assert.equal(await shown(), '20000');
    assert.equal((await post({ amount: '20000', reason: 'roto', key: 'two' })).status, 303);
    assert.equal(await shown(), '50000', 'nothing is left today, and the form is for a request');
  });

  test('that the money of the merchant does not cover is refused in place of its confirmation', async () => {
    const { app, environment, server, post, ask } = await open();
    await using _server = server;
    await payOut(app, environment, 140_000);
    const asked = await ask(10_001);
    assert.equal(asked.status, 409);
    assert.match(asked.text, /role="alert">No se puede devolver: El dinero del comercio no alcanza/);
    assert.doesNotMatch(asked.text, /name="key"|quedan -/);
    assert.match(asked.text, / name="reason"[^>]* value="roto"/, 'the form keeps what was typed');
    const covered = await ask(10_000);
    assert.match(covered.text, /Al comercio le quedan \$0 CLP/);
    const key = valueOf(covered.text, 'key') ?? '';
    assert.equal((await post({ amount: '10000', reason: 'roto', key, equal: '' })).status, 303);
  });

  test('warns before it is confirmed that an equal one was asked for', async () => {
    const { app, paid, server, ask } = await open();
    await using _server = server;
    const asked = async (amount: number) => (await ask(amount)).text;
    await acceptedRefund(app, paid, 5001);
    await carryOutRefunds(app, 10);
    assert.doesNotMatch(await asked(5001), /devolución igual/, 'a failed one gave nothing back');
    assert.doesNotMatch(await asked(9000), /devolución igual/);
    await acceptedRefund(app, paid, 9000);
    assert.match(await asked(9000), /Ya hay una devolución igual de este pago: la pidió .+, hace menos de 1 min\./);
    assert.doesNotMatch(await asked(9001), /devolución igual/);
  });

  test('asks again when another person made an equal one while its confirmation was open', async () => {
    const { app, paid, server, post, ask } = await open();
    await using _server = server;
    const wish = { amount: '9000', reason: 'roto' };
    const confirmed = async (text: string) => {
      const [key, equal] = ['key', 'equal'].map((name) => valueOf(text, name)) as [string, string];
      return { ...wish, key, equal };
    };
    const first = await confirmed((await ask(9000)).text);
    await acceptedRefund(app, paid, 9000);
    const asked = await post(first);
    assert.deepEqual([asked.status, /devolución igual/.test(asked.text)], [200, true]);
    assert.deepEqual(await refundsOf(app, paid), [['processing', 9000]]);
    const second = await confirmed(asked.text);
    for (const _ of ['click', 'double click']) assert.equal((await post(second)).status, 303);
    assert.equal((await refundsOf(app, paid)).length, 2, 'a person who saw it decides');
  });

  test('leads to the page of the payment when the person typed nothing, as from a link of somebody else', async () => {
    const { at, server, get } = await open();
    await using _server = server;
    for (const path of ['/refund', '/refund?amount=9000&reason=from+a+link'])
      assert.equal((await get(path)).headers.get('location'), at, path);
  });

  test('is in the answer for the shop from its request on', async () => {
    const { app, server, get, post } = await open();
    await using _server = server;
    assert.equal((await post({ amount: '80000', reason: 'roto', key: 'one' })).status, 303);
    const answer = async () => /<pre>[^<]+/.exec((await get('')).text)?.[0] ?? '';
    assert.match(await answer(), /Devolución en proceso: \$80\.000 CLP\./);
    await carryOutRefunds(app, 10);
    assert.match(
      await answer(),
      /Devuelto: \$80\.000 CLP\.\nDevolución del 20.*: \$80\.000 CLP, código de autorización \d+\./,
    );
    assert.doesNotMatch(await answer(), /en proceso/);
  });

  test('is called failed on the page of its payment, when its method declines it', async () => {
    const { app, paid, server, get } = await open();
    await using _server = server;
    await acceptedRefund(app, paid, 5001);
    await carryOutRefunds(app, 10);
    assert.deepEqual(await refundsOf(app, paid), [['failed', 5001]]);
    const { text } = await get('');
    assert.match(text, /<strong>Devolución fallida<\/strong>/);
    assert.doesNotMatch(text, /Devolución rechazada/);
    assert.match(text, /Respuesta para el comercio[\s\S]*\nDevolución fallida, 20[^\n]*: \$5\.001 CLP\./);
    const own = await createTestUser(app, { role: 'merchant', may: [] });
    const page = await server.get(`/console/payments/${paid.id}`, { ...own.console, 'accept-language': 'es' });
    assert.match(page.text, /<h2>En pocas palabras<\/h2>/);
    assert.doesNotMatch(page.text, /Copia este texto/, 'the people of a merchant have nobody to send it to');
  });

  test('is made once when its button is pressed again, without an error', async () => {
    const { app, paid, server, at, post } = await open();
    await using _server = server;
    for (let click = 0; click < 2; click++) {
      const made = await post({ amount: '80000', reason: 'roto', key: 'one' });
      assert.match(made.headers.get('location') ?? made.text, new RegExp(`^${at}\\?done=refund`));
      await carryOutRefunds(app, 10);
    }
    const other = await post({ amount: '80000', reason: 'roto', key: 'two' });
    assert.deepEqual([other.status, /No se puede devolver/.test(other.text)], [409, true], other.text);
    assert.deepEqual(await refundsOf(app, paid), [['completed', 80_000]]);
  });
});
