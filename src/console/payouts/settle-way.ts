import type { App } from '../../app.ts';
import { sayPayoutDoubt } from '../../attention/payout-attention.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { beginSentence } from '../../lib/begin-sentence.ts';
import type { Language } from '../../lib/language.ts';
import type { ServiceEnvironment } from '../../payment-services/payment-service.ts';
import { SECOND_LINE } from '../../payouts/kept-texts.ts';
import { contradictingLines, mayBeSettled, type Payout } from '../../payouts/payout.ts';
import type { LineOfStatement } from '../../statements/bank-statement-queries.ts';
import { tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { whoMay } from '../permission-texts.ts';

/** A payout with the environment that pays. */
export type Left = { payout: Payout; owner: ServiceEnvironment };

/**
 * Shows the way to the form that ends it, for a payout that has left or is contradicted, and why it waits. `lines`: its
 * lines of bank statements that the person may see.
 */
export function settleWay(
  app: App,
  visit: ConsoleVisit,
  { payout, owner }: Left,
  lines: readonly LineOfStatement[],
): Html | false {
  const { language, user } = visit;
  if (!mayBeSettled(payout)) return false;
  const mayEnd = user.may.has('movements:record');
  const why = doubtOf(language, { payout, owner });
  if (why === false && !mayEnd) return false;
  return html`<h2>${tell(language, 'settle.payout')}</h2>
<div class="card pad">${why}${
    mayEnd
      ? html`<p class="actions">${secondLine(app, language, payout, lines)}<a class="button" href="${publicPath(app)}/console${pathOf({ payout, owner })}">${tell(language, 'way.settle')}</a></p>`
      : html`<p class="quiet">${tell(language, 'settle.another', { who: whoMay(language, 'movements:record') })}</p>`
  }</div>`;
}

/**
 * Links the second line of the statement until it is explained, and then the next one: its form books the money if it
 * left once more.
 */
function secondLine(app: App, language: Language, payout: Payout, lines: readonly LineOfStatement[]): Html | false {
  const contradicting = contradictingLines(payout);
  const open = lines.find(
    ({ statement_id, file_line, used_as }) =>
      used_as === 'suspense' && contradicting.includes(`${statement_id}/${file_line}`),
  );
  if (payout.contradiction !== SECOND_LINE || open === undefined) return false;
  const at = `${publicPath(app)}/console/statements/${open.statement_id}?use=suspense&line=${open.file_line}#explain`;
  return html`<a class="button" href="${at}">${tell(language, 'again.way')}</a> `;
}

/** Returns the path of the form below `/console`. */
export function pathOf({ payout }: Left): string {
  return `/payouts/${payout.id}/settle`;
}

/** Says why the payout waits; nothing for a payout that arrived. */
export function doubtOf(language: Language, { payout, owner }: Left): Html | false {
  if (payout.state === 'confirmed' && payout.contradicted_at === null) return false;
  const { paymentServiceId: payment_service, environment } = owner;
  const said =
    payout.contradiction === SECOND_LINE
      ? tell(language, 'again.text')
      : beginSentence(sayPayoutDoubt({ ...payout, payment_service, environment })[language]);
  return html`<p class="notice">${said}</p>`;
}
