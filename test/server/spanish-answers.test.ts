import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CauseCode, FIXES, type ProgramLanguage } from '../../protocol/signature-causes.ts';
import { PERMISSIONS, type Permission } from '../../src/auth/permission.ts';
import { SPANISH_HINTS } from '../../src/hint-spanish.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { listRefusedRequests, readRefused } from '../../src/refused-requests/list-refused-requests.ts';
import { storeRefusedRequests } from '../../src/refused-requests/store-refused-requests.ts';
import { forEachEngine } from '../support/engines.ts';
import { TESTER } from '../support/test-actor.ts';
import { createTestApp } from '../support/test-app.ts';
import { jsonOf, startTestServer } from '../support/test-server.ts';
import { signedBody } from '../support/test-shop.ts';
import { createTestUser } from '../support/test-user.ts';

const ACCOUNT = { rut: '11.111.111-1', bankData: { bankSBIFNumber: '001', bankAccount: '00012345678' } };
const TEF = {
  id: 'pay-1',
  amount: 15_000,
  recipientData: { rut: '11.111.111-1', name: 'Ana Soto', email: 'ana@example.cl' },
  bankData: { bankSBIFNumber: '001', bankAccount: '00012345678' },
};

/** Bodies with errors in their members, for every endpoint with a body. */
const REFUSED: readonly [path: string, body: unknown][] = [
  ['/validations/BankAccount', {}],
  ['/validations/BankAccount', { rut: 1, bankData: 'x', holderName: '', rut_format: 'odd', more: 1 }],
  ['/validations/BankAccount', { rut: '', bankData: { bankSBIFNumber: 1, more: 2 } }],
  ['/validations/BankAccount/batch', {}],
  ['/validations/BankAccount/batch', { items: 'x' }],
  ['/validations/BankAccount/batch', { items: [] }],
  ['/validations/BankAccount/batch', { items: [ACCOUNT], more: 1 }],
  ['/validations/BankAccount/batch', { items: [1, {}, { ...ACCOUNT, reference: 7 }, { ...ACCOUNT, more: 1 }] }],
  ['/recipients', {}],
  ['/recipients', { ...ACCOUNT, validationId: 1, name: '', email: 3, paymentServiceId: 4 }],
  ['/tef', {}],
  ['/tef', { tef: {}, more: 1 }],
  ['/tef', { tef: { ...TEF, amount: 'much', messageToAddressee: 7, more: 1 } }],
  ['/tef', { tef: { ...TEF, id: 'ñ' } }],
  ['/tef', { tef: { ...TEF, amount: 0 } }],
  ['/tef', { tef: { ...TEF, amount: 900_000_000_000 } }],
  ['/tef', { tef: { ...TEF, messageToAddressee: 'x'.repeat(300) } }],
  ['/tef', { tef: { ...TEF, recipientData: { ...TEF.recipientData, rut: '11.111.111-2' } } }],
  ['/tef', { tef: { ...TEF, bankData: { ...TEF.bankData, bankAccount: 'cuenta' } } }],
  ['/tef', { tef: { ...TEF, bankData: { ...TEF.bankData, bankSBIFNumber: '999' } } }],
  ['/tef', { tef: TEF, callbackUrl: 'shop.example.cl' }],
  ['/payment-links', {}],
  ['/payment-links', { amount: 'x', subject: '\u0007', expires_at: 'soon', callback_url: 'x', uses: 'two' }],
  ['/payment-links', { amount: 0, subject: '', expires_at: 7 }],
  [
    '/payment-links',
    { amount: 10, subject: ' ', expires_at: '2001-01-01T00:00:00Z', callback_url: 'http://10.0.0.1/' },
  ],
  ['/webhooks', { url: 'x', method: 'POST', webhook: 'remittances' }],
  ['/remittances/getRemittances', { limit: '0' }],
  ['/loginToken', { email: 'a@example.cl' }],
  ['/loginToken', { expDate: 1 }],
  ['/loginToken', { email: 1, apiToken: '' }],
  ['/bank-statements', {}],
  [
    '/bank-statements',
    { fileName: 'a.txt', content: '!', account: 'x', environment: 'y', paymentServiceId: 1, more: 1 },
  ],
  ['/trxs', {}],
  ['/trxs', { x_amount: true, x_foo: '1', foo: { a: 1 }, '': '1' }],
  ['/trxs/create', { x_amount: 'x' }],
];

