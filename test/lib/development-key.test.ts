import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { keptKey } from '../../src/lib/development-key.ts';

/** Reads each key again and again until it exists, and posts those that were empty. */
const READER = `
  const { readFileSync } = require('node:fs');
  const { parentPort, workerData } = require('node:worker_threads');
  const read = (file) => { try { return readFileSync(file, 'utf8'); } catch { return null; } };
  parentPort.postMessage('reading');
  const empty = workerData.filter((file) => { let text; while ((text = read(file)) === null); return text === ''; });
  parentPort.postMessage(empty);`;

// The README starts the service, and makes a payment service beside it at once.
test('a second process never reads half a key', async (context) => {
  const parent = mkdtempSync(join(tmpdir(), 'rubrica-key-'));
  context.after(() => rmSync(parent, { recursive: true }));
  const folders = Array.from({ length: 300 }, (_, at) => join(parent, String(at)));
  const files = folders.map((folder) => join(folder, 'master.key'));
  const reader = new Worker(READER, { eval: true, workerData: files });
  await once(reader, 'message');
  const database = 'sqlite::memory:';
  for (const dataDir of folders)
    assert.match(keptKey('development', { dataDir, database, makes: true }), /^[\w-]{43}$/);
  const [empty] = await once(reader, 'message');
  assert.deepEqual(empty, []);
  assert.deepEqual(readdirSync(folders[0] as string), ['master.key'], 'no part is left');
});
