import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { test } from 'node:test';
import { compileFunction } from 'node:vm';
import { listAudit } from '../../src/audit/list-audit.ts';
import type { FetchOutcome, FetchRequest } from '../../src/lib/network/safe-fetch.ts';
import { createCallbackDelivery } from '../../src/outbox/deliver-callbacks.ts';
import { diagnoseCallback, diagnoseEndpoint } from '../../src/outbox/endpoints/diagnose-endpoint.ts';
import { listTroubled } from '../../src/outbox/endpoints/list-troubled.ts';
import { inLanguage, receiverLines } from '../../src/outbox/endpoints/receiver-lines.ts';
import { trySignature } from '../../src/outbox/endpoints/try-signature.ts';
import { enqueuePost, enqueuePosts } from '../../src/outbox/enqueue-post.ts';
import { forEachEngine, type OpenTestDatabase } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { createTestEnvironment } from '../support/test-shop.ts';

const answered = (status: number, excerpt = '', location?: string): FetchOutcome => ({
  kind: 'answered',
  status,
  retryAfter: null,
  excerpt,
  ...(location !== undefined && { location }),
  durationMs: 90,
});

const failed = (reason: 'timeout' | 'dns' | 'tls', detail: string): FetchOutcome => ({
  kind: 'failed',
  reason,
  detail,
  durationMs: 15_000,
});

/** The present answer of the shop, and the cause that the doctor names. */
const TABLE: [about: string, answer: FetchOutcome, code: string, hasLines: boolean][] = [
  ['a page that a deployment removed', answered(404), 'not_found_since', true],
  ['a log-in that looks like a handled callback', answered(302, '', '/login'), 'login', true],
  ['a log-in page with 200', answered(200, '<input type="password">'), 'login', true],
  ['a firewall', answered(403, '<title>Attention Required!'), 'firewall', false],
  ['a wrong signature check', answered(400, 'invalid signature'), 'signature', true],
  ['a shop that works before it answers', failed('timeout', 'ETIMEDOUT'), 'timeout', true],
  ['a host name that no longer exists', failed('dns', 'ENOTFOUND'), 'dns', false],
  ['an expired certificate', failed('tls', 'CERT_HAS_EXPIRED'), 'tls_expired', false],
  ['an address that has moved', answered(301, '', 'https://www.shop.example.cl/callback'), 'moved', false],
];

forEachEngine('the doctor of deliveries', (openTestDatabase) => {
  test('names the cause of a failing endpoint, and the lines to change when the shop’s code is at fault', async () => {
    const shop = await openShop(openTestDatabase);
    for (const [about, answer, code, hasLines] of TABLE) {
      const address = `https://${code}.example.cl/callback`;
      await shop.send(address, answered(200));
      await shop.send(address, answer);
      const id = await shop.endpointOf(address);
      const diagnosis = await diagnoseEndpoint(shop.app, id, 'es', String);
      assert.equal(diagnosis?.found?.code, code, about);
      assert.equal(diagnosis.lines !== null, hasLines, about);
      assert.doesNotMatch(`${diagnosis.found.cause}${diagnosis.found.fix}`, /[{}]/, about);
      assert.equal(diagnosis.took?.status, 200, about);
    }
  });

  test('finds nothing at an endpoint that works, and returns nothing for an unknown endpoint', async () => {
    const shop = await openShop(openTestDatabase);
    await shop.send('https://well.example.cl/', answered(200));
    const id = await shop.endpointOf('https://well.example.cl/');
    const diagnosis = await diagnoseEndpoint(shop.app, id, 'en', String);
    assert.deepEqual([diagnosis?.found, diagnosis?.lines, diagnosis?.answers], [null, null, []]);
    assert.equal(await diagnoseEndpoint(shop.app, 999, 'en', String), null);
    assert.equal(await diagnoseCallback(shop.app, 999, 'en', String), null);
  });

  test('counts the other causes of recent answers, of that endpoint only', async () => {
    const shop = await openShop(openTestDatabase);
    for (const status of [500, 503, 404]) await shop.send('https://one.example.cl/', answered(status));
    await shop.send('https://other.example.cl/', answered(403));
    const diagnosis = await diagnoseCallback(shop.app, 1, 'en', String);
    assert.equal(diagnosis?.found?.cause, 'there is no such page (404)');
    assert.deepEqual(
      diagnosis.others.map(({ times }) => times),
      [1, 1],
    );
  });
});

const VERDICTS: [verdict: string, right: FetchOutcome, wrong: FetchOutcome][] = [
  ['checks', answered(200), answered(400)],
  ['checks', answered(404), answered(401)],
  ['takes_anything', answered(200), answered(200)],
  ['takes_anything', answered(400), answered(302)],
  ['refuses_ours', answered(401), answered(401)],
  ['redirects', answered(301, '', '/new'), answered(301, '', '/new')],
  ['redirects', answered(308), answered(308)],
  // The same path elsewhere: not a page for the payer.
  [
    'redirects',
    answered(302, '', 'https://www.shop.example.cl/callback'),
    answered(302, '', 'https://www.shop.example.cl/callback'),
  ],
  ['unclear', answered(302, '', '/login'), answered(302, '', '/login')],
  ['unclear', answered(301, '', '/new'), answered(404)],
  ['unclear', answered(404), answered(404)],
  ['unclear', answered(500), answered(400)],
  ['unclear', failed('timeout', 'ETIMEDOUT'), answered(400)],
];

