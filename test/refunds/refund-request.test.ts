import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameWithToken } from '../../src/audit/actor.ts';
import { hasAsked, type RefundRequest } from '../../src/refunds/refund-request.ts';

const ANA = 'ana@example.cl';

test('a person asked for a refund if the request has the id or the e-mail address, also with an API token', () => {
  const isOwn = (requestedBy: string, user: { id: string; email: string }) =>
    hasAsked({ requested_by: requestedBy, requested_by_id: 'usr_1' } as RefundRequest, user);
  assert.equal(isOwn(ANA, { id: 'usr_1', email: 'ana@new.example.cl' }), true);
  // In the database to which a payment service moved, the same person has another id.
  assert.equal(isOwn(ANA, { id: 'usr_2', email: ANA }), true);
  assert.equal(isOwn(nameWithToken(ANA, 'tok_1'), { id: 'usr_2', email: ANA }), true);
  assert.equal(isOwn(ANA, { id: 'usr_2', email: 'pedro@example.cl' }), false);
});
