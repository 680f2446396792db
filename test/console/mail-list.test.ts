import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../src/audit/list-audit.ts';
import { deliverMails } from '../../src/mail/deliver-mails.ts';
import { listMails } from '../../src/mail/manage-mails.ts';
import { valueOf } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { FORM } from '../support/form-headers.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

const DAY_MS = 86_400_000;

forEachEngine('receipts by mail in the console', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase(), {
      mailer: { send: async () => ({ kind: 'refused', reason: '550 no such mailbox' }) },
    });
    const environment = await createTestEnvironment(app);
    await createPaidTransaction(app, environment, { customerEmail: 'buyer@example.cl' });
    const write = async () => ({ from: '', to: '', subject: '', text: '', html: '' }) as never;
    await deliverMails(app, write);
    app.now.advance(DAY_MS);
    const server = await startTestServer(app);
    const owner = await createTestUser(app, { role: 'owner', may: [], email: 'olga@example.cl' });
    const mails = async () => (await listMails(app, null, 10, new Set())).map(({ id, state }) => ({ id, state }));
    const post = (fields: Record<string, string>, user: TestUser = owner, headers: Record<string, string> = FORM) =>
      server.post('/console/mails', {
        headers: { ...user.console, ...headers },
        body: String(new URLSearchParams(fields)),
      });
    const [mail] = await mails();
    const shown = { id: mail?.id ?? '', state: 'dead', attempts: '1' };
    return { app, environment, server, owner, mails, post, shown };
  };

  test('are listed with their failure, and resent or ended once', async () => {
    const { app, server, owner, mails, post, shown } = await open();
    await using _server = server;
    const waits = await server.get('/console/attention?kind=mail', owner.console);
    assert.match(waits.text, /<a href="\/console\/mails\?sort=since">Ver y enviar otra vez<\/a>/);
    assert.match(waits.text, /<a href="\/console\/mails\?sort=since"><span class="badge/, 'the kind leads there too');
    const { text } = await server.get('/console/mails', owner.console);
    for (const part of [/b…@example\.cl/, /550 no such mailbox/, />abandonado</, /hace 24 h/]) assert.match(text, part);
    const [asks = ''] = /<details>.*?<\/details>/s.exec(text) ?? [];
    assert.match(asks, /no se le envía a quien pagó[^]*value="end"/, 'the end asks first');
    assert.ok(!asks.includes('value="resend"'));
    const csv = await server.get('/console/mails?format=csv', owner.console);
    for (const said of [text, csv.text]) assert.doesNotMatch(said, /buyer@/);
    for (const [name, value] of Object.entries(shown))
      assert.ok(text.includes(`<input type="hidden" name="${name}" value="${value}">`), name);
    const done = await post({ ...shown, act: 'resend' });
    assert.equal(done.headers.get('location'), '/console/mails?done=resent');
    assert.deepEqual(await mails(), [{ id: shown.id, state: 'queued' }]);
    const [act] = (await listAudit(app, { action: 'mail.resent' }, 10)).acts;
    assert.deepEqual([act?.who.name, act?.subject.id], ['olga@example.cl', shown.id]);
    // After a second click, or from an older page, the payer does not get the mail twice.
    for (const again of ['resend', 'end']) {
      const stale = await post({ ...shown, act: again, kept: 'state=queued' });
      assert.equal(stale.headers.get('location'), '/console/mails?state=queued&done=changed');
      const list = await server.get('/console/mails?state=queued&done=changed', owner.console);
      assert.match(list.text, /role="alert">Ese comprobante cambió mientras tanto/);
    }
    assert.equal((await listAudit(app, { action: 'mail' }, 10)).acts.length, 1);
    const filtered = (await server.get('/console/mails?state=queued&sort=-since&done=resent', owner.console)).text;
    const kept = valueOf(filtered, 'kept').replaceAll('&amp;', '&');
    const ended = await post({ ...shown, state: 'queued', attempts: '0', act: 'end', kept });
    assert.equal(ended.headers.get('location'), '/console/mails?state=queued&sort=-since&done=ended');
    assert.deepEqual(await mails(), []);
  });

  test('that have waited longest lead to a list that has them, behind any number of newer ones', async () => {
    const { app, environment, server, owner, shown } = await open();
    await using _server = server;
    await app.db.transaction((tx) =>
      tx.query(
        `insert into mails (id, environment_id, transaction_id, address, language, asked_by_payer, state, attempts,
           created_at, next_attempt_at)
         with recursive n (i) as (select 1 union all select i + 1 from n where i < 501)
         select 'mail_' || i, cast($1 as int), 1001, 'buyer@example.cl', 'es', 0, 'queued', 0, $2, $2 from n`,
        [environment.id, app.now()],
      ),
    );
    const waits = (await server.get('/console/attention?kind=mail', owner.console)).text;
    const [, oldest = ''] = /<a href="([^"]*mails[?][^"]*)">/.exec(waits) ?? [];
    assert.match((await server.get(oldest, owner.console)).text, new RegExp(`value="${shown.id}"`));
    const newest = (await server.get('/console/mails', owner.console)).text;
    assert.doesNotMatch(newest, new RegExp(`value="${shown.id}"`));
    assert.match(newest, /Hay más: solo se leyeron los primeros 500\./);
    const csv = (await server.get(`${oldest}&format=csv`, owner.console)).text;
    assert.ok(csv.split('\r\n')[1]?.startsWith(shown.id));
  });

  test('are not changed without the permission, from another site or by a forged form', async () => {
    const { app, environment, server, owner, mails, post, shown } = await open();
    await using _server = server;
    const wish = { ...shown, act: 'resend' };
    for (const role of ['finance', 'auditor', 'approver'] as const)
      assert.equal((await post(wish, await createTestUser(app, { role, may: [] }))).status, 403, role);
    const auditor = await createTestUser(app, { role: 'auditor', may: [] });
    assert.doesNotMatch((await server.get('/console/mails', auditor.console)).text, /value="resend"/);
    const own = { role: 'merchant', may: [], paymentServices: [environment.paymentServiceId] } as const;
    const merchant = await createTestUser(app, own);
    assert.equal((await post(wish, merchant)).status, 404);
    assert.equal((await server.get('/console/mails', merchant.console)).status, 404);
    assert.equal((await post(wish, owner, { ...FORM, 'sec-fetch-site': 'cross-site' })).status, 403);
    assert.equal((await post({ ...wish, id: 'mail_gone' })).status, 404);
    for (const wrong of [{ act: 'constructor' }, { state: 'sent' }, { attempts: '-1' }, { attempts: '' }])
      assert.equal((await post({ ...wish, ...wrong })).status, 400);
    assert.deepEqual(await mails(), [{ id: shown.id, state: 'dead' }]);
    assert.deepEqual((await listAudit(app, { action: 'mail' }, 10)).acts, []);
  });
});
