import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { HELD_BACK, holdBack } from '../../src/http/hold-back.ts';
import { comesTrue } from '../support/comes-true.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';

const db = openDatabase('sqlite::memory:', { connections: 1, pooler: false, onFatal: () => {} });

function createApp(settings: Record<string, string>) {
  return createTestApp(db, { config: readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', ...settings }) });
}

/** Returns how many concurrent refusals are delayed. */
function countHeld(app: ReturnType<typeof createApp>, ip: string, refusals: number, at = 0): number {
  const held = Array.from({ length: refusals }, () => holdBack(app, ip, () => at));
  return held.filter((ms) => ms > 0).length;
}

const { most, windowMs } = HELD_BACK;

test('a network gets a number of refusals at once, and each further refusal is delayed', () => {
  const app = createApp({ RATE_LIMITS: 'on' });
  assert.equal(countHeld(app, '127.0.0.2', most + 5), 5);
  assert.equal(countHeld(app, '127.0.0.3', 1), 0);
  assert.equal(countHeld(app, '127.0.0.2', 1, windowMs), 0);
});

test('addresses with the same first 48 bits of IPv6 count as one network', () => {
  const app = createApp({ RATE_LIMITS: 'on' });
  const held = Array.from({ length: most + 1 }, (_, at) => countHeld(app, `2001:db8:1:${at}::1`, 1));
  assert.equal(held.at(-1), 1);
});

// Otherwise honest requests wait behind a stranger who is refused thousands of times per second.
test('the server delays refusals over the limit, and answers accepted requests meanwhile', async () => {
  const app = createApp({ RATE_LIMITS: 'on' });
  await using server = await startTestServer(app);
  // Tries again if a window of the limit ended in between.
  const isHeld = async () => {
    countHeld(app, '127.0.0.1', most, performance.now());
    const order: string[] = [];
    const refused = server.get('/nothing-here').then(() => order.push('refused'));
    await server.get('/healthz').then(() => order.push('accepted'));
    await refused;
    return order[0] === 'accepted' && /reason="held"/.test(await app.metrics.registry.metrics());
  };
  assert.ok(await comesTrue(isHeld));
});

for (const settings of [{ RATE_LIMITS: 'off' }, { RATE_LIMITS: 'on', TRUST_PROXY: 'true' }])
  test(`the server delays no refusal with ${JSON.stringify(settings)}`, async () => {
    const app = createApp(settings);
    await using server = await startTestServer(app);
    for (let round = 0; round < 3; round++) {
      countHeld(app, '127.0.0.1', most, performance.now());
      const { value: before } = await heldOf(app);
      assert.equal((await server.get('/nothing-here')).status, 404);
      assert.equal((await heldOf(app)).value, before);
    }
  });

async function heldOf(app: ReturnType<typeof createApp>): Promise<{ value: number }> {
  const { values } = await app.metrics.refused.get();
  return { value: values.find(({ labels }) => labels['reason'] === 'held')?.value ?? 0 };
}
