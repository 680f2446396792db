import type { App } from '../../app.ts';
import { sayRefundDoubt } from '../../attention/say-doubt.ts';
import { methodName } from '../../checkout/texts.ts';
import { type Html, html } from '../../http/html.ts';
import { formatMoney } from '../../lib/money.ts';
import { decideRefund, rehearseRefundDecision } from '../../refunds/decide-refund.ts';
import { findRefund } from '../../refunds/find-refund.ts';
import { isRefundInDoubt, type Refund } from '../../refunds/refund.ts';
import type { RefundDecisionOutcome, RefundDecisionResult } from '../../refunds/refund-decision.ts';
import type { ShownPayment } from '../../search/show-payment.ts';
import {
  type Choices,
  entriesTable,
  type Place,
  type Refused,
  readBare,
  readSaid,
  type Said,
  type SaidBare,
  type Sent,
  type SettleQuestion,
  sendSettlePreview,
} from '../attention/settle-form.ts';
import { settleScreens } from '../attention/settle-screens.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import { type ConsoleVisit, notFoundPage } from '../console-visit.ts';
import { paymentOf } from './get-payment.ts';
import { isRepeated, sendSaid } from './settle-answers.ts';

const CHOICES = {
  completed: 'settle.completed',
  failed: 'settle.failed',
  retry: 'settle.retry',
} as const satisfies Record<RefundDecisionOutcome, ConsoleText>;

/**
 * Asks how a refund in doubt ended, or whether to request it from its method again. Shows what the decision would do;
 * with `confirm` decides.
 */
export const { get: getConsoleSettleRefund, post: postConsoleSettleRefund } = settleScreens({
  find: findDoubted,
  placeOf,
  isInDoubt: ({ refund }, now) => isRefundInDoubt(refund, now),
  sendNothing: (app, visit) => sendSaid(app, visit, 'settle.nothing'),
  question: questionOf,
  read: readWish,
  preview,
  decide,
});

type Doubted = { shown: ShownPayment; refund: Refund };
type Wish = Said<RefundDecisionOutcome> | SaidBare<RefundDecisionOutcome>;

/**
 * Returns the refund in the path if it belongs to the payment in the path and the person may see that payment, else
 * null.
 */
async function findDoubted(app: App, visit: ConsoleVisit): Promise<Doubted | null> {
  const shown = await paymentOf(app, visit);
  if (shown === null) return null;
  const { refund: id } = visit.request.params as { refund: string };
  const refund = await findRefund(app, shown.transaction, id);
  return refund === null ? null : { shown, refund };
}

function placeOf({ shown, refund }: Doubted): Place {
  const back = `/payments/${shown.payment.id}`;
  return { at: `${back}/refunds/${refund.id}/settle`, back };
}

/** A completed refund is in the books, and only one that is held can be requested again. */
function choicesFor({ state, asking }: Refund): Choices<RefundDecisionOutcome> {
  const { completed, failed, retry } = CHOICES;
  if (state === 'completed') return { completed };
  return state === 'processing' && asking === 'held' ? { completed, failed, retry } : { completed, failed };
}

function nameOf({ language }: ConsoleVisit, { payment }: ShownPayment): string {
  const code = payment.payment_method ?? '';
  return methodName(language, { code });
}

/** Says which refund it is, why it is in doubt, and how often its method was asked. */
function textOf(visit: ConsoleVisit, { shown, refund }: Doubted): Html {
  const { language } = visit;
  const { reference } = shown.payment;
  const method = nameOf(visit, shown);
  const contradiction = refund.contradicted_at === null ? null : refund.contradiction;
  return html`<p>${tell(language, 'settle.refund_text', { reference, id: refund.id })}</p>
<p class="notice">${sayRefundDoubt({ ...refund, payment_method: shown.payment.payment_method ?? '', contradiction })[language]}</p>
<p>${tell(language, 'settle.refund_asked', { method, n: refund.lookups })}</p>`;
}

function questionOf(visit: ConsoleVisit, doubted: Doubted): SettleQuestion {
  const { shown, refund } = doubted;
  const choices = choicesFor(refund);
  const amount = formatMoney(refund.amount, shown.payment.currency);
  return {
    title: tell(visit.language, 'settle.refund_title', { amount }),
    text: textOf(visit, doubted),
    choices,
    mayLackFile: choices.retry !== undefined,
  };
}

/** Without a file only `retry` is possible; the decision itself refuses it where it needs evidence. */
function readWish(visit: ConsoleVisit, _: Doubted, sent: Sent): Wish | Refused {
  const isBare = sent.fields['outcome'] === 'retry' && sent.file === null;
  return isBare ? readBare(visit, sent, CHOICES) : readSaid(visit, sent, CHOICES);
}

async function preview(app: App, visit: ConsoleVisit, doubted: Doubted, wish: Wish) {
  const { language, by } = visit;
  const { shown, refund } = doubted;
  const rehearsed = await rehearseRefundDecision(app, refund.id, { ...wish, by });
  if (rehearsed?.result !== 'decided') return sendRefusal(app, visit, rehearsed?.result ?? 'unknown');
  const state = tell(language, `settle.state_${rehearsed.state}`);
  const said =
    wish.outcome === 'retry'
      ? tell(language, 'settle.retry_will', { method: nameOf(visit, shown) })
      : tell(language, 'settle.refund_will', { state });
  return sendSettlePreview(app, visit, {
    text: textOf(visit, doubted),
    ...placeOf(doubted),
    said: wish,
    means: `${tell(language, CHOICES[wish.outcome])}: ${formatMoney(refund.amount, shown.payment.currency)}`,
    effect: html`<p>${said}</p>${entriesTable(language, rehearsed.entries)}`,
    kept: { effect: rehearsed.effect },
  });
}

async function decide(app: App, visit: ConsoleVisit, { shown, refund }: Doubted, wish: Wish & { effect: string }) {
  const { id } = refund;
  const { outcome, reason, evidence, effect } = wish;
  const result = await decideRefund(app, id, { outcome, reason, evidence, by: visit.by, effect });
  const isDone = result === 'decided' || (await isRepeated(app, visit, { kind: 'refund', id, ...wish }));
  return isDone ? visit.goTo(`/payments/${shown.payment.id}?done=settled`) : sendRefusal(app, visit, result);
}

const REFUSALS = {
  already: 'settle.changed',
  completed_stays: 'settle.completed_stays',
  too_early: 'settle.too_early',
} as const satisfies Record<Exclude<RefundDecisionResult, 'decided' | 'unknown'>, ConsoleText>;

async function sendRefusal(app: App, visit: ConsoleVisit, result: RefundDecisionResult) {
  if (result === 'unknown' || result === 'decided') return visit.send(404, notFoundPage(visit.language));
  return sendSaid(app, visit, REFUSALS[result]);
}
