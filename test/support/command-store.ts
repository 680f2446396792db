import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { TestDatabase } from './engines.ts';

/** Returns a folder that is gone after the test, and the settings with which commands use it and the database. */
export function commandStore(context: TestContext, { url }: TestDatabase) {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-command-'));
  context.after(() => rmSync(folder, { recursive: true }));
  return { folder, env: { DATABASE_URL: url, DATA_DIR: folder, MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent' } };
}
