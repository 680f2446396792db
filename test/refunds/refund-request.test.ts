import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameWithToken } from '../../src/audit/actor.ts';
import type { TokenHolder } from '../../src/auth/tokens/api-token-queries.ts';
import { barredFromRequest, hasAsked, type RefundRequest } from '../../src/refunds/refund-request.ts';

const ANA = 'ana@example.cl';
const WITH_TOKEN = nameWithToken(ANA, 'tok_1');

test('a person asked for a refund if the request has the id or the e-mail address, also with an API token', () => {
  const isOwn = (requestedBy: string, user: { id: string; email: string }) =>
    hasAsked({ requested_by: requestedBy, requested_by_id: 'usr_1' } as RefundRequest, user);
  assert.equal(isOwn(ANA, { id: 'usr_1', email: 'ana@new.example.cl' }), true);
  // In the database to which a payment service moved, the same person has another id.
  assert.equal(isOwn(ANA, { id: 'usr_2', email: ANA }), true);
  assert.equal(isOwn(WITH_TOKEN, { id: 'usr_2', email: ANA }), true);
  assert.equal(isOwn(ANA, { id: 'usr_2', email: 'pedro@example.cl' }), false);
});

for (const { request, asker, is, title } of [
  { request: { by: 'pedro@example.cl', kind: 'person' }, asker: 'usr_1', is: /asked for it yourself/, title: 'own' },
  { request: { by: ANA, kind: 'person' }, asker: 'usr_1', is: null, title: 'of a person, who used no API token' },
  { request: { by: ANA, kind: 'person' }, asker: null, is: null, title: 'of a person of another database' },
  {
    request: { by: WITH_TOKEN, kind: 'person' },
    asker: 'usr_1',
    is: /may know an API token/,
    title: 'by a known token',
  },
  {
    request: { by: 'shop', kind: 'program' },
    asker: 'usr_1',
    is: /may know an API token/,
    title: 'of a known program',
  },
  {
    request: { by: WITH_TOKEN, kind: 'person' },
    asker: null,
    is: /of another database/,
    title: 'by a token elsewhere',
  },
  { request: { by: 'shop', kind: 'program' }, asker: null, is: /of another database/, title: 'of a program elsewhere' },
] as const) {
  test(`a person ${is === null ? 'may approve' : 'never approves'} a request ${title}`, () => {
    const asked = { requested_by: request.by, requested_by_id: 'usr_1', requested_kind: request.kind, requested_at: 5 };
    const holder: TokenHolder = { user_id: 'usr_1', holder_id: 'usr_2', made_at: 1, until: null, any_act: 0 };
    const approver = { id: 'usr_2', email: 'pedro@example.cl' };
    const bar = barredFromRequest(asked as RefundRequest, approver, { asker, holders: [holder] });
    if (is === null) assert.equal(bar, null);
    else assert.match(bar?.en ?? '', is);
  });
}
