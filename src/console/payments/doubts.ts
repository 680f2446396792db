import type { App } from '../../app.ts';
import { sayPaymentDoubt } from '../../attention/say-doubt.ts';
import { isInDoubt } from '../../checkout/payment-attempt.ts';
import { methodName } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import type { ShownPayment } from '../../search/show-payment.ts';
import { selectAttemptsOf } from '../../search/timeline-queries.ts';
import { tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';

/** Shows the attempts of a payment that are in doubt, why, and for a person who may end them the way to do it. */
export async function doubtsOf(app: App, { language, user }: ConsoleVisit, { payment, transaction }: ShownPayment) {
  const at = `${publicPath(app)}/console/payments/${payment.id}`;
  const doubts = (await selectAttemptsOf(app.db, transaction))
    .filter((attempt) => isInDoubt(attempt, app.now()))
    .map(({ id, payment_method: code, commit_sent_at, contradicted_at, contradiction }) => ({
      path: `/attempts/${id}/settle`,
      why: sayPaymentDoubt({
        payment_method: methodName(language, { code, name: code }),
        commit_sent_at,
        contradiction: contradicted_at === null ? null : contradiction,
      }),
    }));
  const mayEnd = user.may.has('movements:record');
  const cards: Html[] = doubts.map(
    ({ path, why }) => html`<div class="card pad"><p>${why[language]}</p>
${mayEnd ? html`<p class="actions"><a class="button primary" href="${at}${path}">${tell(language, 'settle.end')}</a></p>` : html`<p class="quiet">${tell(language, 'settle.another')}</p>`}</div>`,
  );
  return cards.length > 0 && html`<h2>${tell(language, 'settle.doubt')}</h2>${cards}`;
}
