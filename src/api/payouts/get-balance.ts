import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { operation } from '../../http/endpoint.ts';
import { Type } from '../../http/json-schema.ts';
import { requireUser } from '../../http/require-user.ts';
import { toDecimalNumber } from '../../lib/money.ts';
import { refuseElsewhere } from '../../payment-services/elsewhere.ts';
import { findPayoutOwner } from '../../payouts/find-payout-owner.ts';
import { PAYOUT_CURRENCY } from '../../payouts/payout.ts';
import { payoutBalance } from '../../payouts/payout-balance.ts';
import { MOVE_ERRORS } from '../transactions/transaction-schemas.ts';
import { TEF_ERRORS } from './post-tef.ts';

const BalanceSchema = Type.Object({ balance: Type.Number({ description: 'Whole pesos' }) }, { $id: 'Balance' });

const REPLIES = { 200: { description: 'The balance', schema: BalanceSchema, example: { balance: 985000 } } };

/** Returns the balance: the merchant's money, including approved payouts that have not arrived. */
export const getBalance = operation({
  describe: {
    operationId: 'readBalance',
    summary: 'Read the balance',
    description: 'Returns the money of the merchant, including approved payouts that have not arrived yet.',
    tag: 'Payouts',
    replies: REPLIES,
    errors: [...TEF_ERRORS, 'PAYMENT_SERVICE_AMBIGUOUS', ...MOVE_ERRORS],
  },
  handle: async (app, request) => read(app, request, 'balance'),
});

/** Returns the amount that can be paid out now. */
export const getAvailableBalance = operation({
  describe: {
    operationId: 'readAvailableBalance',
    summary: 'Read the balance that can be paid out',
    description:
      'Returns the money of the merchant without refunds in progress, money kept back for refunds, and money reserved by payouts.',
    tag: 'Payouts',
    replies: REPLIES,
    errors: [...TEF_ERRORS, 'PAYMENT_SERVICE_AMBIGUOUS', ...MOVE_ERRORS],
  },
  handle: async (app, request) => read(app, request, 'payable'),
});

async function read(app: App, request: FastifyRequest, which: 'balance' | 'payable') {
  const user = await requireUser(app, request);
  const owner = await findPayoutOwner(app, user);
  refuseElsewhere(owner);
  return { balance: toDecimalNumber((await payoutBalance(app, owner.id))[which], PAYOUT_CURRENCY) };
}
