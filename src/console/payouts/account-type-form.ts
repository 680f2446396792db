import type { App } from '../../app.ts';
import type { Permission } from '../../auth/permission.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { ACCOUNT_TYPES } from '../../payout-senders/payout-sender.ts';
import { tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import type { SeenPayout } from './payout-cells.ts';

/** Asks for the type of the account, as long as the payout has not left; after its approval, those who may approve. */
export function accountTypeForm(
  app: App,
  { language, user }: ConsoleVisit,
  { payout: { id, state }, accountType }: SeenPayout,
): Html | false {
  const setters: Partial<Record<typeof state, Permission>> = {
    awaiting_approval: 'payouts:create',
    approved: 'payouts:approve',
  };
  const setter = setters[state];
  if (setter === undefined || !user.may.has(setter)) return false;
  // None is chosen beforehand: a save in a hurry would say where the money goes.
  return html`<h2>${tell(language, 'account_type.title')}</h2>
<form class="card pad" method="post" action="${publicPath(app)}/console/payouts/${id}/account-type">
<p class="quiet">${tell(language, 'account_type.text')}</p>
<label>${tell(language, 'account_type.title')}<select name="type" required>${accountType === null && html`<option value="">${tell(language, 'account_type.unset')}</option>`}${ACCOUNT_TYPES.map((type) => html`<option value="${type}"${type === accountType && html` selected`}>${tell(language, `account_type.${type}`)}</option>`)}</select></label>
<p class="actions"><button>${tell(language, 'merchant.save')}</button></p></form>`;
}
