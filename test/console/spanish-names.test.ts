import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { ATTENTION_KINDS } from '../../src/attention/attention-kinds.ts';
import { sayPayoutContradiction } from '../../src/attention/say-contradiction.ts';
import { sayRefundDoubt } from '../../src/attention/say-doubt.ts';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { readSettlement } from '../../src/books/read-settlement.ts';
import { methodName } from '../../src/checkout/texts.ts';
import { detailsOf } from '../../src/console/audit/act-details.ts';
import { nameOfSubject, sayWhich } from '../../src/console/audit/subject-kinds.ts';
import { keepSettlement } from '../../src/movements/keep-settlement.ts';
import { forEachEngine } from '../support/engines.ts';
import { codeOf, readSourceFiles } from '../support/source-tree.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { payOut } from '../support/test-movements.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('a Spanish page of the console', (openTestDatabase) => {
  test('names roles and the files of its lists in Spanish', async () => {
    const app = createTestApp(await openTestDatabase());
    const environment = await createTestEnvironment(app);
    await using server = await startTestServer(app);
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const at = (language: 'es' | 'en', path: string) =>
      server.get(`/console${path}`, { ...owner.console, 'accept-language': language });
    const fileOf = async (language: 'es' | 'en', path: string) =>
      /filename="([^"]+)"/.exec((await at(language, path)).headers.get('content-disposition') ?? '')?.[1];
    for (const [language, role, option] of [
      ['es', 'titular (owner)', '>soporte (support)</option>'],
      ['en', 'owner', '>support</option>'],
    ] as const) {
      const { text } = await at(language, '/staff');
      assert.ok(text.includes(`${owner.email} · ${role}</a>`), language);
      assert.ok(text.includes(option), language);
      assert.ok((await at(language, `/staff/${owner.id}`)).text.includes(`${role} <span`), language);
      assert.ok((await at(language, '/account')).text.includes(`: ${role}</p>`), language);
    }
    const period = `${environment.paymentServiceId}/statement.csv?environment=development&from=2026-01-01&to=2026-01-31&currency=CLP`;
    for (const [path, spanish, english] of [
      ['/staff?format=csv', 'personas.csv', 'staff.csv'],
      ['/staff/tokens?format=csv', 'personas-tokens.csv', 'staff-tokens.csv'],
      ['/audit?format=xlsx', 'auditoria.xlsx', 'audit.xlsx'],
      [`/accounts/${period}`, 'estado-de-cuenta-2026-01-01-2026-01-31.csv', 'statement-2026-01-01-2026-01-31.csv'],
    ] as const)
      assert.deepEqual([await fileOf('es', path), await fileOf('en', path)], [spanish, english]);
  });

  test('names states in Spanish where it says what contradicts a refund or a payout', () => {
    const refund = { payment_method: 'simulated', state: 'processing', asked_at: 1 } as const;
    const unasked = JSON.stringify({ event: 'refund_unasked', unasked: '700', currency: 'CLP' });
    const { en, es } = sayRefundDoubt({ ...refund, contradiction: unasked });
    assert.match(es, /ciérrala como completada \(completed\): .*; la devolución está en proceso$/);
    assert.match(en, /; the refund is under way$/);
    const declined = JSON.stringify({ event: 'refund_declined' });
    assert.match(sayRefundDoubt({ ...refund, contradiction: declined }).es, /ciérrala como completada \(completed\);/);
    const payout = {
      contradicted_by: null,
      id: 'po_1',
      payment_service: 'ps_1',
      environment: 'production',
      amount: 1,
      currency: 'CLP',
    } as const;
    const said = sayPayoutContradiction({ ...payout, state: 'confirmed' }, 'returned');
    assert.match(said.es, /^está en «Llegó», y se dijo «Volvió»\. .* ciérralo como «Volvió»; si llegó, termina/);
    assert.match(said.en, /^it is in "Arrived", and somebody says "Came back"\./);
  });

  test('names the values of an act in the audit log as the other screens do', () => {
    const act = (action: string, after: object) =>
      ({ action, before: null, after }) as unknown as Parameters<typeof detailsOf>[1];
    for (const [action, after, spanish, english] of [
      ['user.created', { payment_services: ['all'] }, 'comercios: todos los comercios', 'merchants: all merchants'],
      [
        'refund.decided',
        { outcome: 'failed' },
        'resultado: El dinero no volvió (failed)',
        'outcome: The money did not go back (failed)',
      ],
      ['payout.settled', { settled: ['po_1 confirmed'] }, 'terminados: po_1 Llegó', 'settled: po_1 Arrived'],
      ['statement.line_resolved', { use: 'return' }, 'uso: Pago que volvió', 'use: Return'],
      [
        'settlement.accepted',
        { cause: 'other_amount, other_date' },
        'causa: Otro monto, Otro día',
        'cause: Another amount, Another day',
      ],
      [
        'statement.imported',
        { proof: 'balance' },
        'se demuestra por: los saldos cuadran',
        'proof: its balances follow',
      ],
      ['payment_link.created', { uses: 'many' }, 'usos: todas las que lleguen', 'uses: as many as come'],
      ['user.created', { role: 'support' }, 'rol: soporte (support)', 'role: support'],
      ['payout.filed', { environment: 'development' }, 'ambiente: desarrollo', 'environment: development'],
      ['payout.approved', { state: 'confirmed' }, 'estado: Llegó', 'state: Arrived'],
      ['recipient.changed', { bank: '037' }, 'banco: 037', 'bank: 037'],
      ['recipient.changed', { verdict: 'plausible' }, 'veredicto: plausible', 'verdict: plausible'],
      ['clock.advanced', { ahead_ms: 5 }, 'milisegundos de adelanto: 5', 'ahead ms: 5'],
      [
        'payment_service.rotated',
        { closes_at: '2026-01-15T15:00:00.000Z' },
        'el anterior sirve hasta: 2026-01-15 12:00:00 -03:00',
        'closes at: 2026-01-15 12:00:00 -03:00',
      ],
      ['payout.limits_set', { per_payout: 5000 }, 'por pago: 5000', 'per payout: 5000'],
      ['privacy.erased', { delivery_attempts: 2 }, 'intentos de entrega: 2', 'delivery attempts: 2'],
      ['store.migrated', { applied: ['0107-x.sql'] }, 'migraciones: 0107-x.sql', 'applied: 0107-x.sql'],
      ['user.factor_added', { recovery_codes: 10 }, 'códigos de recuperación: 10', 'recovery codes: 10'],
      ['user.factors_reset', { factors: ['totp Phone'] }, 'segundos factores: totp Phone', 'factors: totp Phone'],
      ['webhook.set', { method: 'POST' }, 'método: POST', 'method: POST'],
      ['webhook.set', { waiting_posts: 2 }, 'avisos en espera: 2', 'waiting posts: 2'],
      ['webhook.ended', { posts_ended: 2 }, 'avisos terminados: 2', 'posts ended: 2'],
      ['payment_service.state_changed', { state: 'disabled' }, 'estado: disabled', 'state: disabled'],
    ] as const)
      assert.deepEqual(
        [detailsOf('es', act(action, after)), detailsOf('en', act(action, after))],
        [[spanish], [english]],
      );
  });

  test('says the words beside the ids of a subject of the audit log in Spanish too', () => {
    for (const [id, spanish] of [
      ['2026-11 development', '2026-11 desarrollo'],
      ['ps_1 production', 'ps_1 producción'],
      ['1 to 8', '1 a 8'],
      ['3 payouts', '3 pagos a terceros'],
      ['epoch 2', 'época 2'],
      ['others', 'otros'],
      ['none', 'ninguna'],
      ['an e-mail address', 'un correo'],
      ['a RUT', 'un RUT'],
      ['po_1 po_2', 'po_1 po_2'],
    ] as const)
      assert.deepEqual([sayWhich('es', id), sayWhich('en', id)], [spanish, id]);
  });

  test('names every kind of subject in the audit log', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const environment = await createTestEnvironment(app);
    await createPaidTransaction(app, environment);
    await payOut(app, environment, 1);
    const closed = {
      at: app.now(),
      by: TESTER,
      action: 'month.closed',
      subject: { kind: 'month', id: '2026-11 development' },
    } as const;
    const resolved = { ...closed, action: 'suspense.resolved', subject: { kind: 'transaction', id: 'none' } } as const;
    await app.db.transaction((tx) => recordAudit(tx, closed));
    await app.db.transaction((tx) => recordAudit(tx, resolved));
    const auditor = await createTestUser(app, { role: 'auditor', may: [] });
    const show = async (language: string) =>
      (await server.get('/console/audit', { ...auditor.console, 'accept-language': language })).text;
    assert.match(await show('es'), />comercio<br><span class="code whole">ps_/);
    assert.match(await show('es'), />mes<br><span class="code">2026-11 desarrollo</);
    assert.match(await show('en'), />merchant<br><span class="code whole">ps_/);
    // No link: these have no page.
    assert.match(await show('es'), /data-label="Sobre">transacción<br><span class="code whole">ninguna</);
    assert.match(await show('es'), /data-label="Sobre">registrado a mano<br><span class="code whole">mv_/);
    const code = readSourceFiles('src/**/*.ts').map(codeOf).join('\n');
    const kinds = new Set(
      [...code.matchAll(/\bsubject(?:: Subject)?(?::| =) \{ kind: '([^']+)'/g)].map(([, kind = '']) => kind),
    );
    assert.ok(kinds.size > 15);
    for (const kind of [...kinds, ...ATTENTION_KINDS.map((one) => one.kind)]) {
      assert.doesNotMatch(nameOfSubject('en', kind), /_|payment service/);
      if (kind !== 'callback') assert.notEqual(nameOfSubject('es', kind), kind.replaceAll('_', ' '));
    }
  });

  test('names the payment methods of settlements as payers read them; the filter finds name and code', async () => {
    const app = createTestApp(await openTestDatabase());
    await createTestEnvironment(app);
    await using server = await startTestServer(app);
    const user = await createTestUser(app, { role: 'finance', may: [] });
    const content = Buffer.from('fecha;orden de compra;monto\n2026-01-15;999999;7000\n');
    const settlement = await readSettlement(Readable.from([content]));
    const scope = { environment: 'development', paymentServiceId: null, method: 'simulated' } as const;
    const evidence = { name: 'day.csv', sha256: '0'.repeat(64) };
    const kept = await keepSettlement(app, scope, settlement, { evidence, by: TESTER });
    assert.ok(kept.kind === 'kept');
    const get = async (path: string) => (await server.get(`/console/settlements${path}`, user.console)).text;
    const list = await get('');
    assert.match(list, /<span>Simulador /);
    assert.match(list, /<option value="simulated">Simulador<\/option>/);
    for (const [text, isFound] of [
      ['simulador', true],
      ['simulated', true],
      ['webpay', false],
    ] as const)
      assert.equal((await get(`?text=${text}`)).includes('day.csv'), isFound, text);
    assert.match(await get(`/${kept.id}`), /2026-01-15 · Simulador · /);
    for (const language of ['es', 'en'] as const)
      assert.equal(methodName(language, { code: 'webpay', name: 'webpay' }), 'Webpay Plus');
  });
});
