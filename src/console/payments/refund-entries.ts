import type { App } from '../../app.ts';
import { selectAvailable } from '../../books/balance-queries.ts';
import { methodName } from '../../checkout/texts.ts';
import { type Html, html } from '../../http/html.ts';
import { addUp } from '../../lib/exact-sum.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import type { Refund } from '../../refunds/refund.ts';
import type { ShownPayment } from '../../search/show-payment.ts';
import { actorText, ageText, tableOf } from '../console-format.ts';
import { tell } from '../console-texts.ts';

/**
 * Shows the entries that the refund would add to the books, and the merchant's money afterwards; then `equal`, from
 * `lastEqualRefund`, which may be this refund. `amount` is in minor units.
 */
export async function refundEntries(
  app: App,
  language: Language,
  { payment }: ShownPayment,
  { amount, equal }: { amount: number; equal: Refund | undefined },
): Promise<Html> {
  const { currency } = payment;
  const money = formatMoney(-amount, currency);
  const code = payment.payment_method ?? '';
  const available = await selectAvailable(app.db, [payment.environment_id], currency);
  const entries = [
    [tell(language, 'booked.merchant'), money],
    [tell(language, 'booked.method', { method: methodName(language, { code }) }), money],
  ];
  const asked = equal && {
    name: actorText(language, equal.requested_by),
    age: ageText(language, Math.max(0, app.now() - equal.created_at)),
  };
  return html`${tableOf([tell(language, 'refund.account'), tell(language, 'column.amount')], entries, [1])}
<p>${tell(language, 'refund.merchant_left', { amount: formatMoney(addUp([available, -amount]), currency) })}</p>
${asked !== undefined && html`<p class="notice">${tell(language, 'refund.equal', asked)}</p>`}`;
}
