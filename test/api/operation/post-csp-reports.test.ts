import assert from 'node:assert/strict';
import { test } from 'node:test';
import pino from 'pino';
import { ownFindings } from '../../../src/health/process-findings.ts';
import { readCounter } from '../../checkout/checkout-case.ts';
import { forEachEngine } from '../../support/engines.ts';
import { createTestApp } from '../../support/test-app.ts';
import { startTestServer } from '../../support/test-server.ts';
import { createTestUser } from '../../support/test-user.ts';

const SECRET_LINK = 'https://pay.example.cl/pay/rt-AAAAAAAAAAAAAAAAAAAAAA';

forEachEngine('POST /csp-reports', (openTestDatabase) => {
  test('records what the browser blocked, and never the address of the page', async () => {
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
    const owner = await createTestUser(app, { role: 'owner', may: [] });
    const health = await server.get('/console/health', { ...owner.console, 'accept-language': 'en' });
    assert.match(health.text, /Since this process started: 2\./, 'the health page counts the reports');
    assert.match(
      health.text,
      /style-src-attr<\/span>[^]*inline<[^]*script-src-elem<\/span>[^]*https:\/\/pay\.example\.cl</,
    );
    const finding = (await ownFindings(app)).find(({ check }) => check === 'policy');
    assert.deepEqual(finding, {
      check: 'policy',
      says: {
        en: 'browsers blocked something 2 times, last style-src-attr from inline',
        es: 'los navegadores dicen que detuvieron algo 2 veces, lo último style-src-attr de inline',
      },
      // Anybody can send such a report, so no person is alarmed.
      fix: null,
    });
  });

  test('limits the number and length of the log lines that reports cause', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const app = createTestApp(await openTestDatabase(), { log });
    await using server = await startTestServer(app);
    const report = { body: { effectiveDirective: 'img-src', blockedURL: `https://${'a'.repeat(1_000)}.example` } };
    const body = JSON.stringify(Array.from({ length: 10 }, () => report));
    const send = () => server.post('/csp-reports', { body, headers: { 'content-type': 'application/reports+json' } });
    for (let times = 0; times < 10; times++) await send();
    assert.equal(lines.length, 60);
    assert.ok(lines.every((line) => line.length < 600));
    assert.equal(await readCounter(app.metrics.policyViolations), 100);
    app.now.advance(60_000);
    await send();
    assert.equal(lines.length, 70);
  });

  test('records nothing for an invalid report', async () => {
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
