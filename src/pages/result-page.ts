import type { App } from '../app.ts';
import type { Payment } from '../checkout/find-payment.ts';
import { formatAmount } from '../checkout/format-for-payer.ts';
import { linkSubject } from '../checkout/order-lines.ts';
import { type ReturnToShop, returnToShop, shopAddress } from '../checkout/return-to-shop.ts';
import { say, sayOf } from '../checkout/texts.ts';
import { publicPath } from '../http/assets.ts';
import { type Html, html } from '../http/html.ts';
import type { Page } from '../http/page.ts';
import type { Language } from '../lib/language.ts';
import { payToken } from '../transactions/transaction.ts';
import { declineText } from './decline-notice.ts';
import { amountOf, type Icon, outcome, summary } from './payment-summary.ts';
import { submittingForm } from './submitting-form.ts';

type EndStage = Exclude<Payment['stage'], 'payable' | 'in_progress'>;

const ICONS: Record<EndStage, Icon> = {
  completed: 'good',
  failed: 'bad',
  cancelled: 'neutral',
  expired: 'neutral',
  under_review: 'waiting',
};

/**
 * Returns the parts of the page after the end of a payment: the result, and the way back to the shop. For a completed
 * payment the page is also the receipt: it stays at this address, can be printed and can be sent by mail.
 * `isFirstReturn`: the shop may not know the result yet. `asked`: the payer has just asked for the mail, so the page
 * does not leave.
 */
export function resultParts(
  app: App,
  payment: Payment,
  language: Language,
  { stage, isFirstReturn, asked }: { stage: EndStage; isFirstReturn: boolean; asked: boolean },
): Pick<Page, 'title' | 'main' | 'script' | 'formTarget'> {
  const { icon, title, text } = sayResult(payment, language, stage);
  const back = wayBack(payment, stage);
  const goes = back.kind === 'post' && (isFirstReturn || !isLate(app, payment));
  const afterMs = goes && !asked ? pauseBeforeReturn(payment, stage) : null;
  const leaves = afterMs === RETURN_AFTER_MS;
  const button = sayOf(language, 'return.button', linkSubject(payment.transaction));
  const head = html`
${outcome(icon, title, text)}
${leaves && leavingPart(payment, language)}
${summary(payment, language)}`;
  const receipt = stage === 'completed' && receiptPart(app, payment, language);
  const script = 'submit-form.js' as const;
  if (back.kind === 'none') return { title, main: html`${head}${receipt}`, script };
  if (back.kind === 'get') {
    return { title, main: html`${head}<p><a class="primary" href="${back.url}">${button}</a></p>${receipt}`, script };
  }
  const main = html`${head}
${submittingForm(back.url, back.fields, button, afterMs)}
${receipt}`;
  return { title, main, formTarget: back.url, script };
}

/**
 * The order of a payment under review may still be open: then no address of its shop may say that it was cancelled.
 */
function wayBack(payment: Payment, stage: EndStage): ReturnToShop {
  const { transaction, environment } = payment;
  const isOpen = stage === 'under_review' && transaction.state === 'pending';
  const shop = isOpen ? shopAddress(payment) : null;
  return shop === null ? returnToShop(transaction, environment) : { kind: 'get', url: shop };
}

/** Long enough to read the result. The page counts down, and the payer can stop it. */
const RETURN_AFTER_MS = 9000;
/** Shorter, because the payer has just asked to go back. */
const CANCELLED_AFTER_MS = 1000;
const RETURNS_WITHIN_MS = 10 * 60_000;

/**
 * Returns null when the payer must press the button: after any end but a completed or cancelled payment, after a
 * refund, or when the shop does not answer and the payer should note the details first.
 */
function pauseBeforeReturn({ refunded, shopIsSilent }: Payment, stage: EndStage): number | null {
  if (stage === 'cancelled') return CANCELLED_AFTER_MS;
  return stage === 'completed' && refunded === 0 && !shopIsSilent ? RETURN_AFTER_MS : null;
}

/**
 * Returns whether the payer returns long after the end. Such payers want the receipt, and the shop knows the result.
 */
function isLate(app: App, { transaction }: Payment): boolean {
  return app.now() - (transaction.settled_at ?? 0) > RETURNS_WITHIN_MS;
}

function sayResult(payment: Payment, language: Language, stage: EndStage): { icon: Icon; title: string; text: string } {
  const { transaction, environment, refunded } = payment;
  if (stage === 'completed' && refunded > 0) {
    const kind = refunded < transaction.amount ? 'refunded_part' : 'refunded';
    const sum = formatAmount(language, refunded, transaction.currency);
    const text = say(language, 'refunded.text', { refunded: sum, amount: amountOf(payment, language) });
    return { icon: 'neutral', title: say(language, `${kind}.title`), text };
  }
  const subject = linkSubject(transaction);
  // The usual text promises that the shop is told now, and this shop does not answer. A link has no shop to tell.
  if (stage === 'completed' && payment.shopIsSilent && subject === null) {
    return { icon: ICONS[stage], title: say(language, 'completed.title'), text: say(language, 'receipt.silent') };
  }
  const why = stage === 'failed' ? declineText(payment, language) : '';
  const values = { merchant: environment.paymentServiceName, contact: contactOf(payment), why };
  const text =
    stage === 'under_review'
      ? say(language, 'under_review.text', values)
      : sayOf(language, `${stage}.text`, subject, values);
  return { icon: ICONS[stage], title: say(language, `${stage}.title`), text };
}

/** The counting script shows this part: without scripts the page does not leave. */
function leavingPart({ environment }: Payment, language: Language): Html {
  return html`<p class="quiet leaving" hidden>${say(language, 'return.in', { merchant: environment.paymentServiceName })} <output aria-live="off"></output> s.
<button type="button" class="plain">${say(language, 'return.stay')}</button></p>`;
}

function receiptPart(app: App, payment: Payment, language: Language): Html {
  const { environment, transaction } = payment;
  const contact = contactOf(payment);
  return html`<p class="quiet">${sayOf(language, 'receipt.keep', linkSubject(transaction), { contact })}</p>
${environment.receipts !== null && mailForm(`${publicPath(app)}/pay/${payToken(transaction)}/receipt`, language)}
<button type="button" class="secondary print" hidden>${say(language, 'receipt.print')}</button>`;
}

function contactOf({ environment, look }: Payment): string {
  return look.contact ?? environment.paymentServiceName;
}

function mailForm(path: string, language: Language): Html {
  return html`<form method="post" action="${path}" class="mailed">
<label for="email">${say(language, 'receipt.mail')}</label>
<input id="email" type="email" name="email" required maxlength="254" autocomplete="email">
<button class="secondary">${say(language, 'receipt.send')}</button>
</form>`;
}
