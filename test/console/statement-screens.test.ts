import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeAttention } from '../../src/attention/take-attention.ts';
import { ROLES, type Role } from '../../src/auth/permission.ts';
import { dayOf } from '../../src/lib/calendar-day.ts';
import { selectMovements } from '../../src/movements/movement-queries.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { makePayoutFiles } from '../../src/payouts/files/make-payout-files.ts';
import { selectPayoutAnywhere } from '../../src/payouts/payout-queries.ts';
import { settlePayouts } from '../../src/payouts/settling/settle-payouts.ts';
import { verifyStore } from '../../src/proof/verify-store.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { resolveLine } from '../../src/statements/resolve-line.ts';
import { atConsole } from '../support/console-person.ts';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { formHeaders } from '../support/form-headers.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { approved, openPayoutDesk, wish } from '../support/test-payouts.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser, type TestUser } from '../support/test-user.ts';

forEachEngine('the screens of bank statements', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const desk = await openPayoutDesk(app);
    const [payout] = await approved(app, desk, [wish({ reference: 'FAC-100', amount: 15_000 })]);
    const payer = { account: '123456789', rut: '', name: '', agreement: '' };
    const { environment: owner, maker: by } = desk;
    await makePayoutFiles(app, { owner, by, format: 'santander', payer, batchId: null });
    const server = await startTestServer(app);
    const as = (user: TestUser, language = 'en') => {
      const headers = { 'accept-language': language, ...user.console };
      return {
        ...atConsole(server, headers),
        upload: async (fields: Record<string, string>) => {
          const form = new FormData();
          for (const [name, value] of Object.entries(fields)) form.set(name, value);
          const request = new Request('http://localhost', { method: 'POST', body: form });
          const type = request.headers.get('content-type') ?? '';
          return server.post('/console/statements', {
            headers: { 'content-type': type, 'sec-fetch-site': 'same-origin', ...headers },
            body: Buffer.from(await request.arrayBuffer()) as never,
          });
        },
      };
    };
    const day = dayOf(app.now());
    const cartola = (...rows: string[]) =>
      Buffer.from(['Fecha;Descripción;Cargos;Abonos;Saldo', ...rows.map((row) => `${day};${row}`)].join('\n')).toString(
        'base64',
      );
    const sent = (content: string, more: Record<string, string> = {}) => ({
      of: String(desk.environment.id),
      account: '1234-56789',
      file_name: 'cartola.csv',
      content,
      ...more,
    });
    return { app, desk, payout, server, as, cartola, sent };
  };

  const RENT = 'ARRIENDO;5.000;;980.000';
  const LINES = ['TEF 12.531.909-2;15.000;;985.000', RENT, 'ABONO WEBPAY;;20.000;1.000.000'];

  /** Opens an imported statement. */
  const openImported = async (lines = LINES) => {
    const { app, desk, server, as, cartola, sent } = await open();
    const maker = as(desk.users.maker);
    const done = await maker.upload(sent(cartola(...lines), { confirm: 'yes' }));
    const id = /st_\w+/.exec(done.headers.get('location') ?? '')?.[0] ?? '';
    return { app, server, maker, id };
  };

  test('preview a statement, settle payouts once it is confirmed, and let a person explain each line', async () => {
    const { app, desk, payout, server, as, cartola, sent } = await open();
    await using _server = server;
    const maker = as(desk.users.maker);
    const content = cartola(...LINES);
    const preview = await maker.upload(sent(content));
    assert.equal(preview.status, 200);
    for (const said of [
      '3 lines',
      'its balances follow',
      'Test shop · development',
      'Charges $20.000 CLP, credits $20.000 CLP',
      'Import 3 new lines',
    ])
      assert.ok(preview.text.includes(said), said);
    assert.equal((await selectPayoutAnywhere(app.db, payout?.id ?? ''))?.state, 'sent', 'a preview changes nothing');
    const done = await maker.upload(sent(content, { confirm: 'yes' }));
    const path = /^\/console(\/statements\/st_\w+)\?done=imported$/.exec(done.headers.get('location') ?? '')?.[1] ?? '';
    assert.equal((await selectPayoutAnywhere(app.db, payout?.id ?? ''))?.state, 'confirmed');
    const page = await maker.get(path);
    for (const said of ['cartola.csv', '…6789', payout?.id ?? '', 'In suspense', 'of nothing that is known here'])
      assert.ok(page.text.includes(said), said);
    assert.ok(!page.text.includes('ARRIENDO'), 'the text of a line is not stored');
    assert.ok(page.text.includes(`href="/console/payouts/${payout?.id}"`));
    assert.match(page.text, /<span class="whole">2026-01-\d\d<\/span>/, 'a day keeps to one line');
    const merchant = await createTestUser(app, { role: 'merchant', may: [] });
    const theirs = (await server.get(`/console${path}`, merchant.console)).text;
    assert.ok(theirs.includes(String(payout?.id)) && !theirs.includes('href="/console/payouts/'), 'no closed screen');
    assert.match((await as(desk.users.maker, 'es').get(path)).text, /Sin explicar.*no es de nada que se conozca/s);
    const form = await maker.get(`${path}?use=suspense&line=4`);
    assert.match(form.text, /What is line 4\?/);
    assert.match(form.text, /A deposit of Simulator/);
    const explain = (fields: Record<string, string>) => maker.post(`${path}/uses`, { line: '4', ...fields });
    for (const [fields, status, said, field] of [
      [{ is: 'deposit', reason: 'x' }, 400, /Say which one it is/, 'subject'],
      [{ is: 'method simulated', reason: '' }, 400, /Write the reason/, 'reason'],
      [{ is: '', reason: 'x' }, 400, /role="alert">[^\n]*Choose what it is/, 'is'],
      [{ is: 'other', commission: '500', reason: 'x' }, 400, /only of an acquirer/, 'commission'],
      [{ is: 'deposit', subject: 'TRF-1', reason: 'x' }, 404, /no such deposit\. Its id begins with mv_/, 'subject'],
    ] as const) {
      const refused = await explain(fields);
      assert.equal(refused.status, status);
      assert.match(refused.text, said);
      assertMarked(refused.text, field);
    }
    const deposit = { is: 'method simulated', commission: '500', reason: 'abono del 15' };
    const asked = await explain(deposit);
    assert.deepEqual([asked.status, (await selectMovements(app.db, 'deposit', 9)).length], [200, 0]);
    const seen = asked.text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
    for (const said of [
      'Write down line 4,',
      'It is A deposit of Simulator',
      'commission kept: $500 CLP',
      'abono del 15',
    ])
      assert.ok(seen.includes(said), `${said}\n${seen}`);
    assert.match(
      seen,
      /deposit the bank receivable from Simulator \$20\.000 CLP.*Afterwards Simulator still owes/,
      'the entries, and what is left',
    );
    const booked = await explain({ ...deposit, confirm: 'yes' });
    assert.equal(booked.headers.get('location'), `/console${path}?resolved=1`);
    const rest = await maker.post(`${path}/uses`, { is: 'other', reason: 'arriendos', confirm: 'yes' });
    assert.equal(rest.headers.get('location'), `/console${path}?resolved=1`);
    assert.match((await maker.get('/statements')).text, /cartola\.csv/);
    const csv = await maker.get(`${path}?format=csv`);
    assert.match(csv.text, /-15000,CLP,Payout,po_/);
    const link = /<a href="\/console(\/statements\/st_\w+\?use=other&amp;line=(\d+))">Explain it again/.exec(
      (await maker.get(path)).text,
    );
    const mistaken = await maker.get(String(link?.[1]).replace('&amp;', '&'));
    assert.match(mistaken.text, /said that it is of nothing here, with the reason “arriendos”/);
    assert.ok(!mistaken.text.includes('<option value="other"'), 'it is not called unrelated once more');
    const better = { line: String(link?.[2]), use: 'other', is: 'to-merchant' };
    const stale = await maker.post(`${path}/uses`, { ...better, use: 'suspense', reason: 'x' });
    assert.deepEqual([stale.status, stale.text.includes('“arriendos”')], [409, true], 'the form was older');
    const unsaid = await maker.post(`${path}/uses`, { ...better, reason: '' });
    assert.deepEqual([unsaid.status, unsaid.text.includes('“arriendos”')], [400, true]);
    const corrected = await maker.post(`${path}/uses`, {
      ...better,
      reason: 'a costa del comercio',
      confirm: 'yes',
    });
    assert.equal(corrected.headers.get('location'), `/console${path}?resolved=1`);
    assert.ok(!(await maker.get(path)).text.includes('Explain it again'), 'the second decision is final');
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('that repeat a payout are linked from its page, where the money that left once more is booked once', async () => {
    const { app, desk, payout, server, as, cartola, sent } = await open();
    await using _server = server;
    const maker = as(desk.users.maker);
    const at = `/payouts/${payout?.id}`;
    await maker.upload(sent(cartola(...LINES), { confirm: 'yes' }));
    assert.match((await maker.get(at)).text, /\?use=payout&amp;shown=2#line-2">cartola\.csv, line 2<\/a>/);
    const second = sent(cartola('TEF OTRA 12.531.909-2;15.000;;985.000'), { confirm: 'yes', file_name: 'otra.csv' });
    const [id = ''] = /st_\w+/.exec((await maker.upload(second)).headers.get('location') ?? '') ?? [];
    const page = (await maker.get(at)).text;
    const form = `/console/statements/${id}?use=suspense&amp;line=2`;
    assert.ok(page.includes(`<a href="${form}">otra.csv, line 2</a>`), page);
    assert.ok(page.includes(`href="${form}#explain">Explain the second line`), page);
    assert.doesNotMatch(page, /bin\/rubrica/, 'the buttons do what a command would');
    const operator = as(await createTestUser(app, { role: 'finance', may: [] }));
    const waiting = (await operator.get('/attention?kind=payout')).text;
    assert.ok(waiting.includes(`<a href="${form}#explain">Explain`), waiting);
    assert.match((await maker.get(`/statements/${id}?use=suspense&line=2`)).text, /value="to-merchant"/);
    const named = { line: '2', is: 'to-merchant', subject: payout?.id ?? '', reason: 'x' };
    const refused = await maker.post(`/statements/${id}/uses`, named);
    assert.deepEqual([refused.status, /books a new payout/.test(refused.text)], [400, true]);
    assertMarked(refused.text, 'subject');
    const explained = { line: '2', is: 'to-merchant', reason: 'pagado dos veces', confirm: 'yes' };
    const explain = () => maker.post(`/statements/${id}/uses`, explained);
    assert.equal((await explain()).headers.get('location'), `/console/statements/${id}?resolved=1`);
    const [booked, ...more] = await selectMovements(app.db, 'payout', 10);
    assert.deepEqual([booked?.reference, booked?.amount, more], [`${id}/2`, 15_000, []]);
    await explain();
    assert.equal((await selectMovements(app.db, 'payout', 10)).length, 1, 'a second click books nothing more');
    assert.doesNotMatch((await maker.get(at)).text, /Explain the second line/, 'the line is explained');
    const owner = as(await createTestUser(app, { role: 'owner', may: [] }));
    assert.ok((await owner.get(`/statements/${id}`)).text.includes(`/console/movements/${booked?.id}"`));
    const recorded = await owner.get(`/movements?text=${booked?.id}`);
    const reason = `/console/statements/${id}\\?shown=2#line-2">the reason is in line 2 of this bank statement</a>`;
    assert.match(recorded.text, new RegExp(`at its expense.*${reason}`, 's'));
    assert.match((await owner.get(`/statements/${id}?shown=2`)).text, /<span id="line-2">2<\/span>/);
    await createPaymentService(app, 'Other', TESTER);
    const shared = sent(cartola(RENT), { confirm: 'yes', of: 'all development', account: '777777' });
    const [of = ''] = /st_\w+/.exec((await owner.upload(shared)).headers.get('location') ?? '') ?? [];
    const asks = (await owner.get(`/statements/${of}?use=suspense&line=2`)).text;
    assert.match(
      asks,
      /<select name="merchant"><option value="">Choose whose money it is/,
      'no merchant is chosen beforehand',
    );
    assertMarked((await owner.post(`/statements/${of}/uses`, { ...explained, merchant: '' })).text, 'merchant');
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('count no line of an overlapping file twice, and refuse a file that contradicts itself with its line', async () => {
    const { desk, server, as, cartola, sent } = await open();
    await using _server = server;
    const maker = as(desk.users.maker);
    await maker.upload(sent(cartola(...LINES.slice(0, 2)), { confirm: 'yes', file_name: 'provisoria.csv' }));
    const final = sent(cartola(...LINES), { file_name: 'definitiva.csv' });
    assert.match(
      (await maker.upload(final)).text,
      /another statement and do not count twice: 2\..*Import 1 new line</s,
    );
    const done = await maker.upload({ ...final, confirm: 'yes' });
    const page = await maker.get((done.headers.get('location') ?? '').replace('/console', ''));
    assert.match(page.text, /Shares days with:.*provisoria\.csv/s);
    assert.match(page.text, /another statement and do not count twice: 2\./);
    assert.match((await maker.upload(final)).text, /All of its lines came with other statements/);
    const part = await maker.upload(sent(cartola(LINES[0] as string, 'IVA;1.000;;984.000')));
    assert.match(part.text, /Lines 2 of the file: they count as known.*may have split the day/);
    const broken = await maker.upload(sent(cartola(LINES[0] as string, 'ARRIENDO;5.000;;981.000')));
    assert.deepEqual(
      [broken.status, /line 3 does not follow/i.test(broken.text)],
      [422, true],
      broken.text.slice(0, 300),
    );
    assertMarked(broken.text, 'file');
    for (const [content, more, field] of [
      ['', {}, 'file'],
      [cartola(RENT), { account: 'abc' }, 'account'],
    ] as const) {
      const refused = await maker.upload(sent(content, more));
      assert.equal(refused.status, 400);
      assertMarked(refused.text, field);
    }
    assert.equal((await maker.upload(sent(cartola(RENT), { of: '999' }))).status, 404);
    assert.equal(
      (await maker.upload(sent(cartola(RENT), { of: 'all development' }))).status,
      404,
      'the account of all merchants needs all payment services',
    );
  });

  test('leave a deposit of an acquirer open when one button explains all other lines', async () => {
    const { desk, server, as, cartola, sent } = await open();
    await using _server = server;
    const maker = as(desk.users.maker);
    const content = cartola(RENT, 'ABONO TRANSBANK;;20.000;1.000.000');
    const done = await maker.upload(sent(content, { confirm: 'yes' }));
    const path = `/statements/${/st_\w+/.exec(done.headers.get('location') ?? '')?.[0]}`;
    assert.match((await maker.get(path)).text, /All are of nothing here \(1\)/);
    const rest = await maker.post(`${path}/uses`, { is: 'other', reason: 'arriendos', confirm: 'yes' });
    assert.equal(rest.headers.get('location'), `/console${path}?resolved=1`);
    const { text } = await maker.get(`${path}?use=suspense`);
    assert.match(text, /a deposit of an acquirer that is not recorded/);
    assert.doesNotMatch(text, /All are of nothing here/);
  });

  test('name the charges and the credits with their sums before one button calls all lines unrelated', async () => {
    const { app, desk, server, as, cartola, sent } = await open();
    await using _server = server;
    const maker = as(desk.users.maker);
    const content = cartola(RENT, 'SUELDO;40.000;;940.000', 'ABONO DE ALGUIEN;;7.000;947.000');
    const done = await maker.upload(sent(content, { confirm: 'yes' }));
    const id = /st_\w+/.exec(done.headers.get('location') ?? '')?.[0] ?? '';
    const at = `/statements/${id}`;
    const all = { is: 'other', reason: 'arriendos' };
    const { text, status } = await maker.post(`${at}/uses`, all);
    const open_ = async () => app.db.query(`select * from bank_statement_lines where used_as = 'suspense'`);
    assert.deepEqual([status, (await open_()).length], [200, 3], 'a question changes nothing');
    const seen = text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
    assert.match(
      seen,
      /Are 3 lines of nothing here\?.*Reason: arriendos.*Charges 2 \$\d[\d.]* CLP Credits 1 \$7\.000 CLP/,
    );
    assert.match(seen, /1 credit that nobody knows may be money of a merchant/);
    assert.ok(text.includes(`href="/console${at}?use=suspense&amp;line=4#explain">4</a>`), text);
    const confirmed = { ...all, shown: /name="shown" value="(\w+)"/.exec(text)?.[1] ?? '', confirm: 'yes' };
    await resolveLine(app, { statementId: id, fileLine: 4, is: { use: 'other' }, reason: 'visto', by: TESTER });
    const changed = await maker.post(`${at}/uses`, confirmed);
    assert.deepEqual([changed.status, (await open_()).length], [409, 2]);
    assert.match(changed.text, /The lines have changed since they were shown/);
    const again = await maker.post(`${at}/uses`, all);
    assert.match(again.text, /Charges/);
    assert.doesNotMatch(again.text, /nobody knows/, 'there is no credit left');
    const shown = /name="shown" value="(\w+)"/.exec(again.text)?.[1] ?? '';
    const ended = await maker.post(`${at}/uses`, { ...confirmed, shown });
    assert.equal(ended.headers.get('location'), `/console${at}?resolved=2`);
  });

  test('show the entries of a line that the merchant paid in before they are made', async () => {
    const { app, desk, server, as, cartola, sent } = await open();
    await using _server = server;
    const done = await as(desk.users.maker).upload(sent(cartola('ABONO;;7.000;1.007.000'), { confirm: 'yes' }));
    const at = `/statements/${/st_\w+/.exec(done.headers.get('location') ?? '')?.[0]}`;
    const before = (await app.db.query('select link from journal_entries')).length;
    const merchant = { line: '2', is: 'merchant', reason: 'lo depositó' };
    for (const [language, says] of [
      ['es', /¿Anotar la línea 2, de \$7\.000 CLP\?.*El comercio lo depositó.*Al comercio le quedan/s],
      ['en', /Write down line 2, of \$7\.000 CLP\?.*The merchant paid it in.*The merchant will have/s],
    ] as const) {
      const asked = await as(desk.users.maker, language).post(`${at}/uses`, merchant);
      assert.match(asked.text, says);
      assert.match(asked.text, /<td[^>]*>\$7\.000 CLP/, 'the entry');
    }
    assert.equal((await app.db.query('select link from journal_entries')).length, before);
    const booked = await as(desk.users.maker).post(`${at}/uses`, { ...merchant, confirm: 'yes' });
    assert.equal(booked.headers.get('location'), `/console${at}?resolved=1`);
    assert.equal((await app.db.query('select link from journal_entries')).length, before + 1);
  });

  test('put a line into suspense that was matched with the wrong payout, and ask then what it is', async () => {
    const { app, server, maker, id } = await openImported();
    await using _server = server;
    const at = `/statements/${id}`;
    assert.match((await maker.get(at)).text, new RegExp(`${at}\\?use=payout&amp;line=2">It is not that`));
    const form = await maker.get(`${at}?use=payout&line=2`);
    assert.match(form.text, /Was line 2 matched with the wrong thing\?.*name="is" value="suspense"/s);
    const [asked = ''] = /<form [^>]*id="explain".*?<\/form>/s.exec(form.text) ?? [];
    assert.match(asked, /<a class="code" href="\/console\/payouts\/(po_\w+)">\1<\/a>/);
    assert.doesNotMatch((await maker.get(`${at}?use=suspense&line=2`)).text, /name="is" value="suspense"/);
    const wrong = { line: '2', use: 'payout', is: 'suspense' };
    const refused = await maker.post(`${at}/uses`, { ...wrong, reason: 'a@b.cl' });
    assert.deepEqual([refused.status, /name="is" value="suspense"/.test(refused.text)], [400, true]);
    assertMarked(refused.text, 'reason');
    const done = await maker.post(`${at}/uses`, { ...wrong, reason: 'era de otro pago' });
    assert.equal(done.headers.get('location'), `/console${at}?use=suspense&line=2&done=reopened`);
    const next = await maker.get(`${at}?use=suspense&line=2&done=reopened`);
    assert.match(next.text, /Line 2 is in suspense: say what it is\..*<select name="is"/s);
    assert.equal((await verifyStore(app)).ok, true);
  });

  test('propose payouts with their state in the words of the page, and none that cannot be what the line is', async () => {
    const { app, desk, payout, server, as, cartola, sent } = await open();
    await using _server = server;
    const content = cartola('ABONO;;15.000;995.000', 'ABONO 2;;15.000;980.000');
    const done = await as(desk.users.maker).upload(sent(content, { confirm: 'yes' }));
    const id = /st_\w+/.exec(done.headers.get('location') ?? '')?.[0] ?? '';
    const proposed = async (language: string) => {
      const { text } = await as(desk.users.maker, language).get(`/statements/${id}?use=suspense&line=2`);
      return [...text.matchAll(/<option value="po_\w+">([^<]*)/g)].map(([, one]) => one?.split(' · ').at(-1));
    };
    assert.deepEqual([await proposed('en'), await proposed('es')], [['Sent'], ['Enviado']]);
    const outcomes = [{ id: payout?.id ?? '', outcome: 'failed' as const, reason: 'closed' }];
    const evidence = { name: 'r.csv', sha256: 'ab', bytes: 1, excerpt: '' };
    await settlePayouts(app, { owner: desk.environment, by: desk.maker, outcomes, evidence });
    assert.deepEqual(await proposed('es'), [], 'a refused payout cannot come back');
  });

  test('say before that the return of a payout stays booked when its line is put into suspense', async () => {
    const { server, maker, id } = await openImported([String(LINES[0]), 'VUELTA 12.531.909-2;;15.000;1.000.000']);
    await using _server = server;
    const form = await maker.get(`/statements/${id}?use=return&line=3`);
    assert.match(
      form.text,
      /the return of the payout stays recorded\. If that payout did not come back, record it again /,
    );
  });

  test('keep what was typed for a line when it is refused or a fresh proof is asked for', async () => {
    const { app, server, maker, id } = await openImported();
    await using _server = server;
    const typed = { line: '4', is: 'deposit', subject: 'mv_none', commission: '7', reason: 'abono "15"' };
    const isKept = (text: string, is: string) => {
      for (const said of [
        `<option value="${is}" selected>`,
        'name="subject" maxlength="60" value="mv_none"',
        'value="7"',
        'value="abono &quot;15&quot;"',
      ])
        assert.ok(text.includes(said), said);
    };
    isKept((await maker.post(`/statements/${id}/uses`, typed)).text, 'deposit');
    const all = (await maker.post(`/statements/${id}/uses`, { is: 'other', reason: 'a@b.cl' })).text;
    assert.match(all, /name="reason"[^>]* value="a@b\.cl"/);
    assertMarked(all, 'reason');
    app.now.advance(16 * 60_000);
    const booked = { ...typed, is: 'method simulated' };
    const prove = (await maker.post(`/statements/${id}/uses`, booked)).headers.get('location') ?? '';
    const back = new URL(prove, 'http://localhost').searchParams.get('next') ?? '';
    isKept((await maker.get(back)).text, 'method simulated');
    assert.doesNotMatch(decodeURIComponent(prove), /abono|mv_none/, 'the decision is not in the address');
  });

  test('name the command line in the language of the page where it explained a line or looks after one', async () => {
    const { app, server, id } = await openImported();
    await using _server = server;
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    await resolveLine(app, { statementId: id, fileLine: 3, is: { use: 'other' }, reason: 'arriendo', by: TESTER });
    await takeAttention(app, { id: `${id}/4` }, TESTER);
    for (const [language, name] of [
      ['es', 'línea de comandos: tester@test'],
      ['en', 'command line: tester@test'],
    ] as const) {
      for (const path of [`/statements/${id}`, '/attention', '/audit']) {
        const page = (await server.get(`/console${path}`, { ...owner.console, 'accept-language': language })).text;
        assert.ok(page.includes(name), `${language} ${path}`);
        assert.equal(page.includes('command line: tester@test'), language === 'en', `${language} ${path}`);
      }
      for (const path of [`/statements/${id}`, '/attention']) {
        const headers = { ...owner.console, 'accept-language': language };
        assert.ok((await server.get(`/console${path}?format=csv`, headers)).text.includes(name), `${language} ${path}`);
      }
    }
  });

  test('refuse an invalid line number and an unknown use', async () => {
    const { app, server, maker, id } = await openImported();
    await using _server = server;
    const before = await app.db.query('select * from bank_statement_lines order by number');
    for (const fields of [
      { line: '4x', is: 'other' },
      { line: '0', is: 'other' },
      { line: '4', is: 'merchants' },
      { line: '4' },
    ])
      assert.equal((await maker.post(`/statements/${id}/uses`, { ...fields, reason: 'x' })).status, 400);
    assert.deepEqual(await app.db.query('select * from bank_statement_lines order by number'), before);
    for (const query of ['use=payuot', 'use=payuot&format=csv']) {
      const wrong = await maker.get(`/statements/${id}?${query}`);
      assert.deepEqual(
        [wrong.status, wrong.text.includes('ARRIENDO'), /role="alert"/.test(wrong.text)],
        [400, false, true],
      );
    }
  });

  test('show and change nothing for another merchant, without permission or fresh proof, or from another site', async () => {
    const { app, desk, server, as, cartola, sent } = await open();
    await using _server = server;
    const maker = as(desk.users.maker);
    const done = await maker.upload(sent(cartola(...LINES), { confirm: 'yes', file_name: 'SECRETA.csv' }));
    const id = /st_\w+/.exec(done.headers.get('location') ?? '')?.[0] ?? '';
    const other = await createPaymentService(app, 'Other', TESTER);
    const screens = ROUTES.filter(
      ({ access, paths }) => access === 'session' && paths[0].startsWith('/console/statements'),
    );
    const before = await app.db.query('select * from bank_statement_lines');
    const strangers: [Role, TestUser][] = [];
    for (const role of Object.keys(ROLES) as Role[]) {
      strangers.push([role, await createTestUser(app, { role, may: [], paymentServices: [other.id] })]);
    }
    for (const screen of screens) {
      const { method, paths, needed } = screen;
      const path = paths[0].replace(':id', id);
      for (const [role, user] of strangers) {
        const answer = await server.send(method, path, {
          headers: { ...formHeaders(screen), ...user.console },
          ...(method === 'POST' && { body: 'is=other&reason=x' }),
        });
        const about = `${role} at ${method} ${path}: ${answer.status}`;
        assert.doesNotMatch(answer.text, /SECRETA/, about);
        if (paths[0].includes(':id')) assert.ok([403, 404].includes(answer.status), about);
        if (answer.status === 403) assert.ok(answer.text.includes(needed?.[0] ?? ''), about);
      }
      if (method !== 'POST') continue;
      const headers = { ...formHeaders(screen), 'sec-fetch-site': 'cross-site', ...desk.users.maker.console };
      assert.equal((await server.post(path, { headers, body: 'is=other&reason=x' })).status, 403, path);
    }
    app.now.advance(16 * 60_000);
    const late = await maker.post(`/statements/${id}/uses`, { is: 'other', reason: 'x' });
    assert.match(late.headers.get('location') ?? '', /^\/console\/prove\?next=/);
    assert.match((await maker.upload(sent(cartola(RENT)))).headers.get('location') ?? '', /^\/console\/prove\?next=/);
    assert.deepEqual(await app.db.query('select * from bank_statement_lines'), before);
  });
});
