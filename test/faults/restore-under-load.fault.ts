import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { whyMissing } from '../support/system-programs.ts';
import type { PlantName } from './plants.ts';
import { restoreUnderLoad } from './restore-under-load.ts';
import { startArchivedPostgres } from './support/archived-postgres.ts';
import { rehearseFile, rehearsePointInTime } from './support/rehearsals.ts';
import { report } from './support/report.ts';

const CREATED = Number(process.env.FAULT_CREATED ?? 1000);

describe('a restore under load', () => {
  test(`of an embedded store reuses no id, with ${CREATED} orders before, lost and after`, async (context) => {
    const result = await restoreUnderLoad(await rehearseFile(makeFolder(context)), CREATED);
    report('restore, SQLite', { ...result, problems: result.problems.length });
    assert.deepEqual(result.problems, []);
  });

  test('of PostgreSQL to a point in time reuses no id', {
    skip: whyMissing('pg_basebackup') ?? false,
  }, async (context) => {
    await using postgres = await startArchivedPostgres();
    const result = await restoreUnderLoad(await rehearsePointInTime(postgres, makeFolder(context)), CREATED);
    report('restore, PostgreSQL to a point in time', { ...result, problems: result.problems.length });
    assert.deepEqual(result.problems, []);
  });

  const plants: [PlantName, RegExp][] = [
    ['ids continue after a restore', /^\d+ is kept|^\d+ is lost/],
    ['no epoch in a webhook id', /was told as/],
    ['no hold after a restore', /callbacks left before the release/],
    ['a cursor of any epoch', /an old cursor was answered 200/],
    ['no mark of the store', /it started on an older store/],
  ];
  for (const [plant, problem] of plants) {
    test(`catches the planted bug: ${plant}`, async (context) => {
      const { problems } = await restoreUnderLoad(await rehearseFile(makeFolder(context)), 20, plant);
      report(plant, { problems: problems.length, first: problems[0] });
      assert.match(problems.join('\n'), new RegExp(problem, 'm'));
    });
  }
});

function makeFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'rubrica-restore-'));
  context.after(() => rmSync(folder, { recursive: true }));
  return folder;
}
