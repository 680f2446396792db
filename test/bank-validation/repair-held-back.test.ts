import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import { validateCsv } from '../../src/bank-validation/tables/validate-csv.ts';
import { forEachEngine } from '../support/engines.ts';
import { type MessyRow, messyRows } from '../support/messy-accounts.ts';
import { createTestApp } from '../support/test-app.ts';

const ROWS = 4000;
/** Another seed than the one that the rules were developed with. */
const SEED = 20_261_122;

forEachEngine('a messy file with known right values', (openTestDatabase) => {
  test('gets at least 95 % of its repairable rows repaired, none of them wrongly', async () => {
    const rows = messyRows(ROWS, SEED);
    const repaired = await repair(createTestApp(await openTestDatabase()), rows);
    const wrong = rows.flatMap((row, index) => wrongCells(row, repaired[index] as Repaired));
    assert.deepEqual(wrong, []);
    const messy = rows.flatMap((row, index) =>
      row.done.length > 0 ? [{ row, after: repaired[index] as Repaired }] : [],
    );
    const repairable = messy.filter(({ row }) => row.repairable);
    const left = repairable.filter(({ row, after }) => !isTruth(row, after));
    assert.ok(repairable.length > ROWS / 3, String(repairable.length));
    assert.ok(
      left.length <= repairable.length * 0.05,
      `${left.length} of ${repairable.length} were left: ${causes(left)}`,
    );
    for (const { row, after } of messy)
      if (!row.repairable) assert.notEqual(after['is_valid'], 'true', row.done.join());
  });
});

type Repaired = Readonly<Record<string, string>>;

async function repair(app: Parameters<typeof validateCsv>[0], rows: readonly MessyRow[]): Promise<Repaired[]> {
  const lines = rows.map(({ cells }) => [cells.rut, cells.bank, cells.account].map(quoted).join(';'));
  const verdicts = collector();
  await validateCsv(app, Readable.from([Buffer.from(`RUT;Banco;N° Cuenta\n${lines.join('\n')}\n`)]), verdicts.stream, {
    repaired: collector().stream,
  });
  const [head = '', ...body] = verdicts.text().trimEnd().split('\n');
  const names = head.split(';');
  return body.map((line) => Object.fromEntries(cellsOf(line).map((cell, index) => [names[index] ?? '', cell])));
}

/** Returns the cells of a payable row that were repaired to a wrong value. */
function wrongCells({ cells, truth, done }: MessyRow, after: Repaired): string[] {
  const found = [];
  if (after['rut_read'] !== '' && after['rut_read'] !== truth.rut) found.push(`${cells.rut} → ${after['rut_read']}`);
  if (after['is_valid'] === 'true' && !isTruth({ truth }, after)) {
    found.push(`${JSON.stringify(cells)} → ${after['rut_read']} ${after['bank_code']} ${after['account_read']}`);
  }
  return found.map((one) => `${one} (${done.join()})`);
}

function isTruth({ truth }: Pick<MessyRow, 'truth'>, after: Repaired): boolean {
  return (
    after['is_valid'] === 'true' &&
    after['rut_read'] === truth.rut &&
    after['bank_code'] === truth.bank &&
    after['account_read']?.replace(/^0+/, '') === truth.account
  );
}

/** Returns the causes of unrepaired rows, the most frequent first. */
function causes(left: readonly { row: MessyRow; after: Repaired }[]): string {
  const counted = new Map<string, number>();
  for (const { row, after } of left) {
    const cause = `${after['codes']} ${JSON.stringify(row.cells)}`;
    counted.set(cause, (counted.get(cause) ?? 0) + 1);
  }
  return [...counted]
    .sort((one, other) => other[1] - one[1])
    .slice(0, 40)
    .map(([cause, count]) => `\n${count} ${cause}`)
    .join('');
}

function quoted(cell: string): string {
  return /["\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|;)(?:"((?:[^"]|"")*)"|([^;]*))/g)].map(([, inQuotes, plain]) =>
    (inQuotes ?? plain ?? '').replaceAll('""', '"'),
  );
}

function collector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') };
}
