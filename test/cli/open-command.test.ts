import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { payUrl } from '../../src/checkout/pay-link.ts';
import { readConfig } from '../../src/config.ts';
import { forEachEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { createTestApp } from '../support/test-app.ts';
import { createPaidTransaction } from '../support/test-books.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const folder = mkdtempSync(join(tmpdir(), 'rubrica-open-'));
after(() => rmSync(folder, { recursive: true }));
const settings = { DATA_DIR: folder, MASTER_KEY: '5a'.repeat(32) };
const open = (words: string[], more: Record<string, string> = {}) =>
  runCommand(['open', ...words], { env: { ...process.env, ...settings, ...more } });

test('open prints the addresses of the console and the documentation, and creates no store', async () => {
  assert.equal((await open([])).stdout, 'http://127.0.0.1:8080/console\n');
  const behindProxy = { PUBLIC_URL: 'https://pay.example.cl', BASE_PATH: '/pagos' };
  assert.equal((await open(['docs', '--json'], behindProxy)).stdout, '{"url":"https://pay.example.cl/pagos/docs"}\n');
  assert.deepEqual(readdirSync(folder), []);
});

forEachEngine('open pay', (openTestDatabase) => {
  test('prints the pay page of a transaction, and refuses a missing or unknown one', async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db, { config: readConfig({ ...settings, DATABASE_URL: db.url }) });
    const paid = await createPaidTransaction(app, await createTestEnvironment(app));
    const store = { DATABASE_URL: db.url };
    assert.equal((await open(['pay', String(paid.id)], store)).stdout, `${payUrl(app, paid)}\n`);
    assert.match((await open(['pay'], store)).stderr, /^USAGE: Say which payment: bin\/rubrica open pay 1001/);
    assert.match((await open(['pay', '7'], store)).stderr, /^NOT_FOUND: There is no transaction 7/);
  });
});
