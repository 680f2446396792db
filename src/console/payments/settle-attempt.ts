import type { App } from '../../app.ts';
import { sayPaymentDoubt } from '../../attention/say-doubt.ts';
import {
  type DecisionWish,
  decidePayment,
  type OpenDecision,
  openDecision,
  rehearseDecision,
} from '../../checkout/decide-payment.ts';
import { lookUpPaymentOf } from '../../checkout/look-up-payments.ts';
import { isOpen, type PaymentAttempt } from '../../checkout/payment-attempt.ts';
import { selectAttempt } from '../../checkout/payment-attempt-queries.ts';
import type { DecidedOutcome, DecisionResult } from '../../checkout/payment-decision.ts';
import { methodName } from '../../checkout/texts.ts';
import { html } from '../../http/html.ts';
import { formatMoney, formatPlain, parseTyped } from '../../lib/money.ts';
import type { ShownPayment } from '../../search/show-payment.ts';
import {
  type Choices,
  entriesTable,
  type Place,
  type Refused,
  readSaid,
  refusedField,
  type Said,
  type Sent,
  type SettleQuestion,
  sendSettlePreview,
} from '../attention/settle-form.ts';
import { settleScreens } from '../attention/settle-screens.ts';
import { type ConsoleText, tell, tellKind } from '../console-texts.ts';
import { type ConsoleVisit, notFoundPage } from '../console-visit.ts';
import { formField } from '../notice.ts';
import { paymentOf } from './get-payment.ts';
import { isRepeated, sendSaid } from './settle-answers.ts';

const CHOICES = {
  approved: 'settle.approved',
  declined: 'settle.declined',
  aborted: 'settle.aborted',
} as const satisfies Record<DecidedOutcome, ConsoleText>;

/**
 * Asks how a payment attempt in doubt ended. Asks the method again and shows what the decision would do; with `confirm`
 * decides.
 */
export const { get: getConsoleSettleAttempt, post: postConsoleSettleAttempt } = settleScreens({
  find: findDoubted,
  placeOf,
  isInDoubt: ({ open }) => open !== null,
  sendNothing,
  question: questionOf,
  read: readWish,
  preview,
  decide,
});

/** `open`: what may be decided; null: nothing. */
type Doubted = { shown: ShownPayment; attempt: PaymentAttempt; open: OpenDecision | null };
type Wish = Said<DecidedOutcome> & { taken: number | null };

/**
 * Returns the attempt in the path if it belongs to the payment in the path and the person may see that payment, else
 * null.
 */
async function findDoubted(app: App, visit: ConsoleVisit): Promise<Doubted | null> {
  const shown = await paymentOf(app, visit);
  if (shown === null) return null;
  const { attempt: id } = visit.request.params as { attempt: string };
  const attempt = await selectAttempt(app.db, { id, environment_id: shown.transaction.environment_id });
  if (attempt?.transaction_id !== shown.transaction.id) return null;
  return { shown, attempt, open: await openDecision(app, attempt) };
}

function placeOf({ shown, attempt }: Doubted): Place {
  const back = `/payments/${shown.payment.id}`;
  return { at: `${back}/attempts/${attempt.id}/settle`, back };
}

/**
 * The money of an approved attempt is in the books, so nothing else can be said of it. That no money was taken is known
 * already of an attempt without a doubt.
 */
function choicesFor({ attempt, open }: Doubted): Choices<DecidedOutcome> {
  return attempt.state === 'approved' || open === 'unpaid' ? { approved: CHOICES.approved } : CHOICES;
}

function nameOf({ language }: ConsoleVisit, { payment_method: code }: PaymentAttempt): string {
  return methodName(language, { code });
}

/** Says which attempt it is, and why it is in doubt or what is known of it. */
function textOf(visit: ConsoleVisit, { shown, attempt, open }: Doubted) {
  const { language } = visit;
  const { reference } = shown.payment;
  const method = nameOf(visit, attempt);
  const contradiction = attempt.contradicted_at === null ? null : attempt.contradiction;
  return html`<p>${tell(language, 'settle.attempt_text', { reference, id: attempt.id, method })}</p>
<p class="notice">${open === 'unpaid' ? tell(language, 'settle.unpaid', { method }) : sayPaymentDoubt({ ...attempt, contradiction })[language]}</p>`;
}

