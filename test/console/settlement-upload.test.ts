import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forEachEngine } from '../support/engines.ts';
import { assertMarked } from '../support/field-at-fault.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';
import { createTestEnvironment } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

forEachEngine('the form that compares a settlement', (openTestDatabase) => {
  test('keeps the chosen environment and merchant when its file is refused', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    const { paymentServiceId: merchant } = await createTestEnvironment(app);
    const finance = await createTestUser(app, { role: 'finance', may: [] });
    const form = new FormData();
    form.set('file', new Blob(['no settlement']), 'abono.csv');
    for (const [name, value] of Object.entries({ method: 'simulated', environment: 'production', merchant }))
      form.set(name, value);
    const request = new Request('http://localhost', { method: 'POST', body: form });
    const type = request.headers.get('content-type') ?? '';
    const refused = await server.post('/console/settlements', {
      headers: { 'content-type': type, 'sec-fetch-site': 'same-origin', ...finance.console },
      body: await request.text(),
    });
    assert.equal(refused.status, 400);
    assertMarked(refused.text, 'file');
    const chosen = [...refused.text.matchAll(/<option value="([^"]+)" selected>/g)].map(([, value]) => value);
    assert.deepEqual(chosen, ['simulated', 'production', merchant]);
  });
});
