import '../../support/cheap-hashes.ts';

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAudit } from '../../../src/audit/list-audit.ts';
import { addTotp } from '../../../src/auth/factors/enrol-totp.ts';
import { totpCode } from '../../../src/auth/factors/totp.ts';
import { createPaymentService } from '../../../src/payment-services/create-payment-service.ts';
import { forEachEngine } from '../../support/engines.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp } from '../../support/test-app.ts';
import { type Answer, jsonOf, startTestServer } from '../../support/test-server.ts';
import { createTestUser, type TestUser, withApiToken } from '../../support/test-user.ts';

const MANAGES = ['users:manage', 'payments:read', 'refunds:create'] as const;

forEachEngine('API tokens over HTTP', (openTestDatabase) => {
  const open = async () => {
    const app = createTestApp(await openTestDatabase());
    const server = await startTestServer(app);
    const by = ({ headers }: Pick<TestUser, 'headers'>) => ({
      make: (json: Record<string, unknown>) => {
        app.now.advance(1);
        return server.post('/api-tokens', { json, headers });
      },
      list: (user: string) => server.get(`/api-tokens?user=${encodeURIComponent(user)}`, headers),
      end: (id: string) => server.send('DELETE', `/api-tokens/${id}`, { headers }),
    });
    const logIn = (apiToken: string) =>
      server.post('/loginToken', { headers: { authorization: `Bearer ${apiToken}` }, json: {} });
    return { app, server, by, logIn };
  };

  test('can be created, listed and ended by a program, and are shown only once', async () => {
    const { app, server, by, logIn } = await open();
    await using _server = server;
    const manager = by(await createTestUser(app, { email: 'deploy@example.cl', may: MANAGES }));
    const shop = await createTestUser(app, { email: 'shop@example.cl', may: ['payments:read'] });
    const made = await manager.make({ user: 'SHOP@example.cl', name: 'till 4', expires_at: '2026-02-15T12:00:00Z' });
    assert.equal(made.status, 201);
    const { id, api_token: apiToken } = dataOf(made);
    const access = jsonOf(await logIn(apiToken))['access_token_jwt'] as string;
    assert.equal((await server.get('/transactions', { authorization: `Bearer ${access}` })).status, 200);
    const listed = await manager.list(shop.id);
    const rows = jsonOf(listed)['data'] as Record<string, unknown>[];
    assert.deepEqual(
      rows.map(({ name, created_by, expires_at, ended_at }) => [name, created_by, expires_at, ended_at]),
      [
        ['first', TESTER.name, null, null],
        ['till 4', 'deploy@example.cl', '2026-02-15T12:00:00.000Z', null],
      ],
    );
    assert.ok(!listed.text.includes(apiToken));
    assert.deepEqual(
      [(await manager.end(id)).status, (await manager.end(id)).status],
      [200, 200],
      'ending a token twice succeeds',
    );
    assert.equal((await logIn(apiToken)).status, 403);
    assert.equal((await logIn(shop.api_token)).status, 200, 'the other tokens still work');
    const { acts } = await listAudit(app, { action: 'api_token' }, 9);
    const again = await manager.make({ user: shop.id, name: 'till 4' });
    assert.equal(again.status, 201, 'the name of an ended token can be given again');
    assert.deepEqual(
      acts.map(({ action, who }) => [action, who.name]),
      [
        ['api_token.ended', 'deploy@example.cl'],
        ['api_token.created', 'deploy@example.cl'],
      ],
    );
  });

  test('cannot be created or ended for oneself, for a user with more rights, or for users of other merchants', async () => {
    const { app, server, by } = await open();
    await using _server = server;
    const norte = await createPaymentService(app, 'Norte', TESTER);
    const sur = await createPaymentService(app, 'Sur', TESTER);
    const paymentServices = [norte.id];
    const wish = { may: MANAGES, refundLimits: { CLP: 50_000 } };
    const mia = await createTestUser(app, { ...wish, paymentServices });
    const refused = async (given: Parameters<typeof createTestUser>[1], code: string) => {
      const other = await createTestUser(app, given);
      const answer = await by(mia).make({ user: other.id, name: 'x' });
      assert.equal(jsonOf(answer)['code'], code, JSON.stringify(given));
      const [token] = (jsonOf(await by(other).list(other.id))['data'] ?? []) as { id: string }[];
      if (token !== undefined) assert.equal(jsonOf(await by(mia).end(token.id))['code'], code);
    };
    await refused({ paymentServices, may: ['users:manage', 'books:read'] }, 'MORE_THAN_YOURS');
    await refused({ paymentServices, may: MANAGES }, 'MORE_THAN_YOURS');
    await refused({ paymentServices, may: MANAGES, refundLimits: { CLP: 50_001 } }, 'MORE_THAN_YOURS');
    await refused({ paymentServices: [sur.id], may: ['users:manage'] }, 'NOT_FOUND');
    await refused({ paymentServices: [norte.id, sur.id], may: ['users:manage'] }, 'NOT_FOUND');
    await refused({ paymentServices: [], may: ['users:manage'] }, 'NOT_FOUND');
    await refused({ paymentServices: 'all', may: ['users:manage'] }, 'NOT_FOUND');
    assert.equal(jsonOf(await by(mia).make({ user: mia.id, name: 'x' }))['code'], 'MORE_THAN_YOURS');
    const alone = await createTestUser(app, { paymentServices: [], may: ['users:manage'] });
    assert.equal((await by(alone).list(alone.id)).status, 200, 'everybody sees their own tokens');
    const like = await createTestUser(app, { ...wish, paymentServices });
    assert.equal((await by(mia).make({ user: like.id, name: 'x' })).status, 201, 'mia has all permissions of the user');
  });

  test('need a second-factor code from a person who has one, and each code works once', async () => {
    const { app, server, by } = await open();
    await using _server = server;
    const pia = await createTestUser(app, { role: 'owner', email: 'pia@example.cl', may: [] });
    const added = (await addTotp(app, pia, 'Phone', TESTER)) as NonNullable<Awaited<ReturnType<typeof addTotp>>>;
    const piasProgram = by(await withApiToken(app, pia));
    const shop = await createTestUser(app, { may: ['payments:read'] });
    const make = async (name: string, code?: string) =>
      jsonOf(await piasProgram.make({ user: shop.id, name, ...(code !== undefined && { code }) }))['code'];
    const code = await totpCode(added.secret, app.now());
    assert.equal(await make('a'), 'SECOND_FACTOR_NEEDED');
    assert.equal(await make('a', '000000'), 'FACTOR_REFUSED');
    assert.equal(await make('a', code), undefined);
    assert.equal(await make('b', code), 'FACTOR_REFUSED', 'a code works once');
    assert.equal(await make('b', added.recoveryCodes[0] as string), undefined);
    const names = jsonOf(await piasProgram.list(shop.id))['data'] as { name: string }[];
    assert.deepEqual(
      names.map(({ name }) => name),
      ['first', 'a', 'b'],
    );
  });

  test('are refused with the reason, and nothing is created', async () => {
    const { app, server, by } = await open();
    await using _server = server;
    const manager = by(await createTestUser(app, { may: MANAGES }));
    const shop = await createTestUser(app, { may: ['payments:read'] });
    for (const [wish, code] of [
      [{ user: shop.id, name: 'first' }, 'INVALID_PARAMETER'],
      [{ user: shop.id, name: 'x\u00fa' }, 'INVALID_PARAMETER'],
      [{ user: shop.id, name: 'x', expires_at: '2020-01-01T00:00:00Z' }, 'INVALID_PARAMETER'],
      [{ user: shop.id, name: 'x', expires_at: 'tomorrow' }, 'INVALID_PARAMETER'],
      [{ user: shop.id }, 'INVALID_BODY'],
      [{ user: 'nobody@example.cl', name: 'x' }, 'NOT_FOUND'],
    ] as const)
      assert.equal(jsonOf(await manager.make(wish))['code'], code, JSON.stringify(wish));
    for (const [wrong, at] of [
      [{ name: 'first' }, '/name'],
      [{ name: 'x\u00fa' }, '/name'],
      [{ name: 'x', expires_at: 'tomorrow' }, '/expires_at'],
      [{ name: 'x', expires_at: '2020-01-01T00:00:00Z' }, '/expires_at'],
    ] as const) {
      const { errors } = jsonOf(await manager.make({ user: shop.id, ...wrong })) as { errors: { pointer: string }[] };
      assert.deepEqual(
        errors.map(({ pointer }) => pointer),
        [at],
      );
    }
    assert.equal((jsonOf(await manager.list(shop.id))['data'] as unknown[]).length, 1);
  });
});

function dataOf(answer: Answer): { id: string; api_token: string } {
  return jsonOf(answer)['data'] as { id: string; api_token: string };
}
