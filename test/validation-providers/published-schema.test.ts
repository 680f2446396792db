import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isDay } from '../../src/lib/calendar-day.ts';
import type { FetchOutcome } from '../../src/lib/network/safe-fetch.ts';
import { createHttpProvider } from '../../src/validation-providers/http-provider.ts';
import { questionOf } from '../contracts/validation-provider.contract.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/validation-provider.md'), 'utf8');

suite('docs/validation-provider.md', () => {
  test('describes the question that is sent', async () => {
    const { bodies } = await ask({ result: 'match' });
    const validate = schemaOf('question');
    assert.ok(bodies.every((body) => validate(JSON.parse(body))));
  });

  const answers: [body: object, followsSchema: boolean][] = [
    [{ result: 'match' }, true],
    [{ result: 'close_match', valid_until: null }, true],
    [{ result: 'no_match', reason: 'account_closed', valid_until: '2030-01-01T00:00:00Z' }, true],
    [{ result: 'not_checkable', more: 'is ignored' }, true],
    [{ result: 'opted_out' }, true],
    [{ result: 'match', name_match: 'close' }, true],
    [{ result: 'match', holder_name: 'Ana Díaz', name_match: null }, true],
    [{ result: 'match', name_match: 'yes' }, false],
    [{ result: 'match', holder_name: 5 }, false],
    [{}, false],
    [{ result: 'yes' }, false],
    [{ result: null }, false],
    [{ result: 'match', valid_until: 5 }, false],
    [{ result: 'match', valid_until: '2030-01-01T00:00:00.123456789-03:00' }, true],
    [{ result: 'match', valid_until: '2030-01-01' }, false],
    [{ result: 'match', valid_until: '2030-01-01T00:00:00' }, false],
    [{ result: 'match', valid_until: '2030-02-30T00:00:00Z' }, false],
    [{ result: 'match', valid_until: '01/02/2030' }, false],
    [{ result: 'match', valid_until: '1' }, false],
  ];
  for (const [body, followsSchema] of answers) {
    test(`${JSON.stringify(body)} is ${followsSchema ? 'a valid' : 'not a valid'} answer, by the schema and by the program`, async () => {
      assert.equal(schemaOf('answer')(body), followsSchema);
      assert.equal((await ask(body)).answer.kind !== 'unavailable', followsSchema);
    });
  }
});

function schemaOf(name: string) {
  const [, text = ''] = new RegExp(`\`\`\`json schema=${name}\n([^]*?)\`\`\``).exec(page) ?? [];
  return new Ajv2020({ formats: { 'date-time': isDateTime } }).compile(JSON.parse(text) as object);
}

/** RFC 3339, 5.6. */
function isDateTime(text: string): boolean {
  return /^[\d-]{10}T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && isDay(text.slice(0, 10));
}

async function ask(body: object) {
  const bodies: string[] = [];
  const provider = createHttpProvider({
    url: 'https://verify.example/holders',
    key: null,
    now: () => 0,
    sleep: async () => {},
    fetch: async (request): Promise<FetchOutcome> => {
      bodies.push(String(request.body));
      return { kind: 'answered', status: 200, retryAfter: null, excerpt: JSON.stringify(body), durationMs: 1 };
    },
  });
  return { answer: await provider.ask(questionOf('0012345')), bodies };
}
