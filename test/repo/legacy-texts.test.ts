import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CATALOGUE } from '../../src/error-catalogue.ts';
import { REFUND_REFUSAL_CODES } from '../../src/refunds/refund-refusal.ts';
import { readSourceFiles } from '../support/source-tree.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/compatibility.md'), 'utf8');
const rows = page
  .slice(page.indexOf('## Which texts are Spanish'))
  .split('\n')
  .filter((line) => line.startsWith('| `'));
const SPANISH = /[áéíóúñ¿¡]|\bTrx [a-z]/;

test('docs/compatibility.md has the Spanish texts of the API unchanged', () => {
  const source = readSourceFiles('src/api/**/*.ts', 'src/refunds/*.ts')
    .map(({ text }) => text)
    .join('\n');
  const texts = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, text]) => text as string),
  );
  assert.ok(texts.length > 10);
  for (const text of texts) assert.ok(source.includes(text), text);
});

test('docs/compatibility.md has the text of every refusal of a refund', () => {
  const listed = rows.map((row) => /`([A-Z_]+)`/.exec(row)?.[1]);
  for (const code of REFUND_REFUSAL_CODES) assert.ok(listed.includes(code), code);
});

test('no error of the catalogue is Spanish', () => {
  for (const { title, fix } of Object.values(CATALOGUE)) assert.doesNotMatch(title + fix, SPANISH);
});
