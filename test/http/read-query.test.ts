import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/server/routes.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

const READING = ROUTES.filter(({ method, access, query }) => method === 'GET' && access !== 'session' && query);

test('only the endpoints of published clients ignore unknown query parameters', () => {
  assert.deepEqual(
    READING.filter(({ anyQuery }) => anyQuery).map(({ paths: [path] }) => path),
    [
      '/trxs/:id/nullification/status',
      '/remittances/conciliation',
      '/indicators/remittances',
      '/payments',
      '/v2/payments',
      '/tef/:id',
    ],
  );
});

forEachEngine('filters of lists', (openTestDatabase) => {
  test('are refused when they are unknown, and the known ones are listed', async () => {
    const app = createTestApp(await openTestDatabase());
    const { serviceToken, paymentServiceId } = await createTestEnvironment(app);
    const user = await createTestUser(app, { role: 'owner', may: [], paymentServices: [paymentServiceId] });
    await using server = await startTestServer(app);
    const detailOf = async (path: string, language = 'en') => {
      const answer = await server.get(path, { ...user.headers, 'accept-language': language });
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [400, 'INVALID_PARAMETER'], path);
      return jsonOf(answer)['detail'];
    };
    for (const { paths } of READING.filter(({ anyQuery }) => !anyQuery))
      assert.match(String(await detailOf(`${paths[0].replace(':id', 'x')}?extra=1`)), /^extra is not a parameter here/);
    assert.equal(await detailOf('/events?aftr=5'), 'aftr is not a parameter here. Send only after, limit.');
    for (const name of ['after', 'limit'])
      assert.equal(await detailOf(`/events?${name}=1&${name}=2`), `Send ${name} once.`);
    const spanish = await detailOf('/transactions?limit=1&card_digits=1234&State=failed', 'es');
    assert.match(String(spanish), /^card_digits no es un parámetro aquí\. Envía solo .*card_last_digits/);
    const long = await detailOf(`/events?${'a'.repeat(2000)}=1`);
    assert.equal(long, `${'a'.repeat(64)} is not a parameter here. Send only after, limit.`);
    assert.equal((await server.get('/events?aftr=5')).status, 401, 'a stranger is refused first');
    const published = await server.get(`/v2/payments?x_account_id=${serviceToken}&_=1`);
    assert.equal(published.status, 200);
  });

  test('are refused when they are empty or blank, as when a variable was not set', async () => {
    const app = createTestApp(await openTestDatabase());
    const user = await createTestUser(app);
    await using server = await startTestServer(app);
    const empty = {
      transactions: ['q', 'reference', 'email', 'authorization_code', 'payment_service', 'amount', 'state', 'since'],
      requests: ['request_id', 'code', 'payment_service', 'environment', 'since'],
    };
    const blank = await server.get('/transactions?reference_part=%20', user.headers);
    assert.deepEqual(
      [blank.status, jsonOf(blank)['code']],
      [400, 'INVALID_PARAMETER'],
      'it would match every reference',
    );
    for (const [list, names] of Object.entries(empty)) {
      for (const name of names) {
        const answer = await server.get(`/${list}?${name}=`, user.headers);
        assert.deepEqual([answer.status, jsonOf(answer)['code']], [400, 'INVALID_PARAMETER'], `${list} ${name}`);
      }
      assert.equal((await server.get(`/${list}?after=`, user.headers)).status, 200);
    }
  });
});
