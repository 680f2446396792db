import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { formatMoney } from '../../lib/money.ts';
import { findElsewhere } from '../../payment-services/elsewhere.ts';
import { idsOf } from '../../payouts/find-payout.ts';
import { PAYOUT_CURRENCY } from '../../payouts/payout.ts';
import { sumWaitingApprovals } from '../../payouts/waiting-payout-queries.ts';
import { minuteOf } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';

/**
 * Shows people who may approve payouts how many wait for a signature, their sum, since when the oldest waits, and a
 * link to their list. Tests are counted apart, and payouts of a merchant that another database serves wait there. What
 * waits too long is also in the list of what needs a person.
 */
export async function toApprove(app: App, { language, user }: ConsoleVisit): Promise<Html | false> {
  if (!user.may.has('payouts:approve')) return false;
  const { environments: elsewhere } = await findElsewhere(app);
  const here = (await idsOf(app, user.environmentIds)).filter((id) => !elsewhere.has(id));
  const sums = await sumWaitingApprovals(app.db, here);
  if (sums.length === 0) return false;
  const lines = sums.map(({ environment, count, amount, oldest }) => {
    const said = { count, amount: formatMoney(amount, PAYOUT_CURRENCY), since: minuteOf(oldest) };
    const which = environment === app.config.mode ? '' : `${tell(language, `merchant.${environment}`)}: `;
    return html`<p>${which}${tell(language, 'today.to_approve', said)}</p>`;
  });
  return html`<div class="notice">${lines}
<p class="actions"><a class="button" href="${publicPath(app)}/console/payouts?state=awaiting_approval">${tell(language, 'today.sign')}</a></p></div>`;
}
