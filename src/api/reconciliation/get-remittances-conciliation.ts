import { reconcileEntries } from '../../books/reconcile-entries.ts';
import { invalidParameter } from '../../error-catalogue.ts';
import { operation } from '../../http/endpoint.ts';
import { replyOf, Type } from '../../http/json-schema.ts';
import { requireUser } from '../../http/require-user.ts';
import { boundsOfDay } from '../../lib/calendar-day.ts';
import { describeRemittances } from './describe-remittances.ts';
import {
  REMITTANCE_ITEM_EXAMPLE,
  REMITTANCE_NULLIFICATION_EXAMPLE,
  REMITTANCE_PAYOUT_EXAMPLE,
  RemittanceItemSchema,
  RemittanceNullificationSchema,
  RemittancePayoutSchema,
} from './remittance-schemas.ts';
import { readRemittanceDay, readScope, SCOPE_ERRORS, SCOPE_PARAMETERS } from './remittance-scope.ts';

/** Lists the payments, refunds and payouts of a Chilean day, each with its entry in the books. */
export const getRemittancesConciliation = operation({
  anyQuery: true,
  describe: {
    operationId: 'reconcileDay',
    summary: 'Reconcile a day',
    description:
      'Returns the payments and refunds that were completed on a day of Chile (America/Santiago), in one currency. `totalRemittances` is `totalTransactions` minus the `cost` of each item and minus `totalNullification`. `payouts` lists the payouts to the merchant on that day.',
    tag: 'Reconciliation',
    parameters: [
      {
        name: 'date',
        in: 'query',
        required: true,
        description: 'YYYY-MM-DD',
        schema: Type.String({ examples: ['2026-01-15'] }),
      },
      {
        name: 'email',
        in: 'query',
        description:
          'E-mail address of the user of the report. Default: yourself; only operators can name another user',
        schema: Type.String(),
      },
      ...SCOPE_PARAMETERS,
    ],
    replies: {
      200: { description: 'Payments, refunds and payouts of the day', schema: replySchema(), example: replyExample() },
    },
    errors: SCOPE_ERRORS,
  },
  handle: async (app, request, _reply, query) => {
    const asking = await requireUser(app, request);
    const { date, email, ...scope } = query();
    const { environmentIds, currency } = await readScope(app, asking, { whose: email, ...scope });
    const day = readRemittanceDay(date ?? '');
    if (day === null) throw invalidParameter('date is a day such as 2026-01-15.', 'date es un día como 2026-01-15.');
    const { lines } = await reconcileEntries(app, { environmentIds, ...boundsOfDay(day), transactionId: 0 });
    return { message: 'OK', errors: null, data: describeRemittances(lines, currency) };
  },
});

function replySchema() {
  const data = Type.Object({
    totalRemittances: Type.Number({ description: 'Amount of the day for the merchant' }),
    items: Type.Array(RemittanceItemSchema),
    totalTransactions: Type.Number({ description: 'Sum of the payments' }),
    totalNullification: Type.Number({ description: 'Sum of the refunds' }),
    nullifications: Type.Array(RemittanceNullificationSchema),
    payouts: Type.Array(RemittancePayoutSchema),
  });
  return replyOf('Conciliation', data);
}

function replyExample() {
  const data = {
    totalRemittances: 9617,
    items: [REMITTANCE_ITEM_EXAMPLE],
    totalTransactions: 12990,
    totalNullification: 2990,
    nullifications: [REMITTANCE_NULLIFICATION_EXAMPLE],
    payouts: [REMITTANCE_PAYOUT_EXAMPLE],
  };
  return { message: 'OK', errors: null, data };
}
