import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { methodNames } from '../../src/checkout/texts.ts';
import { composeApp } from '../../src/compose-app.ts';
import { readConfig } from '../../src/config.ts';
import { ASSETS, type AssetName, assetPath } from '../../src/http/assets.ts';
import { forEachEngine } from '../support/engines.ts';
import { createTestApp } from '../support/test-app.ts';
import { startTestServer } from '../support/test-server.ts';

forEachEngine('GET /assets', (openTestDatabase) => {
  test('lets browsers cache a file forever under its version, and for an hour without the right version', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    for (const name of Object.keys(ASSETS) as AssetName[]) {
      const versioned = await server.get(assetPath(app, name));
      assert.equal(versioned.status, 200);
      assert.equal(versioned.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.equal(versioned.headers.get('content-type'), ASSETS[name].type);
      assert.equal(versioned.headers.get('cross-origin-resource-policy'), 'cross-origin');
      for (const path of [`/assets/${name}`, `/assets/${name}?v=000000000000`]) {
        assert.equal((await server.get(path)).headers.get('cache-control'), 'public, max-age=3600');
      }
    }
  });

  test('answers 404 for any other name', async () => {
    await using server = await startTestServer(createTestApp(await openTestDatabase()));
    for (const name of ['none.css', 'constructor', '__proto__', '%2e%2e%2fapp.ts', 'pay.css/', '']) {
      assert.equal((await server.get(`/assets/${name}`)).status, 404, name);
    }
  });
});

test('every payment method of the service has its image among the assets, and its name in both languages', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-pictures-'));
  const app = composeApp(readConfig({ DATA_DIR: folder, LOG_FORMAT: 'json' }), () => {});
  const lacks = app.paymentMethods.filter(({ imagePath }) => !(imagePath.replace('/assets/', '') in ASSETS));
  const nameless = app.paymentMethods.filter(({ code }) => Object.values(methodNames(code)).includes(code));
  await app.close();
  rmSync(folder, { recursive: true });
  assert.ok(app.paymentMethods.length > 2);
  assert.deepEqual(
    lacks.map(({ code }) => code),
    [],
    'methods whose imagePath is not in ASSETS of src/http/assets.ts',
  );
  assert.deepEqual(
    nameless.map(({ code }) => code),
    [],
    'methods without method.CODE in both languages of src/checkout/texts.ts',
  );
});