forEachEngine('answers in Spanish', (openTestDatabase) => {
  test('every text of every refusal has a Spanish version, also in the stored refusals', async () => {
    const app = createTestApp(await openTestDatabase());
    const shop = await createPaymentService(app, 'Norte', TESTER);
    await using server = await startTestServer(app);
    const { headers } = await createTestUser(app, { may: Object.keys(PERMISSIONS) as Permission[] });
    const ask = async (path: string, json: unknown, language: string, more: Record<string, string> = headers) =>
      jsonOf(await server.post(path, { json, headers: { ...more, 'accept-language': language } }));
    let items = 0;
    for (const [path, json] of REFUSED) {
      const [english, spanish] = [textsOf(await ask(path, json, 'en')), textsOf(await ask(path, json, 'es-CL'))];
      assert.deepEqual([...spanish.keys()], [...english.keys()], path);
      assert.ok(english.size > 0, `${path} ${JSON.stringify(json)} is refused`);
      for (const [place, text] of english) {
        items++;
        assert.notEqual(spanish.get(place), text, `${path} ${JSON.stringify(json).slice(0, 200)} ${place}`);
      }
    }
    assert.ok(items > 150, String(items));
    await checkExplained(app, shop.development, ask);
  });

  async function checkExplained(
    app: ReturnType<typeof createTestApp>,
    tokens: { service_token: string; secret_token: string },
    ask: (path: string, json: unknown, language: string, headers: Record<string, string>) => Promise<object>,
  ) {
    const signed = signedBody(tokens.service_token, tokens.secret_token.toUpperCase(), {});
    for (const agent of ['GuzzleHttp/7', 'somebody']) {
      const [en, es] = [
        textsOf(await ask('/trxs', signed, 'en', { 'user-agent': agent })),
        textsOf(await ask('/trxs', signed, 'es', { 'user-agent': agent })),
      ];
      assert.match(es.get('.errors.0.fix') ?? '', /Quita strtolower/, 'the fix for PHP is in Spanish');
      for (const [place, text] of en) assert.notEqual(es.get(place), text, `${agent} ${place}`);
    }
    await storeRefusedRequests(app);
    const { requests } = await listRefusedRequests(app, { environmentIds: null }, 200);
    assert.ok(requests.length > 1);
    for (const row of requests) {
      const [en, es] = [textsOf(readRefused(row, 'en')), textsOf(readRefused(row, 'es'))];
      for (const [place, text] of en) assert.notEqual(es.get(place), text, `${row.route} ${place}`);
    }
  }
});

test('every hint for a wrong signature has a Spanish version, unless it is only code', () => {
  for (const [code, { fix: _, ...hints }] of Object.entries(FIXES)) {
    for (const [language, hint] of Object.entries(hints)) {
      const spanish = SPANISH_HINTS[code as CauseCode]?.[language as ProgramLanguage];
      const isEnglish = /\b(?:the|in place of|leave out|without|before|not \S+[.,]|already|once)\b/i.test(hint);
      assert.ok(spanish === undefined ? !isEnglish : spanish !== hint, `${code} ${language}: ${spanish ?? hint}`);
    }
  }
});

/** Returns the texts for people in an answer, by their places. */
function textsOf(value: unknown, place = '', name = ''): Map<string, string> {
  if (typeof value === 'string') {
    return new Map(['title', 'detail', 'message', 'fix'].includes(name) ? [[place, value]] : []);
  }
  if (typeof value !== 'object' || value === null) return new Map();
  return new Map(Object.entries(value).flatMap(([key, one]) => [...textsOf(one, `${place}.${key}`, key)]));
}