function questionOf(visit: ConsoleVisit, doubted: Doubted, { amount: typed = '' }: Sent['fields']): SettleQuestion {
  const { language } = visit;
  const { shown, attempt } = doubted;
  const amount = formatMoney(shown.payment.amount, shown.payment.currency);
  const method = nameOf(visit, attempt);
  return {
    title: tell(language, 'settle.attempt_title', { amount }),
    text: html`${textOf(visit, doubted)}${isOpen(attempt) && html`<p>${tell(language, 'settle.asks', { method })}</p>`}`,
    choices: choicesFor(doubted),
    more: (fault) =>
      attempt.state === 'approved'
        ? html``
        : formField(
            fault,
            'amount',
            (attributes) =>
              html`<label>${tell(language, 'settle.amount', { amount })}<input name="amount" inputmode="decimal" value="${typed}"${attributes}></label>`,
          ),
  };
}

/** `taken`: null without an amount, for the amount of the order. */
function readWish(visit: ConsoleVisit, { shown: { payment } }: Doubted, sent: Sent): Wish | Refused {
  const said = readSaid(visit, sent, CHOICES);
  if ('refusal' in said) return said;
  const text = (sent.fields['amount'] ?? '').trim();
  if (text === '') return { ...said, taken: null };
  const taken = parseTyped(text, payment.currency);
  if (taken === null || taken < 1 || said.outcome !== 'approved')
    return refusedField('amount', tell(visit.language, 'settle.bad_amount'));
  return { ...said, taken };
}

async function preview(app: App, visit: ConsoleVisit, before: Doubted, wish: Wish) {
  const { language } = visit;
  const wasAsked = isOpen(before.attempt) && (await askAgain(app, before));
  // The answer may have ended it.
  const doubted = await findDoubted(app, visit);
  if (doubted === null || doubted.open === null) return sendNothing(app, visit);
  const { attempt } = doubted;
  const rehearsed = await rehearseDecision(app, attempt.id, wishOf(visit, wish));
  if (rehearsed?.result !== 'decided') return sendRefusal(app, visit, rehearsed?.result ?? 'unknown');
  const method = nameOf(visit, attempt);
  const answer = tell(language, wasAsked ? 'settle.asked' : 'settle.not_asked', { method });
  const { currency } = doubted.shown.payment;
  const state = tellKind(language, 'state', rehearsed.transaction);
  const means = tell(language, CHOICES[wish.outcome]);
  return sendSettlePreview(app, visit, {
    text: html`${textOf(visit, doubted)}${isOpen(attempt) && html`<p>${answer}</p>`}`,
    ...placeOf(doubted),
    said: wish,
    means:
      wish.taken === null || attempt.state === 'approved' ? means : `${means}: ${formatMoney(wish.taken, currency)}`,
    effect: html`<p>${tell(language, 'settle.order_will', { state })}</p>${entriesTable(language, rehearsed.entries)}`,
    kept: { effect: rehearsed.effect, ...(wish.taken !== null && { amount: formatPlain(wish.taken, currency) }) },
  });
}

/** Asks the method what became of the attempt, as the worker does. Returns whether it was asked. */
async function askAgain(app: App, { shown, attempt }: Doubted): Promise<boolean> {
  try {
    return await lookUpPaymentOf(app, shown.transaction, null);
  } catch (error) {
    app.log.error({ err: error, attempt: attempt.id }, 'a payment could not be looked up');
    return false;
  }
}

function wishOf({ by }: ConsoleVisit, { outcome, taken, reason, evidence }: Wish): DecisionWish {
  return { outcome, taken, reason, evidence, by };
}

async function decide(app: App, visit: ConsoleVisit, doubted: Doubted, wish: Wish & { effect: string }) {
  const { effect } = wish;
  const { id } = doubted.attempt;
  const result = await decidePayment(app, id, { ...wishOf(visit, wish), effect });
  const amount = wish.taken ?? doubted.shown.payment.amount;
  const decided = { kind: 'payment_attempt', id, ...wish, amount } as const;
  const isDone = result === 'decided' || (await isRepeated(app, visit, decided));
  if (!isDone) return sendRefusal(app, visit, result);
  return visit.goTo(`/payments/${doubted.shown.payment.id}?done=settled`);
}

function sendNothing(app: App, visit: ConsoleVisit) {
  return sendSaid(app, visit, 'settle.nothing');
}

async function sendRefusal(app: App, visit: ConsoleVisit, result: DecisionResult) {
  if (result === 'unknown') return visit.send(404, notFoundPage(visit.language));
  return sendSaid(app, visit, result === 'approved_stays' ? 'settle.approved_stays' : 'settle.changed');
}
