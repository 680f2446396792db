import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueAccessToken } from '../../../src/auth/tokens/access-token.ts';
import { settleDueValidations } from '../../../src/bank-validation/holder/settle-validations.ts';
import { readConfig } from '../../../src/config.ts';
import { createSimulatedProvider } from '../../../src/validation-providers/simulated-provider.ts';
import type { ValidationProvider } from '../../../src/validation-providers/validation-provider.ts';
import { forEachEngine, type OpenTestDatabase } from '../../support/engines.ts';
import { createTestApp, createTestClock } from '../../support/test-app.ts';
import { type Answer, jsonOf, startTestServer } from '../../support/test-server.ts';
import { beginTestSession, createTestUser } from '../../support/test-user.ts';
import { untilVisible } from '../../support/until-visible.ts';
import vectors from '../../vectors/rut-vectors.json' with { type: 'json' };

const PATH = '/validations/BankAccount';

type Check = {
  id: string;
  result: string;
  code: string | null;
  message: string;
  field: string;
  provenance?: unknown;
  grade?: string;
};
type Data = Record<string, unknown> & { id: string; verdict: string; isValid: boolean; checks: Check[]; state: string };
type BatchData = {
  summary: Record<string, number>;
  results: (Data & {
    reference: string | null;
    error: { status: number; code: string; errors: { pointer: string }[] } | null;
  })[];
};

