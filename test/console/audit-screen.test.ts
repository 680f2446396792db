import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strangerActor } from '../../src/audit/actor.ts';
import { AUDIT_ACTIONS } from '../../src/audit/audit-action.ts';
import { selectCommandLines } from '../../src/audit/audit-queries.ts';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { userActor } from '../../src/auth/user-actor.ts';
import { findActs, MOST_FOUND } from '../../src/console/audit/find-acts.ts';
import { SPANISH_ACTIONS } from '../../src/console/audit/spanish-actions.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { setFee } from '../../src/payment-services/set-fee.ts';
import { forEachEngine } from '../support/engines.ts';
import { explain, listenToStatements } from '../support/heard-statements.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestUser } from '../support/test-user.ts';

test('every act of the audit log has a Spanish sentence', () => {
  assert.deepEqual(Object.keys(SPANISH_ACTIONS), Object.keys(AUDIT_ACTIONS));
});

forEachEngine('the audit log in the console', (openTestDatabase, engine) => {
  test('finds people and command lines by a part of the name, and a whole address alone', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const auditor = await createTestUser(app, { role: 'auditor', may: [], email: 'revisa@example.org' });
    const names = ['ana@norte.cl', 'mariana@norte.cl', 'pedro_1@sur.cl', 'pedro21@sur.cl'];
    for (const email of names) {
      const user = await createTestUser(app, { role: 'owner', may: [], email });
      await createPaymentService(app, `Tienda de ${email}`, userActor({ ...user, role: 'owner' }, '192.0.2.1'));
    }
    await createPaymentService(app, 'De la máquina', { ...TESTER, name: 'command line: root@CAJA-1' });
    await createPaymentService(app, 'De nadie', strangerActor('zoe@este.cl', null, '192.0.2.1'));
    const found = async (who: string, more = '') => {
      const query = new URLSearchParams({ who, action: 'payment_service', format: 'csv' });
      const { text } = await server.get(`/console/audit?${String(query)}${more}`, auditor.console);
      return text
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[1]);
    };
    assert.deepEqual(await found('norte'), ['mariana@norte.cl', 'ana@norte.cl'], 'the newest act is first');
    assert.deepEqual(await found('Ana@Norte.cl'), ['ana@norte.cl']);
    assert.deepEqual(await found('ro_1@'), ['pedro_1@sur.cl'], 'an underscore matches only itself');
    const ofMachine = ['línea de comandos: root@CAJA-1'];
    for (const typed of ['caja-1', 'línea de comandos: root@CAJA-1', 'command line: root@CAJA-1'])
      assert.deepEqual(await found(typed), ofMachine, typed);
    for (const typed of ['cuenta desconocida z***@este.cl', 'unknown account z***@este.cl'])
      assert.deepEqual(await found(typed), ['cuenta desconocida z***@este.cl'], typed);
    const shown = await server.get('/console/audit', auditor.console);
    assert.match(shown.text, /who=command%20line%3A%20root%40CAJA-1">línea de comandos: root@CAJA-1</);
    const english = await server.get('/console/audit', { ...auditor.console, 'accept-language': 'en' });
    assert.match(english.text, />command line: root@CAJA-1</);
    assert.deepEqual(await found('nobody'), []);
    assert.deepEqual(await found('sur.cl', '&since=2031-01-01'), []);
  });

  test('finds command lines in a database with the collation of a language', async () => {
    const app = createTestApp(await openTestDatabase());
    const orders = `select collname as name from pg_collation where collname in ('en-US-x-icu', 'en_US.utf8') order by 1`;
    if (engine === 'postgres') {
      for (const { name } of (await app.db.query<{ name: string }>(orders, [])).slice(0, 1))
        await app.db.transaction((tx) =>
          tx.query(`alter table audit_log alter column actor type text collate "${name}"`),
        );
    }
    for (const name of ['command line: ana@caja', 'command line: Zoe@caja', 'command line; other', 'command'])
      await createPaymentService(app, 'Tienda', { ...TESTER, name });
    assert.deepEqual((await selectCommandLines(app.db)).sort(), ['command line: Zoe@caja', 'command line: ana@caja']);
  });

  test('pages the acts of several matching names, and says when more names match than it searches', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const auditor = await createTestUser(app, { role: 'auditor', may: [], email: 'revisa@example.org' });
    const act = { action: 'callback.resent', subject: { kind: 'callback', id: '1' } } as const;
    const by = (n: number) => ({ ...TESTER, name: `command line: caja@n${n}` });
    await app.db.transaction(async (tx) => {
      for (let n = 0; n < 150; n++) await recordAudit(tx, { ...act, at: n, by: by(n % 3) });
    });
    const first = await server.get('/console/audit?who=caja', auditor.console);
    assert.equal(first.text.match(/callback\.resent/g)?.length, 100);
    assert.match(first.text, /Más antiguos/);
    const older = /href="\/console(\/audit\?[^"]*before=[^"]*)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&');
    const second = await server.get(`/console${older}`, auditor.console);
    assert.equal(second.text.match(/callback\.resent/g)?.length, 50);
    assert.doesNotMatch(second.text, /Más antiguos/);
    assert.doesNotMatch(first.text, /Escribe más/);
    await app.db.transaction(async (tx) => {
      for (let n = 0; n < MOST_FOUND; n++) await recordAudit(tx, { ...act, at: n, by: by(n + 3) });
    });
    assert.match((await server.get('/console/audit?who=caja', auditor.console)).text, /más de 20 nombres/);
  });

  test('finds acts by a part of a name and words of the act with one query along an index', async () => {
    const app = createTestApp(await openTestDatabase());
    const subject = { kind: 'callback', id: '1' };
    const users = await Promise.all(
      ['ana@caja.cl', 'eva@caja.cl'].map((email) => createTestUser(app, { role: 'owner', may: [], email })),
    );
    const [ana, eva] = users.map((user) => userActor({ ...user, role: 'owner' }, '192.0.2.1'));
    const by = [ana, eva, { ...TESTER, name: 'command line: root@caja' }, TESTER];
    await app.db.transaction(async (tx) => {
      const actions = ['callback.resent', 'mail.resent', 'fee.set'] as const;
      for (let n = 0; n < 24; n++) {
        const actor = by[n % 4] ?? TESTER;
        await recordAudit(tx, { at: n, by: actor, action: actions[Math.floor(n / 4) % 3] ?? 'fee.set', subject });
      }
    });
    const listening = listenToStatements(app);
    const find = async (who: string, actions: string[], limit = 100, filter = {}) => {
      const { acts, next } = await findActs(listening.app, { filter: { action: 'x', ...filter }, who, actions }, limit);
      return { acts: acts.map(({ at, action }) => `${at} ${action.split('.')[0]}`), next };
    };
    const resent = ['callback.resent', 'mail.resent'];
    const first = await find('caja', resent, 5);
    assert.deepEqual(first.acts, ['18 mail', '17 mail', '16 mail', '14 callback', '13 callback']);
    assert.deepEqual((await find('caja', resent, 5, { before: first.next })).acts.slice(0, 2), [
      '12 callback',
      '6 mail',
    ]);
    assert.deepEqual((await find('', resent, 3)).acts, ['19 mail', '18 mail', '17 mail']);
    assert.deepEqual((await find('ana@caja.cl', resent, 2)).acts, ['16 mail', '12 callback']);
    assert.deepEqual((await find('', resent, 2, { subject: '1', since: 18 })).acts, ['19 mail', '18 mail']);
    const asked = listening.all.filter(({ sql }) => sql.startsWith('select * from audit_log'));
    assert.equal(asked.length, 5, 'one statement for each search');
    await fillWithActs(app);
    for (const statement of [asked[0], asked[2]]) {
      assert.ok(statement);
      const plan = (await explain(app, statement)).join('\n');
      const index = statement === asked[0] ? /audit_log_of_actor[^]*audit_log_of_user/ : /audit_log_of_action/;
      assert.match(plan, index, `${engine}: ${plan}`);
      assert.doesNotMatch(plan, /Seq Scan on audit_log|SCAN (?:audit_log|act)\b/, `${engine}: ${plan}`);
    }
  });

  test('shows an act as a sentence with named values, and finds it by words of the sentence', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const auditor = await createTestUser(app, { role: 'auditor', may: [] });
    const { id } = await createPaymentService(app, 'Casa Verde', TESTER);
    const fee = { paymentServiceId: id, environment: 'development', method: 'webpay', currency: 'CLP' } as const;
    await setFee(app, fee, { rate_ppm: 29_500, fixed: 50 }, TESTER);
    await setFee(app, fee, { rate_ppm: 29_500, fixed: 1090 }, TESTER);
    const { text } = await server.get('/console/audit?action=comisi%C3%B3n', auditor.console);
    assert.equal(text.match(/fee\.set</g)?.length, 2);
    assert.doesNotMatch(text, /payment_service\.created/);
    for (const said of ['Se cambió una comisión', 'medio de pago: webpay', 'fijo: $50 CLP → $1.090 CLP', 'moneda: CLP'])
      assert.ok(text.includes(said), said);
    assert.doesNotMatch(text, /\{&quot;|\{"rate/);
    const english = await server.get('/console/audit?action=fee', { ...auditor.console, 'accept-language': 'en' });
    assert.match(english.text, /a fee was set: old and new values/);
    assert.match(english.text, /fixed: \$50 CLP → \$1\.090 CLP/);
    const csv = await server.get('/console/audit?action=fee.set&format=csv', auditor.console);
    assert.match(csv.text, /fee\.set,Se cambió una comisión/);
    const none = await server.get('/console/audit?action=no-such-words', auditor.console);
    assert.match(none.text, /Nada cumple el filtro/);
  });

  test('shows a value without an arrow when the earlier record does not have it', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const auditor = await createTestUser(app, { role: 'auditor', may: [] });
    const subject = { kind: 'refund_request', id: 'rr_1' };
    const values = {
      amount: 5000,
      currency: 'CLP',
      state: 'approved',
      approver_set_up_by: 'ana@norte.cl',
      set_up_by_approver: 'eva@norte.cl',
    };
    const move = { kind: 'payment_service', id: 'ps_1' };
    await app.db.transaction(async (tx) => {
      const by = TESTER;
      const before = { state: 'waiting', amount: null };
      await recordAudit(tx, { at: 1, by, action: 'refund_request.approved', subject, before, after: values });
      await recordAudit(tx, { at: 2, by, action: 'payment_service.move_begun', subject: move, after: { to: 'b.db' } });
      const payout = { kind: 'payout', id: 'po_1' };
      const after = { type: 'sight' };
      await recordAudit(tx, { at: 2, by, action: 'payout.account_type_set', subject: payout, after });
      const sha256 = ['0'.repeat(64), 'f'.repeat(64)];
      await recordAudit(tx, { at: 3, by, action: 'payout.filed', subject, after: { sha256 } });
    });
    const { text } = await server.get('/console/audit', auditor.console);
    for (const said of [
      '>moneda: CLP<',
      '>estado: Espera a otra persona → Aprobada<',
      '>tipo: Vista o CuentaRUT<',
      '>monto: — → $5.000 CLP<',
      '>preparó a quien aprueba: ana@norte.cl<',
      '>preparado por quien aprueba: eva@norte.cl<',
      '>a: b.db<',
      '>sha256: 000000000000…, ffffffffffff…<',
    ])
      assert.ok(text.includes(said), said);
    const { text: file } = await server.get('/console/audit?format=csv', auditor.console);
    assert.match(file, /,devolución por aprobar rr_1,/, 'the file has the words of the page');
    assert.match(file, /,comercio ps_1,/);
  });
});

/** Adds 4,000 acts of others, which PostgreSQL needs for its plans. SQLite plans without statistics. */
async function fillWithActs(app: TestApp): Promise<void> {
  if (app.db.engine === 'sqlite') return;
  await app.db.transaction(async (tx) => {
    await tx.query(
      `insert into audit_log (link, created_at, actor_kind, actor, action, subject_kind, subject, hash)
       select 1000 + n, n, 'person', 'other' || n % 50, 'payout.' || n % 50, 'payout', n::text, '' from generate_series(1, 4000) n`,
    );
    await tx.query('analyze audit_log');
  });
}
