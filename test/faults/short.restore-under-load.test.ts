import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { forEachEngine } from '../support/engines.ts';
import { type Rehearsal, restoreUnderLoad } from './restore-under-load.ts';
import { prepareStore } from './support/prepare-store.ts';
import { rehearseFile } from './support/rehearsals.ts';

/** The short form of restore-under-load.fault.ts: on PostgreSQL a copy of the database stands in for a backup. */
forEachEngine('a restore under load, short form', (openTestDatabase, engine) => {
  test('reuses no id or webhook id, and old cursors of the feed are refused', async (context) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'rubrica-restore-'));
    context.after(() => rmSync(dataDir, { recursive: true }));
    const rehearsal = engine === 'sqlite' ? await rehearseFile(dataDir) : await ofDatabase(dataDir);
    const { problems, ids, webhookIds, lost } = await restoreUnderLoad(rehearsal, 20);
    assert.deepEqual(problems, []);
    assert.ok(ids >= 60 && webhookIds >= 60 && lost >= 20);
  });

  async function ofDatabase(dataDir: string): Promise<Rehearsal> {
    // A new database without connections, because a connected one cannot be copied.
    const database = await openTestDatabase({ migrated: false });
    const { url } = database;
    await database.close();
    const token = await prepareStore(url);
    const name = new URL(url).pathname.slice(1);
    return {
      databaseUrl: url,
      dataDir,
      token,
      backUp: () => administer(`create database ${name}_copy template ${name}`),
      goBack: () => administer(`drop database ${name} with (force)`, `alter database ${name}_copy rename to ${name}`),
      command: ['after-restore'],
    };
  }

  async function administer(...statements: string[]): Promise<void> {
    const client = new pg.Client(process.env.TEST_POSTGRES_URL);
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }
});
