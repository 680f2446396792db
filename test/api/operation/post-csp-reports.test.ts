import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { readCounter } from '../../checkout/checkout-case.ts';
import { forEachEngine } from '../../support/engines.ts';
import { createTestApp } from '../../support/test-app.ts';
import { startTestServer } from '../../support/test-server.ts';

const SECRET_LINK = 'https://pay.example.cl/pay/rt-AAAAAAAAAAAAAAAAAAAAAA';

forEachEngine('POST /csp-reports', (openTestDatabase) => {
  test('writes down what was stopped, and never the address of the page', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const app = createTestApp(await openTestDatabase(), { log });
    await using server = await startTestServer(app);
    const answers = [
      await server.post('/csp-reports', {
        headers: { 'content-type': 'application/csp-report' },
        body: JSON.stringify({
          'csp-report': {
            'document-uri': SECRET_LINK,
            'effective-directive': 'script-src-elem',
            'blocked-uri': `${SECRET_LINK}?x`,
          },
        }),
      }),
      await server.post('/csp-reports', {
        headers: { 'content-type': 'application/reports+json' },
        body: JSON.stringify([
          {
            type: 'csp-violation',
            url: SECRET_LINK,
            body: { documentURL: SECRET_LINK, effectiveDirective: 'style-src-attr', blockedURL: 'inline' },
          },
        ]),
      }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [204, 204],
    );
    const told = lines.map((line) => JSON.parse(line) as { directive: string; blocked: string });
    assert.deepEqual(
      told.map(({ directive, blocked }) => [directive, blocked]),
      [
        ['script-src-elem', 'https://pay.example.cl'],
        ['style-src-attr', 'inline'],
      ],
    );
    assert.doesNotMatch(lines.join(''), /AAAAAAAA/);
    assert.equal(await readCounter(app.metrics.policyViolations), 2);
  });

  test('writes nothing of what is no report', async () => {
    const app = createTestApp(await openTestDatabase());
    await using server = await startTestServer(app);
    for (const body of [
      '',
      '{',
      'null',
      '[]',
      '[null,1,"x",[]]',
      '{"csp-report":{"effective-directive":"a\\nb"}}',
      '{"body":{}}',
    ]) {
      assert.equal(
        (await server.post('/csp-reports', { body, headers: { 'content-type': 'application/json' } })).status,
        204,
      );
    }
    assert.equal(await readCounter(app.metrics.policyViolations), 0);
  });
});
