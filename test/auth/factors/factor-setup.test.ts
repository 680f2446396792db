import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginSetup, readSetup } from '../../../src/auth/factors/factor-setup.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';

const SETUP = { id: 'fac_1', secret: 'JBSWY3DPEHPK3PXP' };

test('a second factor is set up within fifteen minutes of the question, by its owner alone, unchanged', () => {
  // Nothing of it is in the store.
  const app = createTestApp({} as TestApp['db']);
  const text = beginSetup(app, 'us_1', SETUP);
  assert.ok(!text.includes(SETUP.secret));
  assert.deepEqual(readSetup(app, 'us_1', text), SETUP);
  assert.equal(readSetup(app, 'us_2', text), null);
  assert.equal(readSetup(app, 'us_1', `${text.slice(0, -2)}AA`), null);
  app.now.advance(15 * 60_000 - 1);
  assert.deepEqual(readSetup(app, 'us_1', text), SETUP);
  app.now.advance(1);
  assert.equal(readSetup(app, 'us_1', text), null);
});
