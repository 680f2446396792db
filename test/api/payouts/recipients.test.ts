import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPaymentService } from '../../../src/payment-services/create-payment-service.ts';
import { eraseRecipients, exportRecipients } from '../../../src/payouts/recipients/forget-recipients.ts';
import { validUntil } from '../../../src/payouts/recipients/recipient.ts';
import { erasePerson } from '../../../src/privacy/erase-person.ts';
import { personOfEmail } from '../../../src/privacy/person.ts';
import { forEachEngine, type OpenTestDatabase } from '../../support/engines.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp, createTestClock } from '../../support/test-app.ts';
import { type Answer, jsonOf, startTestServer } from '../../support/test-server.ts';
import { createTestUser } from '../../support/test-user.ts';

const DAY_MS = 86_400_000;
const CARD = '4111111111111111';
const ACCOUNT = { rut: '12.345.678-5', bankData: { bankSBIFNumber: '012', bankAccount: '0012345678' } };
const OTHER_ACCOUNT = { rut: '12345678-5', bankData: { bankSBIFNumber: '037', bankAccount: '9876543210' } };
const OTHER_HOLDER = { rut: '18972631-7', bankData: { bankSBIFNumber: '037', bankAccount: '1234509876' } };

type Body = typeof ACCOUNT;
type Recipient = {
  id: string;
  paymentServiceId: string | null;
  version: number;
  state: string;
  validUntil: string;
  versions: { version: number; account: { masked: string } }[];
};

