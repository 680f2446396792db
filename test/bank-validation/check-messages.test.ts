import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import {
  CODE_MESSAGES,
  PASS_MESSAGES,
  SUGGESTION_MESSAGES,
  VERDICT_MESSAGES,
} from '../../src/bank-validation/check-messages.ts';

suite('the messages of checks', () => {
  test('docs/bank-account-validation.md explains every code and no other', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/bank-account-validation.md'), 'utf8');
    const section = /## Codes\n([^]*?)\n## /.exec(page)?.[1] ?? '';
    const named = [...section.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, code]) => code);
    assert.equal(named.length, new Set(named).size);
    assert.deepEqual(new Set(named), new Set(Object.keys(CODE_MESSAGES)));
  });

  test('both languages have the same placeholders', () => {
    const tables = [CODE_MESSAGES, PASS_MESSAGES, SUGGESTION_MESSAGES, VERDICT_MESSAGES];
    for (const { en, es } of tables.flatMap((table) => Object.values(table))) {
      const places = (text: string) => text.match(/\{\w+\}/g)?.toSorted() ?? [];
      assert.deepEqual(places(es), places(en), en);
    }
  });
});