async function setUp(openTestDatabase: OpenTestDatabase, validationProvider: ValidationProvider | null = null) {
  const now = createTestClock();
  const app = createTestApp(await openTestDatabase(), { now, validationProvider });
  const user = await createTestUser(app, { payouts: true });
  const server = await startTestServer(app);
  const post = (body: object, headers: Record<string, string> = {}) =>
    server.post(PATH, { json: body, headers: { ...user.headers, ...headers } });
  const token = async () => {
    const { text } = await issueAccessToken(app, await beginTestSession(app, user.id));
    return { authorization: `Bearer ${text}` };
  };
  const batch = (items: unknown) => server.post(`${PATH}/batch`, { json: { items }, headers: user.headers });
  return { app, user, server, post, batch, token, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

function request(rut: unknown, bank: unknown = '001', account: unknown = '1234509876') {
  return { rut, bankData: { bankSBIFNumber: bank, bankAccount: account } };
}

function dataOf(answer: Answer): Data {
  return jsonOf(answer)['data'] as Data;
}

forEachEngine('POST /validations/BankAccount', (openTestDatabase) => {
  test('answers a verdict for a text with a NUL or half a character', async () => {
    await using at = await setUp(openTestDatabase);
    for (const odd of ['\0', '1\0', '\ud800', '12345678-5\udc00']) {
      for (const body of [request(odd), request('12.345.678-5', odd), request('12.345.678-5', '012', odd)]) {
        const answer = await at.post(body);
        assert.deepEqual([answer.status, dataOf(answer).isValid], [200, false], JSON.stringify(body));
        const one = await at.batch([body]);
        assert.equal(jsonOf(one)['message'], '1 account was checked.');
        const { summary } = dataOf(one) as unknown as BatchData;
        assert.equal(summary['errors'] ?? 0, 0, JSON.stringify(body));
      }
    }
  });

  test('answers a verdict with every check behind it, in the published shape', async () => {
    await using at = await setUp(openTestDatabase);
    const answer = await at.post(request('12.345.678-5', '012', '0012345678'));
    assert.equal(answer.status, 200);
    const { message, errors, data } = jsonOf(answer) as { message: string; errors: null; data: Data };
    assert.equal(message, 'The bank account data is plausible. Who owns the account was not checked.');
    assert.equal(errors, null);
    const { id, checks, ...rest } = data;
    assert.match(id, /^bav_/);
    assert.deepEqual(rest, {
      state: 'completed',
      verdict: 'plausible',
      assurance: 'format',
      isValid: true,
      rut: '12345678-5',
      bank: { code: '012', name: 'Banco del Estado de Chile', status: 'active' },
      account: { masked: '•••••5678' },
      suggestions: [],
      expiresAt: null,
      validatedAt: '2026-01-15T12:00:00.000Z',
    });
    assert.equal(checks.length, 16);
    assert.deepEqual(checks[1], {
      id: 'rut.check_character',
      result: 'pass',
      code: null,
      message: 'The check character is right.',
      field: '/rut',
      provenance: {
        kind: 'rule',
        name: 'rut',
        version: '1',
        as_of: '2026',
        confidence: 'high',
        source: 'modulo 11, as in python-stdnum stdnum/cl/rut.py and the Oracle documentation for Chile',
      },
    });
  });

  test('a RUT that two people could have is undetermined with both readings, until the request says which', async () => {
    await using at = await setUp(openTestDatabase);
    const open = dataOf(await at.post(request('22883518')));
    assert.deepEqual([open.verdict, open.isValid, open['rut']], ['undetermined', false, null]);
    assert.deepEqual(open['readings'], [
      { rut_format: 'with-dv', rut: '2288351-8' },
      { rut_format: 'without-dv', rut: '22883518-8' },
    ]);
    assert.ok(open.checks.some(({ code }) => code === 'RUT_CHECK_DIGIT_MAYBE_MISSING'));
    const onlyOne = dataOf(await at.post(request('12345678')));
    assert.equal(onlyOne.verdict, 'invalid');
    assert.ok(
      !/two/.test(JSON.stringify(onlyOne.checks)),
      'nobody has this RUT with its last digit as check character',
    );
    for (const [format, rut] of [
      ['with-dv', '2288351-8'],
      ['without-dv', '22883518-8'],
    ]) {
      const told = dataOf(await at.post({ ...request('22883518'), rut_format: format }));
      assert.deepEqual([told.verdict, told['rut'], told['readings']], ['plausible', rut, undefined]);
    }
    for (const format of ['with', null, 1]) {
      const answer = await at.post({ ...request('22883518'), rut_format: format });
      assert.deepEqual(
        [answer.status, (jsonOf(answer)['errors'] as { pointer: string }[])[0]?.pointer],
        [422, '/rut_format'],
      );
    }
  });

  test('a name is graded by the provider, and appears neither in a reply nor in the store', async () => {
    await using at = await setUp(openTestDatabase, createSimulatedProvider(Date.now));
    const names: [name: string | undefined, grade: string, verdict: string][] = [
      ['GONZALEZ PEREZ, MARIA JOSE', 'exact', 'confirmed'],
      ['María González', 'close', 'confirmed'],
      ['Pedro González Pérez', 'partial', 'confirmed'],
      ['Pedro Soto', 'none', 'mismatch'],
      [undefined, 'not_performed', 'confirmed'],
    ];
    const item = (holderName: string | undefined, account = '900000000001') => ({
      rut: '11111111-1',
      bankData: { bankSBIFNumber: '001', bankAccount: account },
      ...(holderName !== undefined && { holderName }),
    });
    const gradeOf = ({ checks }: Data) => checks.find(({ id }) => id === 'holder.name_match')?.grade;
    for (const [name, grade, verdict] of names) {
      const answer = await at.post(item(name));
      const read = await at.server.get(`${PATH}/${dataOf(answer).id}`, at.user.headers);
      for (const one of [answer, read]) {
        assert.deepEqual([gradeOf(dataOf(one)), dataOf(one).verdict], [grade, verdict]);
        assert.doesNotMatch(one.text, /gonz|soto/i);
      }
    }
    const { results } = jsonOf(await at.batch(names.map(([name]) => item(name))))['data'] as BatchData;
    assert.deepEqual(
      results.map(gradeOf),
      names.map(([, grade]) => grade),
    );
    assert.equal((await at.post(item('Pedro Soto', '900000000006'))).status, 202);
    const stored = JSON.stringify(await at.app.db.query('select * from bank_account_validations'));
    assert.doesNotMatch(stored, /gonz|soto/i);
  });

  test('says what the provider found, and never that it did not check', async () => {
    await using at = await setUp(openTestDatabase, createSimulatedProvider(Date.now));
    const told = async (account: string, holderName?: string) => {
      const body = { ...request('11.111.111-1', '001', account), ...(holderName !== undefined && { holderName }) };
      const answer = await at.post(body);
      const read = await at.server.get(`${PATH}/${dataOf(answer).id}`, at.user.headers);
      assert.equal(jsonOf(read)['message'], jsonOf(answer)['message']);
      return [dataOf(answer).verdict, dataOf(answer).assurance, jsonOf(answer)['message']];
    };
    assert.deepEqual(await told('900000000003'), [
      'plausible',
      'format',
      'The provider found a close match only. Check the data with the owner of the account.',
    ]);
    const [verdict, assurance, message] = await told('900000000001', 'Pedro Soto');
    assert.deepEqual([verdict, assurance], ['mismatch', 'holder']);
    assert.match(String(message), /^The account belongs to this RUT, and its holder has another name\./);
    const [, , unmatched] = await told('900000000002');
    assert.equal(unmatched, 'The account could not be matched with this RUT.');
  });

  test('refuses an invalid holderName and keeps nothing', async () => {
    await using at = await setUp(openTestDatabase);
    for (const holderName of ['', '  ', 7, null, 'x'.repeat(201)]) {
      const answer = await at.post({ ...request('12345678-5'), holderName });
      assert.deepEqual(
        [answer.status, (jsonOf(answer)['errors'] as { pointer: string }[])[0]?.pointer],
        [422, '/holderName'],
      );
    }
    assert.equal((await at.app.db.query('select * from bank_account_validations')).length, 0);
  });

  test('does not ask the provider about an ambiguous RUT, and repeats its result under the same key', async () => {
    const asked: string[] = [];
    const provider: ValidationProvider = {
      ...createSimulatedProvider(Date.now),
      covers: () => true,
      ask: async ({ rut }) => {
        asked.push(rut);
        return { kind: 'match', expiresAt: null, nameMatch: null };
      },
    };
    await using at = await setUp(openTestDatabase, provider);
    const key = { 'idempotency-key': 'one' };
    const first = dataOf(await at.post(request('22883518'), key));
    assert.deepEqual([first.verdict, asked], ['undetermined', []]);
    assert.deepEqual(dataOf(await at.post(request('22883518'), key)), first);
    const other = await at.post({ ...request('22883518'), rut_format: 'with-dv' }, key);
    assert.equal(jsonOf(other)['code'], 'IDEMPOTENCY_KEY_REUSED');
    const { readings: _readings, ...kept } = first;
    assert.deepEqual(dataOf(await at.server.get(`${PATH}/${first.id}`, at.user.headers)), kept);
  });

  test('answers in Spanish when the request asks for it', async () => {
    await using at = await setUp(openTestDatabase);
    const answer = await at.post(request('12345678-6', '049'), { 'accept-language': 'es-CL,es;q=0.9,en;q=0.8' });
    assert.equal(answer.headers.get('content-language'), 'es');
    assert.equal(jsonOf(answer)['message'], 'Los datos de la cuenta bancaria no son válidos.');
    const { checks } = dataOf(answer);
    const wrong = checks.find(({ code }) => code === 'RUT_CHECK_DIGIT_MISMATCH');
    assert.equal(wrong?.message, 'El dígito verificador no corresponde al número: hay un error de digitación.');
  });

  test('gives every text of the RUT vectors the expected verdict', async () => {
    await using at = await setUp(openTestDatabase);
    for (const { input, inputType, expect } of vectors.vectors) {
      if (inputType === 'generated') continue;
      const answer = await at.post(request(input));
      if (inputType !== 'string') {
        assert.equal(answer.status, 422);
        continue;
      }
      assert.equal(answer.status, 200, JSON.stringify(input));
      const { verdict, rut, checks } = dataOf(answer);
      assert.deepEqual(
        [verdict, rut],
        [expect.valid ? 'plausible' : 'invalid', expect.canonical],
        JSON.stringify(input),
      );
      const codes = checks
        .filter(({ id, code }) => id.startsWith('rut.') && code?.startsWith('RUT_'))
        .map(({ code }) => code);
      assert.deepEqual(codes, expect.valid ? expect.warnings : [expect.reason], JSON.stringify(input));
    }
  });

  const odd: [name: string, body: object][] = [
    ['control characters', request('12345678-5\u0000', '0\n1', '1\t2')],
    ['spaces', request(' ', ' ', ' ')],
    ['a lone surrogate', request('\ud800', '001', '\udfff')],
    ['5,000 characters', request('1'.repeat(5000), '2'.repeat(5000), '3'.repeat(5000))],
    ['markup', request('<script>', "' or 1=1", '${jndi}')],
  ];
  for (const [name, body] of odd) {
    test(`${name}: an invalid account, not a malformed request, and never echoed`, async () => {
      await using at = await setUp(openTestDatabase);
      const answer = await at.post(body);
      assert.deepEqual([answer.status, dataOf(answer).verdict], [200, 'invalid']);
      for (const part of ['script', 'jndi', '11111', '22222', '33333']) assert.ok(!answer.text.includes(part));
    });
  }

  const misshapen: [name: string, body: unknown, errors: [pointer: string, code: string][]][] = [
    [
      'no members',
      {},
      [
        ['/rut', 'MISSING_FIELD'],
        ['/bankData', 'MISSING_FIELD'],
      ],
    ],
    [
      'null',
      request(null, null, null),
      [
        ['/rut', 'INVALID_TYPE'],
        ['/bankData/bankSBIFNumber', 'INVALID_TYPE'],
        ['/bankData/bankAccount', 'INVALID_TYPE'],
      ],
    ],
    [
      'empty texts',
      request('', '', ''),
      [
        ['/rut', 'EMPTY_FIELD'],
        ['/bankData/bankSBIFNumber', 'EMPTY_FIELD'],
        ['/bankData/bankAccount', 'EMPTY_FIELD'],
      ],
    ],
    [
      'numbers',
      request(12345678, 1, 12345678),
      [
        ['/rut', 'INVALID_TYPE'],
        ['/bankData/bankSBIFNumber', 'INVALID_TYPE'],
        ['/bankData/bankAccount', 'INVALID_TYPE'],
      ],
    ],
    ['bankData as an array', { rut: '1-9', bankData: [] }, [['/bankData', 'INVALID_TYPE']]],
    ['bankData as a text', { rut: '1-9', bankData: 'x' }, [['/bankData', 'INVALID_TYPE']]],
    ['bankData as null', { rut: '1-9', bankData: null }, [['/bankData', 'INVALID_TYPE']]],
    [
      'an empty bankData',
      { rut: '1-9', bankData: {} },
      [
        ['/bankData/bankSBIFNumber', 'MISSING_FIELD'],
        ['/bankData/bankAccount', 'MISSING_FIELD'],
      ],
    ],
    [
      'unknown members at both levels',
      { ...request('1-9'), 'a/b': 1, bankData: { bankSBIFNumber: '001', bankAccount: '1', owner: 'x' } },
      [
        ['/bankData/owner', 'UNKNOWN_FIELD'],
        ['/a~1b', 'UNKNOWN_FIELD'],
      ],
    ],
  ];
  for (const [name, body, errors] of misshapen) {
    test(`${name}: 422 with every error, and nothing kept`, async () => {
      await using at = await setUp(openTestDatabase);
      const answer = await at.post(body as object);
      const problem = jsonOf(answer) as {
        code: string;
        errors: { pointer: string; code: string; message: string; fix: string }[];
      };
      assert.deepEqual([answer.status, problem.code], [422, 'INVALID_BODY']);
      assert.deepEqual(
        problem.errors.map(({ pointer, code }) => [pointer, code]),
        errors,
      );
      for (const { message, fix } of problem.errors) assert.ok(message !== '' && fix !== '');
      assert.equal((await at.app.db.query('select id from bank_account_validations')).length, 0);
    });
  }

  const unreadable: [body: string, code: string][] = [
    ['', 'INVALID_JSON'],
    ['{rut:1}', 'INVALID_JSON'],
    ['{"rut":"1-9"', 'INVALID_JSON'],
    ['[]', 'NOT_AN_OBJECT'],
    ['"x"', 'NOT_AN_OBJECT'],
    ['null', 'NOT_AN_OBJECT'],
    ['{"rut":"1-9","rut":"2-7"}', 'DUPLICATE_KEY'],
    ['{"rut":"1-9","\\u0072ut":"2-7"}', 'DUPLICATE_KEY'],
    ['{"bankData":{"bankAccount":"1","bankAccount" : "2"}}', 'DUPLICATE_KEY'],
    ['{"__proto__":{"rut":"1-9"}}', 'FORBIDDEN_KEY'],
    [`{"rut":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'JSON_TOO_DEEP'],
    [`{${Array.from({ length: 65 }, (_, at) => `"a${at}":1`).join()}}`, 'TOO_MANY_FIELDS'],
  ];
  for (const [body, code] of unreadable) {
    test(`${body.slice(0, 40)}: 400 ${code}`, async () => {
      await using at = await setUp(openTestDatabase);
      const headers = { ...at.user.headers, 'content-type': 'application/json' };
      const answer = await at.server.post(PATH, { body, headers });
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [400, code]);
    });
  }

  test('requires a user with payouts, and checks the token before the body', async () => {
    await using at = await setUp(openTestDatabase);
    const other = await createTestUser(at.app);
    const uuid = '5f9c2a34-1234-4abc-8def-0123456789ab';
    const cases: [headers: Record<string, string>, status: number, code: string][] = [
      [{}, 401, 'TOKEN_MISSING'],
      [{ authorization: uuid }, 401, 'PRIVATE_TOKEN_RETIRED'],
      [{ 'x-api-key': uuid }, 401, 'PRIVATE_TOKEN_RETIRED'],
      [{ authorization: 'Bearer x' }, 401, 'TOKEN_INVALID'],
      [other.headers, 403, 'PAYOUTS_NOT_ENABLED'],
    ];
    for (const [headers, status, code] of cases) {
      for (const path of [PATH, `${PATH}/batch`]) {
        const answer = await at.server.post(path, { json: {}, headers });
        assert.deepEqual([answer.status, jsonOf(answer)['code']], [status, code]);
      }
      const answer = await at.server.get(`${PATH}/bav_1`, headers);
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [status, code]);
    }
  });

  test('accepts a bare access token, as published scripts send it', async () => {
    await using at = await setUp(openTestDatabase);
    const bare = at.user.headers.authorization.replace('Bearer ', '');
    assert.equal((await at.server.post(PATH, { json: request('1-9'), headers: { authorization: bare } })).status, 200);
  });

  test('lets only the user who created a validation read it again', async () => {
    await using at = await setUp(openTestDatabase);
    const made = dataOf(await at.post(request('12345678-5', '049')));
    const read = await at.server.get(`${PATH}/${made.id}`, at.user.headers);
    assert.deepEqual([read.status, dataOf(read)], [200, { ...made, rut: null }]);

    const other = await createTestUser(at.app, { payouts: true });
    const [foreign, missing] = await Promise.all(
      [made.id, 'bav_1'].map((id) => at.server.get(`${PATH}/${id}`, other.headers)),
    );
    const shown = ({ status, text }: Answer) => [status, text.replace(/"request_id":"[^"]*"/, '')];
    assert.deepEqual(shown(foreign as Answer), shown(missing as Answer));
    assert.equal(foreign?.status, 404);
  });

  test('answers 202 with a location while the provider is slow, then the verdict and an event', async () => {
    await using at = await setUp(openTestDatabase, createSimulatedProvider(createTestClock()));
    const answer = await at.post(request('11.111.111-1', '001', '900000000007'));
    assert.deepEqual([answer.status, dataOf(answer).state, dataOf(answer).isValid], [202, 'pending', false]);
    const location = answer.headers.get('location') as string;
    assert.equal(location, `${PATH}/${dataOf(answer).id}`);
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
    assert.equal((await at.server.get(location, at.user.headers)).status, 202);

    at.app.now.advance(1000);
    await settleDueValidations(at.app, 10);
    const settled = await at.server.get(location, at.user.headers);
    assert.deepEqual(
      [settled.status, dataOf(settled).verdict, dataOf(settled)['assurance']],
      [200, 'mismatch', 'holder'],
    );
    await untilVisible(at.app);
    const feed = dataOf(await at.server.get('/events', at.user.headers)) as unknown as {
      events: { type: string; data: object }[];
    };
    assert.deepEqual(
      feed.events.map(({ type, data }) => ({ type, data })),
      [
        {
          type: 'bank_account_validation.updated',
          data: { id: dataOf(answer).id, verdict: 'mismatch', state: 'completed' },
        },
      ],
    );
  });

  test('an idempotency key repeats the first result for a day, and only for the same user and body', async () => {
    await using at = await setUp(openTestDatabase, createSimulatedProvider(createTestClock()));
    const key = { 'idempotency-key': 'k-1' };
    const body = request('011.111.111-1', '001', '900000000002');
    const first = await at.post(body, key);
    assert.equal(first.headers.get('idempotency-hit'), null);
    const again = await at.post(body, key);
    assert.deepEqual([again.status, again.headers.get('idempotency-hit')], [200, 'true']);
    assert.deepEqual(dataOf(again), dataOf(first));

    const other = await at.post(request('011.111.111-1', '001', '900000000001'), key);
    assert.deepEqual([other.status, jsonOf(other)['code']], [409, 'IDEMPOTENCY_KEY_REUSED']);
    const stranger = await createTestUser(at.app, { payouts: true });
    const foreign = await at.server.post(PATH, { json: request('1-9'), headers: { ...stranger.headers, ...key } });
    assert.equal(foreign.status, 200, 'users may use the same key');
    assert.equal((await at.app.db.query('select id from bank_account_validations')).length, 2);

    at.app.now.advance(86_400_001);
    const later = await at.server.post(PATH, { json: body, headers: { ...(await at.token()), ...key } });
    assert.deepEqual([later.status, later.headers.get('idempotency-hit')], [200, null]);
    assert.notEqual(dataOf(later).id, dataOf(first).id);
  });

  test('a repeat with the same key follows its validation from pending to settled', async () => {
    await using at = await setUp(openTestDatabase, createSimulatedProvider(createTestClock()));
    const key = { 'idempotency-key': 'k-2' };
    const body = request('11111111-1', '001', '900000000006');
    const pending = await at.post(body, key);
    assert.equal(pending.status, 202);
    assert.equal((await at.post(body, key)).status, 202);
    at.app.now.advance(1000);
    await settleDueValidations(at.app, 10);
    const settled = await at.post(body, key);
    assert.deepEqual(
      [settled.status, dataOf(settled).id, dataOf(settled).verdict],
      [200, dataOf(pending).id, 'confirmed'],
    );
  });

  test('concurrent requests with one key get one result', async () => {
    await using at = await setUp(openTestDatabase);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => at.post(request('1-9'), { 'idempotency-key': 'k-3' })),
    );
    assert.equal(new Set(answers.map((answer) => dataOf(answer).id)).size, 1);
  });

  test('refuses an invalid idempotency key', async () => {
    await using at = await setUp(openTestDatabase);
    for (const key of ['', ' ', 'x'.repeat(201), 'a b']) {
      const answer = await at.post(request('1-9'), { 'idempotency-key': key });
      assert.deepEqual([answer.status, jsonOf(answer)['code']], [400, 'INVALID_HEADER']);
    }
  });

  test('answers 429 with the time to wait when the provider refuses more questions', async () => {
    await using at = await setUp(openTestDatabase, createSimulatedProvider(createTestClock()));
    const answer = await at.post(request('11111111-1', '001', '900000000009'));
    assert.deepEqual(
      [answer.status, jsonOf(answer)['code'], answer.headers.get('retry-after')],
      [429, 'RATE_LIMITED', '30'],
    );
  });
});

forEachEngine('POST /validations/BankAccount/batch', (openTestDatabase) => {
  test('answers a result for each item in order, and a bad item does not affect the others', async () => {
    await using at = await setUp(openTestDatabase, createSimulatedProvider(createTestClock()));
    const answer = await at.batch([
      { reference: 'a', ...request('12345678-5') },
      { reference: 'b', ...request('12345678-6') },
      { reference: 'c', rut: 5 },
      'nonsense',
      null,
      { reference: 7, ...request('1-9') },
      request('11111111-1', '001', '900000000009'),
      { reference: 'd', ...request('11111111-1', '001', '900000000001') },
    ]);
    assert.deepEqual([answer.status, jsonOf(answer)['message']], [200, '3 accounts were checked.']);
    const { summary, results } = dataOf(answer) as unknown as BatchData;
    assert.deepEqual(summary, {
      total: 8,
      invalid: 1,
      plausible: 1,
      confirmed: 1,
      mismatch: 0,
      undetermined: 0,
      errors: 5,
    });
    assert.deepEqual(
      results.map(({ reference, verdict, error }) => [reference, verdict, error?.status, error?.code]),
      [
        ['a', 'plausible', undefined, undefined],
        ['b', 'invalid', undefined, undefined],
        ['c', undefined, 422, 'INVALID_BODY'],
        [null, undefined, 422, 'INVALID_BODY'],
        [null, undefined, 422, 'INVALID_BODY'],
        [null, undefined, 422, 'INVALID_BODY'],
        [null, undefined, 429, 'RATE_LIMITED'],
        ['d', 'confirmed', undefined, undefined],
      ],
    );
    assert.deepEqual(
      results[2]?.error?.errors.map(({ pointer }) => pointer),
      ['/items/2/rut', '/items/2/bankData'],
    );
  });

  test('takes a thousand items and answers each like a single request', async () => {
    await using at = await setUp(openTestDatabase);
    const items = Array.from({ length: 1000 }, (_, index) =>
      request(`${5_000_000 + index * 7}-K`, ['001', '012', '17'][index % 3], `${index}`),
    );
    const { summary, results } = dataOf(await at.batch(items)) as unknown as BatchData;
    assert.equal(summary['total'], 1000);
    for (const index of [0, 1, 2, 500, 999]) {
      const { id: _single, ...single } = dataOf(await at.post(items[index] as object));
      const {
        id: _batch,
        reference: _reference,
        error: _error,
        ...result
      } = results[index] as Data & { reference: unknown; error: unknown };
      assert.deepEqual(result, single);
    }
    assert.equal((await at.app.db.query('select id from bank_account_validations')).length, 1005);
  });

  test('with checks=failed, answers only failed checks, and each provenance once', async () => {
    await using at = await setUp(openTestDatabase);
    const items = Array.from({ length: 500 }, (_, index) =>
      request(index % 2 === 0 ? '12345678-6' : '12345678-5', '001', `${1_000_000 + index}`),
    );
    const path = `${PATH}/batch?checks=failed`;
    const answer = await at.server.post(path, { json: { items }, headers: at.user.headers });
    assert.equal(answer.status, 200);
    const { results, provenance } = dataOf(answer) as unknown as BatchData & { provenance: { name: string }[] };
    assert.deepEqual(
      results.slice(0, 2).map(({ checks }) => checks.map(({ code }) => code)),
      [['RUT_CHECK_DIGIT_MISMATCH'], []],
    );
    assert.deepEqual(
      provenance.map(({ name }) => name),
      ['rut'],
    );
    assert.deepEqual(
      results[0]?.checks.map(({ provenance: place }) => place),
      [0],
    );
    const whole = await at.batch(items);
    assert.ok(answer.text.length * 6 < whole.text.length, `${answer.text.length} of ${whole.text.length}`);
    const other = await at.server.post(`${PATH}/batch?checks=some`, { json: { items }, headers: at.user.headers });
    assert.deepEqual([other.status, jsonOf(other)['code']], [400, 'INVALID_PARAMETER']);
  });

  test('each item counts towards the limit of the user, and a batch over the limit leaves nothing behind', async () => {
    const db = await openTestDatabase();
    const app = createTestApp(db, {
      config: readConfig({ MASTER_KEY: '5a'.repeat(32), LOG_LEVEL: 'silent', RATE_LIMITS: 'on' }),
    });
    const user = await createTestUser(app, { payouts: true });
    await using server = await startTestServer(app);
    const batch = (count: number) =>
      server.post(`${PATH}/batch`, {
        json: { items: Array.from({ length: count }, () => request('12345678-5')) },
        headers: user.headers,
      });
    assert.match((await batch(1000)).headers.get('ratelimit') ?? '', /^"user";r=5000;t=\d+$/);
    for (let more = 0; more < 4; more++) await batch(1000);
    assert.equal((await batch(900)).status, 200);
    const refused = await batch(200);
    assert.deepEqual([refused.status, jsonOf(refused)['code']], [429, 'RATE_LIMITED']);
    assert.match(refused.headers.get('ratelimit') ?? '', /^"user";r=\d+;t=\d+$/);
    assert.match(refused.headers.get('ratelimit-policy') ?? '', /^"user";q=6000;w=60$/);
    assert.equal((await batch(50)).status, 200);
    assert.equal((await db.query('select id from bank_account_validations')).length, 5950);
  });

  test('applies rut_format to all items, unless an item has its own', async () => {
    await using at = await setUp(openTestDatabase);
    const items = [request('22883518'), { ...request('22883518'), rut_format: 'with-dv' }];
    const answer = await at.server.post(`${PATH}/batch`, {
      json: { items, rut_format: 'without-dv' },
      headers: at.user.headers,
    });
    const { results } = dataOf(answer) as unknown as BatchData;
    assert.deepEqual(
      results.map((result) => result['rut']),
      ['22883518-8', '2288351-8'],
    );
  });

  const refused: [name: string, body: unknown, status: number][] = [
    ['an unknown rut_format', { items: [request('1-9')], rut_format: 'both' }, 422],
    ['no items', {}, 422],
    ['items that are not an array', { items: {} }, 422],
    ['an empty array', { items: [] }, 422],
    ['1,001 items', { items: new Array(1001).fill(request('1-9')) }, 422],
    ['an unknown member beside items', { items: [request('1-9')], extra: 1 }, 422],
    ['more than 512 KiB', { items: [{ rut: '1'.repeat(600_000) }] }, 413],
    ['an array at the top', [], 400],
  ];
  for (const [name, json, status] of refused) {
    test(`${name}: ${status}`, async () => {
      await using at = await setUp(openTestDatabase);
      const answer = await at.server.post(`${PATH}/batch`, { json, headers: at.user.headers });
      assert.equal(answer.status, status);
      assert.equal((await at.app.db.query('select id from bank_account_validations')).length, 0);
    });
  }

  test('an unknown member beside items is named', async () => {
    await using at = await setUp(openTestDatabase);
    const answer = await at.server.post(`${PATH}/batch`, {
      json: { items: [request('1-9')], extra: 1 },
      headers: at.user.headers,
    });
    const [error] = jsonOf(answer)['errors'] as { pointer: string; fix: string }[];
    assert.deepEqual([error?.pointer, error?.fix], ['/extra', 'Send only items, rut_format.']);
  });
});

forEachEngine('GET /banks', (openTestDatabase) => {
  test('lists every institution, so that a form can offer them', async () => {
    await using at = await setUp(openTestDatabase);
    const answer = await at.server.get('/banks', at.user.headers);
    assert.equal(answer.status, 200);
    const { asOf, origin, banks } = dataOf(answer) as unknown as {
      asOf: string;
      origin: string;
      banks: Record<string, unknown>[];
    };
    assert.deepEqual([asOf, origin, banks.length], ['2026', 'release', 62]);
    const { aliases, account, ...security } = banks.find(({ code }) => code === '049') as Record<string, unknown>;
    assert.deepEqual(aliases, ['Security']);
    assert.deepEqual(account, { most: 20, usual: null, cuentaRut: false });
    assert.deepEqual(security, {
      code: '049',
      name: 'Banco Security',
      kind: 'bank',
      status: 'merged',
      successor: '028',
      effective: '2025-10-20',
      transferReachable: 'legacy',
      confidence: 'high',
    });
    const other = await createTestUser(at.app, { payouts: false });
    assert.equal((await at.server.get('/banks', other.headers)).status, 403);
    assert.equal((await at.server.get('/banks')).status, 401);
  });
});
