import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { ROUTES } from '../../src/server/routes.ts';
import { exchangeBytes, type RawAnswer } from './exchange-bytes.ts';
import { headerFaults } from './header-faults.ts';
import { signedForm } from './signed-requests.ts';
import { type ProductTarget, startProduct } from './target.ts';

type Probe = { title: string; method: string; path: string; headers?: string; body?: string; status?: number };

describe('every answer has the fixed headers', () => {
  let target: ProductTarget;
  const seen = new Set<number>();
  before(async () => {
    target = await startProduct();
  });
  after(() => target.close());

  for (const endpoint of ROUTES) {
    for (const probe of probesOf(endpoint)) {
      test(`${probe.title}: ${probe.method} ${probe.path}`, async () => {
        const answer = await ask(target, probe);
        seen.add(answer.status);
        assert.deepEqual(headerFaults(answer), []);
        assert.ok(answer.headers['x-request-id']?.length === 1);
        assert.ok(answer.status < 500, `status ${answer.status}`);
        if (probe.status !== undefined) assert.equal(answer.status, probe.status);
        if (answer.status === 405) assert.ok(answer.headers.allow?.[0]?.split(', ').includes(endpoint.method));
        if (probe.method === 'HEAD') assert.equal(answer.body, '');
      });
    }
  }

  test('when a browser is redirected to the pay page', async () => {
    const answer = await ask(target, {
      title: 'redirect',
      method: 'POST',
      path: '/initTransaction',
      headers: 'Content-Type: application/x-www-form-urlencoded\r\n',
      body: signedForm(),
    });
    seen.add(answer.status);
    assert.equal(answer.status, 303);
    assert.deepEqual(headerFaults(answer), []);
  });

  for (const first of ['GET /nowhere', 'POST /nowhere', 'GET /%zz', 'GET *', 'GET /trxs/1/../2', 'BREW /trxs']) {
    test(`at an unknown address or method: ${first}`, async () => {
      const [answer] = (await exchangeBytes(target.port, `${first} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`))
        .answers;
      assert.ok(answer !== undefined && [400, 404].includes(answer.status));
      assert.deepEqual(headerFaults(answer), []);
    });
  }

  test('when the store fails, without details of the failure', async () => {
    const { db } = target.app;
    const fail = async () => {
      throw new Error('disk /var/lib/secret broke');
    };
    Object.assign(target.app, { db: { ...db, query: fail, transaction: fail } });
    for (const endpoint of ROUTES) {
      for (const probe of probesOf(endpoint)) {
        const answer = await ask(target, probe);
        seen.add(answer.status);
        assert.deepEqual(headerFaults(answer), [], `${probe.method} ${probe.path}`);
        assert.doesNotMatch(answer.body, /\/var\/lib\/secret|\.ts:\d/);
      }
    }
    Object.assign(target.app, { db });
  });

  test('in every class of status, and each class was seen', () => {
    assert.deepEqual(
      [...new Set([...seen].map((status) => Math.floor(status / 100)))].sort((a, b) => a - b),
      [2, 3, 4, 5],
    );
  });
});

/** Lists requests to every address of the endpoint that lead to different responses. */
function probesOf(endpoint: Endpoint): Probe[] {
  return endpoint.paths.flatMap((pattern) => {
    const path = pattern.replace(/:\w+/g, '1');
    const { method, consumes } = endpoint;
    const type = `Content-Type: ${consumes?.[0] ?? 'text/plain'}\r\n`;
    const bearer = 'Authorization: Bearer ';
    const probes: Probe[] = [
      { title: 'without a token or body', method, path },
      { title: 'with a wrong token', method, path, headers: `${bearer}no-token\r\n${type}`, body: '{}' },
      {
        title: 'with parameters twice',
        method,
        path: `${path}?a=1&a=2&limit=x&limit=y&after[]=1&method=a&method=b&x_account_id=a&x_account_id=b`,
      },
      { title: 'with a header twice', method, path, headers: `${bearer}a\r\n${bearer}b\r\n`, status: 400 },
      { title: 'with a wrong method', method: 'PATCH', path, status: 405 },
    ];
    if (method === 'GET') probes.push({ title: 'for a HEAD request', method: 'HEAD', path });
    if (consumes !== undefined) {
      probes.push({
        title: 'with another media type',
        method,
        path,
        headers: 'Content-Type: text/csv\r\n',
        body: 'a',
        status: 415,
      });
      probes.push({ title: 'with a broken body', method, path, headers: type, body: '{"' });
    }
    return probes;
  });
}

async function ask(target: ProductTarget, { method, path, headers = '', body = '' }: Probe): Promise<RawAnswer> {
  const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}${length}\r\n`;
  const { answers, rest } = await exchangeBytes(target.port, head + body, { methods: [method] });
  const [answer] = answers;
  assert.ok(answer !== undefined && answers.length === 1 && rest === '', `${answers.length} answers, then ${rest}`);
  return answer;
}