async function setUp(openTestDatabase: OpenTestDatabase) {
  const now = createTestClock();
  const app = createTestApp(await openTestDatabase(), { now });
  const server = await startTestServer(app);
  const user = await createTestUser(app, { payouts: true, paymentServices: [] });
  const validate = async (account: Body, headers = user.headers) =>
    (jsonOf(await server.post('/validations/BankAccount', { json: account, headers }))['data'] as { id: string }).id;
  const keep = (body: object, id: string | null = null, headers = user.headers) =>
    server.post(`/recipients${id === null ? '' : `/${id}`}`, { json: { name: 'María González', ...body }, headers });
  const kept = async (account: Body) => dataOf(await keep({ ...account, validationId: await validate(account) }));
  const merchant = async () => (await createPaymentService(app, 'Shop', TESTER)).id;
  const listed = async (headers: { authorization: string }) =>
    (jsonOf(await server.get('/recipients', headers))['data'] as { recipients: Recipient[] }).recipients.map(
      ({ id }) => id,
    );
  return {
    now,
    app,
    server,
    user,
    merchant,
    listed,
    validate,
    keep,
    kept,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function dataOf(answer: Answer): Recipient {
  assert.equal(answer.status, 200, answer.text);
  return jsonOf(answer)['data'] as Recipient;
}

function refusal(answer: Answer): [number, unknown] {
  return [answer.status, jsonOf(answer)['code']];
}

test('a verdict expires after the days of the setting, or earlier if its provider says so', () => {
  for (const [expiresAt, until] of [
    [null, DAY_MS],
    [5, 5],
    [2 * DAY_MS, DAY_MS],
  ] as const)
    assert.equal(validUntil({ validated_at: 0, expires_at: expiresAt }, 1), until);
});

forEachEngine('recipients', (openTestDatabase) => {
  test('a validated account is kept with its verdict; the answer masks the account, and the store has no plain text', async () => {
    await using at = await setUp(openTestDatabase);
    const validationId = await at.validate(ACCOUNT);
    const body = { ...ACCOUNT, validationId, email: 'maria@example.cl' };
    const answer = await at.keep(body);
    const { id, ...rest } = dataOf(answer) as Recipient & Record<string, unknown>;
    assert.match(id, /^rcp_/);
    assert.deepEqual(rest, {
      version: 1,
      paymentServiceId: null,
      name: 'María González',
      rut: '12345678-5',
      email: 'maria@example.cl',
      bankCode: '012',
      account: { masked: '•••••5678' },
      validationId,
      verdict: 'plausible',
      validatedAt: '2026-01-15T12:00:00.000Z',
      validUntil: '2026-07-14T12:00:00.000Z',
      state: 'current',
      createdAt: '2026-01-15T12:00:00.000Z',
      createdBy: at.user.id,
    });
    assert.doesNotMatch(answer.text, /0012345678/);
    const stored = JSON.stringify(await at.app.db.query('select * from recipients'));
    assert.doesNotMatch(stored, /12345678|Gonz|maria@/);
    assert.deepEqual(dataOf(await at.keep(body)), { id, ...rest }, 'a repeated request returns the same recipient');
    assert.equal((await at.app.db.query('select * from recipients')).length, 1);
  });

  test('an erasure by e-mail address finds a recipient that was sent with spaces around the address', async () => {
    await using at = await setUp(openTestDatabase);
    const body = { ...ACCOUNT, validationId: await at.validate(ACCOUNT), email: ' maria@example.cl\u00a0' };
    const kept = dataOf(await at.keep(body)) as Recipient & { email: string };
    assert.equal(kept.email, 'maria@example.cl');
    const person = personOfEmail('maria@example.cl');
    assert.ok(person !== null);
    assert.equal((await erasePerson(at.app, person, TESTER)).records.recipients, 1);
    assert.deepEqual(await at.app.db.query('select id from recipients'), []);
  });

  test('concurrent requests with one validation keep one recipient, and concurrent new versions are all kept', async () => {
    await using at = await setUp(openTestDatabase);
    const body = { ...ACCOUNT, validationId: await at.validate(ACCOUNT) };
    const same = (await Promise.all([at.keep(body), at.keep(body), at.keep(body)])).map((answer) => dataOf(answer));
    const [{ id }] = same as [Recipient];
    assert.deepEqual([...new Set(same.map((one) => one.id))], [id]);
    const validations = await Promise.all([1, 2, 3].map(() => at.validate(OTHER_ACCOUNT)));
    const versions = await Promise.all(
      validations.map((validationId) => at.keep({ ...OTHER_ACCOUNT, validationId }, id)),
    );
    assert.deepEqual(new Set(versions.map((answer) => dataOf(answer).version)), new Set([2, 3, 4]));
  });

  test('another account of the same holder is a new version, and another holder is another recipient', async () => {
    await using at = await setUp(openTestDatabase);
    const { id } = await at.kept(ACCOUNT);
    const changed = { ...OTHER_ACCOUNT, validationId: await at.validate(OTHER_ACCOUNT) };
    assert.equal(dataOf(await at.keep(changed, id)).version, 2);
    assert.equal(dataOf(await at.keep(changed, id)).version, 2, 'a repeated request returns the same recipient');
    const stranger = { ...OTHER_HOLDER, validationId: await at.validate(OTHER_HOLDER) };
    assert.deepEqual(refusal(await at.keep(stranger, id)), [409, 'RECIPIENT_CONFLICT']);
    assert.deepEqual(refusal(await at.keep({ ...changed, name: 'Otra' }, id)), [409, 'RECIPIENT_CONFLICT']);
    assert.deepEqual(
      refusal(await at.keep(changed)),
      [409, 'RECIPIENT_CONFLICT'],
      'a validation belongs to one recipient',
    );
    const { versions, version } = dataOf(await at.server.get(`/recipients/${id}`, at.user.headers));
    assert.equal(version, 2);
    assert.deepEqual(
      versions.map((one) => [one.version, one.account.masked]),
      [
        [2, '•••••3210'],
        [1, '•••••5678'],
      ],
    );
  });

  test('a verdict expires: then it cannot be kept, and a kept recipient is stale until validated again', async () => {
    await using at = await setUp(openTestDatabase);
    const { id } = await at.kept(ACCOUNT);
    const old = await at.validate(OTHER_ACCOUNT);
    at.now.advance(180 * DAY_MS);
    const headers = (await createTestUser(at.app, { payouts: true })).headers;
    assert.equal(dataOf(await at.server.get(`/recipients/${id}`, headers)).state, 'stale');
    assert.deepEqual(refusal(await at.keep({ ...OTHER_ACCOUNT, validationId: old }, null, headers)), [
      409,
      'VALIDATION_NOT_USABLE',
    ]);
    const again = { ...ACCOUNT, validationId: await at.validate(ACCOUNT, headers) };
    const renewed = dataOf(await at.keep(again, id, headers));
    assert.deepEqual([renewed.version, renewed.state], [2, 'current']);
  });

  const refused: [why: string, body: (validationId: string) => object, status: number, code: string][] = [
    [
      'an account other than the validated one',
      (validationId) => ({ ...OTHER_ACCOUNT, validationId }),
      409,
      'ACCOUNT_NOT_VALIDATED',
    ],
    [
      'another account at the validated bank',
      (validationId) => ({
        ...ACCOUNT,
        bankData: { ...ACCOUNT.bankData, bankAccount: '0012345679' },
        validationId,
      }),
      409,
      'ACCOUNT_NOT_VALIDATED',
    ],
    ['another RUT', (validationId) => ({ ...ACCOUNT, rut: '18972631-7', validationId }), 409, 'ACCOUNT_NOT_VALIDATED'],
    [
      'a RUT that cannot be read',
      (validationId) => ({ ...ACCOUNT, rut: 'x', validationId }),
      409,
      'ACCOUNT_NOT_VALIDATED',
    ],
    ['a validation that does not exist', () => ({ ...ACCOUNT, validationId: 'bav_0' }), 404, 'NOT_FOUND'],
    ['no name', (validationId) => ({ ...ACCOUNT, validationId, name: ' ' }), 422, 'INVALID_BODY'],
    ['a name with a line break', (validationId) => ({ ...ACCOUNT, validationId, name: 'A\nB' }), 422, 'INVALID_BODY'],
    ['a card as e-mail', (validationId) => ({ ...ACCOUNT, validationId, email: CARD }), 422, 'INVALID_BODY'],
    ['no validation', () => ACCOUNT, 422, 'INVALID_BODY'],
    ['an unknown member', (validationId) => ({ ...ACCOUNT, validationId, note: 'x' }), 422, 'INVALID_BODY'],
  ];
  for (const [why, body, status, code] of refused) {
    test(`${why} is refused and keeps nothing`, async () => {
      await using at = await setUp(openTestDatabase);
      const answer = await at.keep(body(await at.validate(ACCOUNT)));
      assert.deepEqual(refusal(answer), [status, code]);
      assert.equal((await at.app.db.query('select * from recipients')).length, 0);
    });
  }

  test('an invalid account and the validation of another user are refused', async () => {
    await using at = await setUp(openTestDatabase);
    const wrong = { ...ACCOUNT, rut: '12345678-6' };
    const refused = await at.keep({ ...wrong, validationId: await at.validate(wrong) });
    assert.deepEqual(refusal(refused), [409, 'VALIDATION_NOT_USABLE']);
    assert.match(refused.text, /The bank account data is not valid/);
    const spanish = { ...at.user.headers, 'accept-language': 'es' };
    const inSpanish = await at.keep({ ...wrong, validationId: await at.validate(wrong) }, null, spanish);
    assert.match(inSpanish.text, /Los datos de la cuenta bancaria no son válidos/, 'the verdict is in words');
    const other = await createTestUser(at.app, { payouts: true, paymentServices: [] });
    const theirs = { ...ACCOUNT, validationId: await at.validate(ACCOUNT, other.headers) };
    assert.deepEqual(refusal(await at.keep(theirs)), [404, 'NOT_FOUND']);
  });

  test('the people of a payment service share its recipients, and nobody else sees them', async () => {
    await using at = await setUp(openTestDatabase);
    const [ana, ben] = [await at.merchant(), await at.merchant()];
    const maker = await createTestUser(at.app, { role: 'finance', may: [], paymentServices: [ana] });
    const approver = await createTestUser(at.app, { role: 'approver', may: [], paymentServices: [ana, ben] });
    const stranger = await createTestUser(at.app, { payouts: true, paymentServices: [ben] });
    const body = { ...ACCOUNT, validationId: await at.validate(ACCOUNT, maker.headers) };
    const { id, paymentServiceId } = dataOf(await at.keep(body, null, maker.headers));
    assert.equal(paymentServiceId, ana, 'the default is the only payment service of the user');
    assert.equal(
      dataOf(await at.keep(body, null, maker.headers)).id,
      id,
      'a repeated request returns the same recipient',
    );
    assert.deepEqual(await at.listed(approver.headers), [id]);
    assert.equal((await at.server.get(`/recipients/${id}`, approver.headers)).status, 200);
    assert.deepEqual(await at.listed(stranger.headers), []);
    assert.equal((await at.server.get(`/recipients/${id}`, stranger.headers)).status, 404);
    const theirs = { ...OTHER_ACCOUNT, validationId: await at.validate(OTHER_ACCOUNT, stranger.headers) };
    assert.deepEqual(refusal(await at.keep(theirs, id, stranger.headers)), [404, 'NOT_FOUND']);

    const colleague = await createTestUser(at.app, { payouts: true, paymentServices: [ana, ben] });
    const newer = { ...OTHER_ACCOUNT, validationId: await at.validate(OTHER_ACCOUNT, colleague.headers) };
    const elsewhere = { ...newer, paymentServiceId: ben };
    assert.deepEqual(refusal(await at.keep(elsewhere, id, colleague.headers)), [409, 'RECIPIENT_CONFLICT']);
    const second = dataOf(await at.keep(newer, id, colleague.headers));
    assert.deepEqual([second.version, second.paymentServiceId], [2, ana]);
    assert.equal(dataOf(await at.server.get(`/recipients/${id}`, maker.headers)).version, 2);
  });

  test('a recipient belongs to the payment service that the request names, which the user must see', async () => {
    await using at = await setUp(openTestDatabase);
    const [ana, ben] = [await at.merchant(), await at.merchant()];
    const both = await createTestUser(at.app, { payouts: true, paymentServices: [ana, ben] });
    const one = await createTestUser(at.app, { payouts: true, paymentServices: [ana] });
    const keepFor = async (who: typeof one, paymentServiceId?: string) =>
      at.keep(
        { ...ACCOUNT, validationId: await at.validate(ACCOUNT, who.headers), paymentServiceId },
        null,
        who.headers,
      );
    assert.equal(dataOf(await keepFor(both)).paymentServiceId, null);
    assert.equal(dataOf(await keepFor(both, ben)).paymentServiceId, ben);
    assert.deepEqual(refusal(await keepFor(one, ben)), [404, 'NOT_FOUND']);
    assert.deepEqual(await at.listed(one.headers), []);
    assert.equal((await at.listed(both.headers)).length, 2);
  });

  test('a user without the permission is refused with the name of the permission', async () => {
    await using at = await setUp(openTestDatabase);
    const support = await createTestUser(at.app, { role: 'support', may: [] });
    const answer = await at.server.get('/recipients', support.headers);
    assert.deepEqual(refusal(answer), [403, 'PERMISSION_MISSING']);
    assert.deepEqual(jsonOf(answer)['data'], { permission: 'recipients:read' });
  });

  test('a list shows the newest version of each recipient, page by page', async () => {
    await using at = await setUp(openTestDatabase);
    const { id } = await at.kept(ACCOUNT);
    await at.keep({ ...OTHER_ACCOUNT, validationId: await at.validate(OTHER_ACCOUNT) }, id);
    const { id: second } = await at.kept(OTHER_HOLDER);
    const pages: string[] = [];
    const stray = await at.server.get('/recipients?after=rcp_1', at.user.headers);
    assert.deepEqual([stray.status, jsonOf(stray)['code']], [400, 'INVALID_PARAMETER']);
    let after: string | null = '';
    while (after !== null) {
      const answer = await at.server.get(`/recipients?limit=1&after=${after}`, at.user.headers);
      const { recipients, next } = jsonOf(answer)['data'] as { recipients: Recipient[]; next: string | null };
      pages.push(...recipients.map((one) => `${one.id} ${one.version}`));
      after = next;
    }
    assert.deepEqual(pages.sort(), [`${id} 2`, `${second} 1`].sort());
  });

  test('details moved to the row of another recipient do not open, and the answer says CHANGED_IN_STORE', async () => {
    await using at = await setUp(openTestDatabase);
    const [one, other] = [await at.kept(ACCOUNT), await at.kept(OTHER_HOLDER)];
    await at.app.db.transaction((tx) =>
      tx.query(
        'update recipients set sealed_details = (select sealed_details from recipients where id = $2) where id = $1',
        [one.id, other.id],
      ),
    );
    const read = () => at.server.get(`/recipients/${one.id}`, at.user.headers);
    assert.deepEqual(refusal(await read()), [409, 'CHANGED_IN_STORE']);
    dataOf(await at.keep({ ...ACCOUNT, validationId: await at.validate(ACCOUNT) }, one.id));
    assert.deepEqual(
      dataOf(await read()).versions.map(({ version }) => version),
      [2],
    );
  });

  test('the data of a holder is exported and erased by RUT or by e-mail address', async () => {
    await using at = await setUp(openTestDatabase);
    const holder = { kind: 'rut', name: '12345678-5' } as const;
    const { id } = await at.kept(ACCOUNT);
    await at.keep({ ...OTHER_ACCOUNT, validationId: await at.validate(OTHER_ACCOUNT) }, id);
    await at.keep({ ...OTHER_HOLDER, validationId: await at.validate(OTHER_HOLDER), email: 'Ana@example.cl' });
    const told = await exportRecipients(at.app, holder);
    assert.deepEqual(
      told.map(({ name, account, version }) => [name, account, version]),
      [
        ['María González', '0012345678', 1],
        ['María González', '9876543210', 2],
      ],
    );
    assert.equal(await eraseRecipients(at.app, holder), 2);
    assert.deepEqual(await exportRecipients(at.app, holder), []);
    const ana = { kind: 'email', name: 'ana@example.cl' } as const;
    assert.equal((await exportRecipients(at.app, ana))[0]?.rut, OTHER_HOLDER.rut);
    assert.equal(await eraseRecipients(at.app, ana), 1);
    assert.equal((await at.app.db.query('select * from recipients')).length, 0);
  });
});
