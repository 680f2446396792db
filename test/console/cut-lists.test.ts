import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { EXPORTED } from '../../src/console/console-list.ts';
import { keepSettlement } from '../../src/movements/keep-settlement.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { approved, openPayoutDesk, wish } from '../support/test-payouts.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment, createTestTransaction } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

const SCOPE = { environment: 'development', paymentServiceId: null, method: 'simulated' } as const;

forEachEngine('lists of the console beyond their limit', (openTestDatabase) => {
  test('say at the end of a file that there are more rows', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const user = await createTestUser(app, { role: 'owner', may: [] });
    const fill = (first: number, last: number) =>
      app.db.transaction((tx) =>
        tx.query(
          `insert into audit_log (link, created_at, actor_kind, actor, action, subject_kind, subject, hash)
           with recursive n (i) as (select cast($1 as bigint) union all select i + 1 from n where i < $2)
           select i, i, 'command line', 'filled', 'user.filled', 'user', 'x', 'x' from n`,
          [1_000_000 + first, 1_000_000 + last],
        ),
      );
    const fileOf = async () =>
      (await server.get('/console/audit?who=filled&format=csv', user.console)).text.trimEnd().split('\r\n');
    await fill(1, EXPORTED);
    const whole = await fileOf();
    assert.equal(whole.length, 1 + EXPORTED);
    await fill(EXPORTED + 1, EXPORTED + 1);
    const cut = await fileOf();
    assert.equal(cut.length, 1 + EXPORTED + 1);
    assert.match(cut.at(-1) ?? '', /^"?Hay más: solo se leyeron los primeros 10\D?000\."?$/);
    assert.doesNotMatch(whole.join(), /Hay más/);
  });

  test('say that a search found more payments than are shown; its file has more than its page', async () => {
    const app = createTestApp(await openTestDatabase());
    const shop = await createTestEnvironment(app);
    await using server = await startTestServer(app);
    const user = await createTestUser(app, { role: 'owner', may: [] });
    const get = async (format: string) =>
      (await server.get(`/console/payments?q=buyer@example.cl&format=${format}`, user.console)).text;
    for (let n = 1; n <= 51; n++) {
      await createTestTransaction(app, shop, { reference: `N-${n}` });
      if (n === 50) assert.doesNotMatch(await get(''), /Hay más/);
    }
    assert.match(await get(''), /Hay más: solo se leyeron los primeros 50\./);
    const file = await get('csv');
    assert.equal(file.trimEnd().split('\r\n').length, 1 + 51);
    assert.doesNotMatch(file, /Hay más/);
  });

  test('are exported whole from each of their pages', async () => {
    const app = createTestApp(await openTestDatabase());
    const shop = await createTestEnvironment(app);
    await using server = await startTestServer(app);
    const user = await createTestUser(app, { role: 'owner', may: [] });
    for (let n = 1; n <= 51; n++) await createTestTransaction(app, shop, { reference: `N-${n}` });
    await app.db.transaction((tx) =>
      tx.query(
        `insert into audit_log (link, created_at, actor_kind, actor, action, subject_kind, subject, hash)
         with recursive n (i) as (select 1 union all select i + 1 from n where i < 101)
         select i + 1000000, i, 'command line', 'filled', 'user.filled', 'user', 'x', 'x' from n`,
      ),
    );
    const linkIn = (page: string, pattern: RegExp) => (pattern.exec(page)?.[1] ?? '').replaceAll('&amp;', '&');
    for (const [path, rows] of [
      ['/console/payments?state=pending', 51],
      ['/console/audit?who=filled', 101],
    ] as const) {
      const first = (await server.get(path, user.console)).text;
      const second = (await server.get(linkIn(first, /href="([^"]*(?:after|before)=[^"]*)"/), user.console)).text;
      const file = await server.get(linkIn(second, /href="([^"]*format=csv[^"]*)"/), user.console);
      assert.equal(file.text.trimEnd().split('\r\n').length, 1 + rows, path);
    }
  });

  test('say that there are more failing endpoints or batches', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createTestEnvironment(app);
    await using server = await startTestServer(app);
    const user = await createTestUser(app, { role: 'owner', may: [] });
    await app.db.transaction(async (tx) => {
      const numbers = 'with recursive n (i) as (select 1 union all select i + 1 from n where i <';
      await tx.query(
        `insert into endpoints (environment_id, address, disabled_at)
         ${numbers} 501) select e.id, 'https://shop.example.cl/' || i, 1000 + i from environments e, n where e.id = $1`,
        [id],
      );
      await tx.query(
        `insert into payout_batches (id, environment_id, name, created_at, proposed_by, proposed_by_id)
         ${numbers} 201) select 'pb_' || i, e.id, 'x', 1000 + i, 'x', 'x' from environments e, n where e.id = $1`,
        [id],
      );
    });
    for (const [path, shown] of [
      ['/callbacks', 500],
      ['/batches', 200],
    ] as const) {
      for (const format of ['', 'csv']) {
        const { text } = await server.get(`/console${path}?format=${format}`, user.console);
        assert.ok(text.includes(`Hay más: solo se leyeron los primeros ${shown}.`), `${path} ${format}`);
      }
    }
  });

  test('find settlements with open differences that are older than the newest hundred', async () => {
    const app = createTestApp(await openTestDatabase());
    await createTestEnvironment(app);
    await using server = await startTestServer(app);
    const user = await createTestUser(app, { role: 'finance', may: [] });
    const keep = async (name: string, text: string) => {
      const settlement = await readSettlement(Readable.from([Buffer.from(`fecha;orden de compra;monto\n${text}`)]));
      return keepSettlement(app, SCOPE, settlement, { evidence: { name, sha256: name.padStart(64, '0') }, by: TESTER });
    };
    const kept = await keep('oldest.csv', '2026-01-15;999999;7000\n');
    assert.equal(kept.kind === 'kept' && kept.open, 1);
    await app.db.transaction((tx) =>
      tx.query(
        `insert into settlements (id, environment, payment_service_id, payment_method, file_name, file_sha256, first_day, last_day,
           kept_at, kept_by, matched, totals)
         with recursive n (i) as (select 1 union all select i + 1 from n where i < 100)
         select 'sf_' || i, environment, payment_service_id, payment_method, 'day.csv', 'sha' || i, first_day, last_day,
           kept_at + i, kept_by, 0, '[]' from settlements, n`,
      ),
    );
    const all = (await server.get('/console/settlements', user.console)).text;
    assert.ok(!all.includes('oldest.csv') && all.includes('Hay más: solo se leyeron los primeros 100.'));
    const open = (await server.get('/console/settlements?open=yes', user.console)).text;
    assert.ok(open.includes('oldest.csv') && !open.includes('Hay más') && !open.includes('day.csv'));
  });

  test('find batches, bank files and settlements by a text that only rows older than the first page have', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id } = await createTestEnvironment(app);
    await using server = await startTestServer(app);
    const user = await createTestUser(app, { role: 'owner', may: [] });
    await app.db.transaction(async (tx) => {
      const numbers = 'with recursive n (i) as (select 0 union all select i + 1 from n where i < 201)';
      const name = "case when i = 0 then 'Ñandú SpA' else 'x' end";
      await tx.query(
        `insert into payout_batches (id, environment_id, name, created_at, proposed_by, proposed_by_id)
         ${numbers} select 'pb_' || i, e.id, ${name}, 1000 + i, 'x', 'x' from environments e, n where e.id = $1`,
        [id],
      );
      await tx.query(
        `insert into payout_files (id, environment_id, format, name, created_at, made_by, payouts, total, sha256, sealed_content)
         ${numbers} select 'pf_' || i, e.id, 'santander', ${name}, 1000 + i, 'x', 1, 1, 'x', 'x' from environments e, n where e.id = $1`,
        [id],
      );
      await tx.query(
        `insert into settlements (id, environment, payment_method, file_name, file_sha256, first_day, last_day, kept_at, kept_by, matched, totals)
         ${numbers} select 'sf_' || i, 'development', 'simulated', ${name}, 'sha' || i, '2026-01-15', '2026-01-15', 1000 + i, 'x', 0, '[]' from n`,
      );
    });
    for (const path of ['/batches', '/payout-files', '/settlements']) {
      assert.doesNotMatch((await server.get(`/console${path}`, user.console)).text, /Ñandú/, path);
      const found = (await server.get(`/console${path}?text=%C3%B1and%C3%BA`, user.console)).text;
      assert.ok(found.includes('Ñandú SpA') && !found.includes('Hay más'), path);
      const many = (await server.get(`/console${path}?text=x`, user.console)).text;
      assert.match(many, /Hay más: solo se leyeron los primeros [12]00\./, path);
    }
  });

  test('find failing endpoints and payment links by a text that only rows after the first page have', async () => {
    const app = createTestApp(await openTestDatabase());
    const { id, paymentServiceId } = await createTestEnvironment(app);
    await using server = await startTestServer(app);
    const user = await createTestUser(app, { role: 'owner', may: [] });
    await app.db.transaction(async (tx) => {
      const numbers = 'with recursive n (i) as (select 0 union all select i + 1 from n where i < 1001)';
      await tx.query(
        `insert into endpoints (environment_id, address, disabled_at)
         ${numbers} select e.id, 'https://shop.example.cl/' || case when i = 1001 then 'quilpue' else 'x' || i end, 1000 + i
         from environments e, n where e.id = $1`,
        [id],
      );
      await tx.query(
        `insert into payment_links (id, environment_id, amount, currency, subject, uses, created_at, created_by, opened)
         ${numbers} select 'pl_' || i, e.id, 1, 'CLP', case when i = 0 then 'Quilpue' else 'x' end, 'one', 1000 + i, 'x', 0
         from environments e, n where e.id = $1`,
        [id],
      );
    });
    for (const [path, shown] of [
      ['/callbacks', '500'],
      [`/merchants/${paymentServiceId}/links`, '1000'],
    ] as const) {
      const get = async (text: string) => (await server.get(`/console${path}${text}`, user.console)).text;
      assert.doesNotMatch(await get(''), /quilpue/i, path);
      const found = await get('?text=quilp');
      assert.ok(/quilpue/i.test(found) && !found.includes('Hay más'), path);
      assert.ok((await get('?text=x')).includes(`Hay más: solo se leyeron los primeros ${shown}.`), path);
    }
  });

  test('find batches and bank files by the state of a payout, also those older than the first page', async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const id = desk.environment.id;
    await using server = await startTestServer(app);
    const user = await createTestUser(app, { role: 'owner', may: [] });
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    await approved(app, desk, [wish({ reference: 'FAC-1' })]);
    const filing = { owner: desk.environment, by: desk.maker, format: 'santander', payer, batchId: null };
    const [made] = await makePayoutFiles(app, filing);
    const [batch] = await app.db.query<{ id: string }>('select id from payout_batches');
    const later = app.now() + 1;
    await app.db.transaction(async (tx) => {
      const numbers = 'with recursive n (i) as (select 0 union all select i + 1 from n where i < 201)';
      await tx.query(
        `insert into payout_batches (id, environment_id, name, created_at, proposed_by, proposed_by_id)
         ${numbers} select 'pb_' || i, e.id, 'x', cast($2 as bigint) + i, 'x', 'x' from environments e, n where e.id = $1`,
        [id, later],
      );
      await tx.query(
        `insert into payout_files (id, environment_id, format, name, created_at, made_by, payouts, total, sha256, sealed_content)
         ${numbers} select 'pf_' || i, e.id, 'santander', 'x', cast($2 as bigint) + i, 'x', 1, 1, 'x', 'x' from environments e, n where e.id = $1`,
        [id, later],
      );
    });
    for (const [path, oldest] of [
      ['/batches', batch?.id ?? ''],
      ['/payout-files', made?.file.id ?? ''],
    ] as const) {
      const get = async (query: string) => (await server.get(`/console${path}${query}`, user.console)).text;
      assert.ok(!(await get('')).includes(`${path}/${oldest}"`), path);
      const found = await get('?state=sent');
      assert.ok(found.includes(`${path}/${oldest}"`) && !found.includes('Hay más'), path);
      assert.ok(!(await get('?state=unknown')).includes(`${path}/${oldest}"`), path);
      assert.ok((await get(`?state=sent&text=${oldest}`)).includes(`${path}/${oldest}"`), path);
    }
  });

  test('find statements with or without lines in suspense, or by a text, that are older than the newest two hundred', async () => {
    const app = createTestApp(await openTestDatabase());
    await createTestEnvironment(app);
    await using server = await startTestServer(app);
    const user = await createTestUser(app, { role: 'finance', may: [] });
    await app.db.transaction(async (tx) => {
      await tx.query(
        `insert into bank_statements (id, environment, payment_service_id, account, file_name, file_sha256, imported_at, imported_by,
           first_day, last_day, lines, proof)
         with recursive n (i) as (select 0 union all select i + 1 from n where i < 201)
         select 'bs_' || i, 'development', null, '12345678', case i when 0 then 'oldest.csv' when 1 then 'ended.csv' else 'day.csv' end,
           'x', 1000 + i, 'x', '2026-01-15', '2026-01-15', 1, 'balance' from n`,
      );
      await tx.query(
        `insert into bank_statement_lines (statement_id, number, environment, file_line, day, amount, currency, line_key, used_as, kept_at)
         select id, 1, 'development', 1, '2026-01-15', 1000, 'CLP', id, 'suspense', 1 from bank_statements where file_name <> 'ended.csv'`,
      );
    });
    const get = async (query: string) => (await server.get(`/console/statements${query}`, user.console)).text;
    const isCut = (text: string) => text.includes('Hay más: solo se leyeron los primeros 200.');
    for (const query of ['', '?state=open', '?text=day']) {
      const text = await get(query);
      assert.ok(
        !text.includes('oldest.csv') && !text.includes('ended.csv') && isCut(text) === (query !== '?text=day'),
        query,
      );
    }
    const ended = await get('?state=explained');
    assert.ok(ended.includes('ended.csv') && !ended.includes('day.csv') && !ended.includes('Hay más'));
    for (const query of ['?text=oldest', '?state=open&text=oldest']) {
      const found = await get(query);
      assert.ok(found.includes('oldest.csv') && !found.includes('day.csv') && !found.includes('Hay más'), query);
    }
    await app.db.transaction((tx) =>
      tx.query("update bank_statement_lines set used_as = 'other' where statement_id not in ('bs_0')"),
    );
    const open = await get('?state=open');
    assert.ok(open.includes('oldest.csv') && !open.includes('Hay más') && !open.includes('day.csv'));
  });
});
