import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { formatMoney } from '../../lib/money.ts';
import { idsOf } from '../../payouts/find-payout.ts';
import { PAYOUT_CURRENCY } from '../../payouts/payout.ts';
import { sumWaitingApprovals } from '../../payouts/waiting-payout-queries.ts';
import { minuteOf } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';

/**
 * Shows people who may approve payouts how many wait for a signature, their sum, since when the oldest waits, and a link
 * to their list. What waits too long is also in the list of what needs a person.
 */
export async function toApprove(app: App, { language, user }: ConsoleVisit): Promise<Html | false> {
  if (!user.may.has('payouts:approve')) return false;
  const { count, amount, oldest } = await sumWaitingApprovals(app.db, await idsOf(app, user.environmentIds));
  if (oldest === null) return false;
  const said = { count, amount: formatMoney(amount, PAYOUT_CURRENCY), since: minuteOf(oldest) };
  return html`<div class="notice"><p>${tell(language, 'today.to_approve', said)}</p>
<p class="actions"><a class="button" href="${publicPath(app)}/console/payouts?state=awaiting_approval">${tell(language, 'today.sign')}</a></p></div>`;
}