forEachEngine('a test event', (openTestDatabase) => {
  test('is sent with a right and a wrong signature, and the two answers show whether the shop checks it', async () => {
    const shop = await openShop(openTestDatabase);
    await shop.send('https://shop.example.cl/callback?store=7', answered(500));
    for (const [verdict, right, wrong] of VERDICTS) {
      shop.answer(({ body }) => (shop.isSigned(String(body)) ? right : wrong));
      assert.equal((await trySignature(shop.app, 1, TESTER))?.verdict, verdict);
    }
    shop.answer(() => answered(301, '', '/new?a=1'));
    assert.equal((await trySignature(shop.app, 1, TESTER))?.to, 'https://shop.example.cl/new?a=1');
    assert.equal(shop.sent.at(-1)?.url, 'https://shop.example.cl/callback?store=7');
    const fields = new URLSearchParams(String(shop.sent.at(-1)?.body));
    assert.deepEqual([fields.get('x_result'), fields.get('x_reference')], ['pending', 'RUBRICA-TEST']);
    const { acts } = await listAudit(shop.app, { action: 'endpoint.tested' }, 100);
    assert.equal(acts.length, VERDICTS.length + 1);
    assert.equal(await trySignature(shop.app, 99, TESTER), null);
  });

  test('lists a shop that redirects to a log-in page also after hundreds of redirects of shops that took the callback', async () => {
    const shop = await openShop(openTestDatabase);
    const { app, environment } = shop;
    await shop.send('https://shut.example/callback', answered(302, '', '/login'));
    shop.answer(() => answered(302, '', '/thanks'));
    const posts = Array.from({ length: 600 }, (_, number) => ({
      environmentId: environment.id,
      transactionId: 1_000 + number,
      sequence: 1,
      at: app.now(),
      url: `https://taken${number % 8}.example/callback`,
      contentType: 'application/x-www-form-urlencoded' as const,
      body: 'x=1',
    }));
    await app.db.transaction((tx) => enqueuePosts(tx, posts));
    const delivery = createCallbackDelivery(app);
    app.now.advance(1000);
    while ((await delivery.poll()) > 0) await delivery.settled();
    await delivery.drain();
    assert.equal((await app.db.query(`select id from callbacks where state = 'redirected'`)).length, 601);
    const listed = await listTroubled(app, 100, 'en');
    assert.deepEqual(
      listed.map(({ address, cause }) => [address, cause?.code]),
      [['https://shut.example/callback', 'login']],
    );
  });
});

test('the comments of the suggested lines are in the language of the reader', () => {
  for (const code of ['timeout', 'login', 'not_found'] as const) {
    for (const lines of Object.values(receiverLines(code, 'https://shop.example.cl/callback') ?? {})) {
      assert.equal(inLanguage('en', lines), lines);
      const comments = (text: string): string[] => [...(text.match(/(?:\/\/|#) .*$/gm) ?? [])];
      const spanish = comments(inLanguage('es', lines));
      assert.deepEqual(
        comments(lines).filter((comment) => spanish.includes(comment) && !comment.startsWith('# path(')),
        [],
      );
    }
  }
});

test('the suggested check for Node accepts a right signature and refuses a wrong one', () => {
  const { node = '' } = receiverLines('signature', 'https://shop.example.cl/callback') ?? {};
  const secretToken = 'secret';
  const fields = { x_amount: '1.00', x_account_id: 'a', x_message: 'Aprobado ñ' };
  const message = `x_account_id${fields.x_account_id}x_amount1.00x_messageAprobado ñ`;
  const signature = createHmac('sha256', secretToken).update(message).digest('hex');
  const names = ['body', 'secretToken', 'createHmac', 'timingSafeEqual', 'response'];
  const receive = compileFunction(`${node}\nreturn 'taken';`, names) as (...values: unknown[]) => unknown;
  const response = { writeHead: (status: number) => ({ end: () => status }) };
  const run = (x_signature: string) =>
    receive(
      String(new URLSearchParams({ ...fields, x_signature })),
      secretToken,
      createHmac,
      timingSafeEqual,
      response,
    );
  assert.equal(run(signature), 'taken');
  for (const wrong of ['', 'ñ'.repeat(64), signature.toUpperCase(), signature.slice(1)]) assert.equal(run(wrong), 400);
});

async function openShop(openTestDatabase: OpenTestDatabase) {
  let answer: (request: FetchRequest) => FetchOutcome = () => answered(200);
  const sent: FetchRequest[] = [];
  const app = createTestApp(await openTestDatabase(), {
    fetch: async (request) => {
      sent.push(request);
      return answer(request);
    },
  });
  const environment = await createTestEnvironment(app);
  let sequence = 1;
  return {
    app,
    environment,
    sent,
    answer: (next: typeof answer) => {
      answer = next;
    },
    isSigned: (body: string) => {
      const { x_signature: received, ...fields } = Object.fromEntries(new URLSearchParams(body));
      const message = Object.keys(fields)
        .sort()
        .map((name) => name + fields[name])
        .join('');
      return (
        createHmac('sha256', environment.secrets[0]?.text ?? '')
          .update(message)
          .digest('hex') === received
      );
    },
    /** Sends a callback to an endpoint, which answers with `outcome`. */
    send: async (url: string, outcome: FetchOutcome) => {
      answer = () => outcome;
      sequence += 1;
      await app.db.transaction((tx) =>
        enqueuePost(tx, {
          environmentId: environment.id,
          transactionId: sequence,
          sequence,
          at: app.now(),
          url,
          contentType: 'application/x-www-form-urlencoded',
          body: 'x=1',
        }),
      );
      app.now.advance(1000);
      const delivery = createCallbackDelivery(app);
      await delivery.poll();
      await delivery.drain();
    },
    endpointOf: async (address: string): Promise<number> => {
      const [row] = await app.db.query<{ id: number }>('select id from endpoints where address = $1', [address]);
      return row?.id ?? 0;
    },
  };
}
