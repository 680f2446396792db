import { methodName } from '../../checkout/texts.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import { sayDecisionReason } from '../../movements/imported-payment.ts';
import { causeOf } from '../../outbox/endpoints/answer-cause.ts';
import { isTaken } from '../../outbox/retry-schedule.ts';
import { subscriptionOf } from '../../outbox/webhooks/webhook-subscription.ts';
import { knownDecline } from '../../pages/decline-notice.ts';
import { type ShownPayment, sayFact, type TimelineLine } from '../../search/show-payment.ts';
import { nameOfValue } from '../audit/act-details.ts';
import { actorText, clockTag } from '../console-format.ts';
import { tell, tellKind } from '../console-texts.ts';
import { causeText } from '../notice.ts';

const GOOD = [
  'transaction.completed',
  'refund.completed',
  'refund_request.approved',
  'approved',
  'delivered',
  'redirected',
  'superseded',
];
const BAD = [
  'transaction.failed',
  'transaction.conflict',
  'refund.failed',
  'refund_request.rejected',
  'declined',
  'contradicted',
  'dead',
  'disabled',
];
const OPEN = ['unknown', 'refund.processing', 'refund_request.made', 'queued', 'commit_sent'];

/** Facts that the line already shows or that nobody asks about. */
const SAID = [
  'sequence',
  'payment_method',
  'status',
  'failure',
  'url',
  'browser_returned',
  'next_attempt',
  'under_way_since',
];

/** The entries of movements that people recorded about a payment. */
const MOVED: readonly string[] = ['returned', 'kept', 'recovered', 'charged'];

/**
 * Shows everything that happened to a payment, oldest first. `movements`: the address of its recorded movements; null
 * for a person who may not see them.
 */
export function timelineOf(
  language: Language,
  { payment, transaction, timeline }: ShownPayment,
  movements: string | null = null,
): Html {
  const items = timeline.map((line) => {
    const { at, by, amount } = line;
    return html`<li class="${toneOf(line, transaction.url_callback)}">${clockTag(at)}
<strong>${titleOf(language, line)}</strong>${amount !== null && html` · ${formatMoney(amount, payment.currency)}`}${by !== null && html` · ${tell(language, 'line.by', { name: actorText(language, by) })}`}${nextOf(language, line)}${reasonOf(language, line)}${declineOf(language, transaction, line)}${movements !== null && line.kind === 'entry' && MOVED.includes(line.what) && html` · <a href="${movements}">${tell(language, 'line.movement')}</a>`}
${noticeOf(language, line, transaction.url_callback)}${factsOf(language, line)}</li>`;
  });
  return html`<ol class="timeline card">${items}</ol>`;
}

/** Returns when a callback is tried again, or since when an attempt is under way. */
function nextOf(language: Language, { facts }: TimelineLine): Html | false {
  const { next_attempt: next, under_way_since: since } = facts;
  if (typeof since === 'string') return html` · ${tell(language, 'line.under_way')} ${clockTag(Date.parse(since))}`;
  return typeof next === 'string' && html` · ${tell(language, 'line.next')} ${clockTag(Date.parse(next))}`;
}

/** Returns why a person did it. The reason of a payment method is among the details. */
function reasonOf(language: Language, { by, facts }: TimelineLine): Html | false {
  const { reason } = facts;
  if (by === null || typeof reason !== 'string') return false;
  return html`<br><span class="quiet">${sayDecisionReason(reason)[language]}</span>`;
}

/** Returns the words in which the pay page told the payer why the attempt was declined. */
function declineOf(language: Language, transaction: ShownPayment['transaction'], line: TimelineLine): Html | false {
  const text = declineSaid(language, transaction, line);
  return text !== null && html`<br><span class="quiet">${text}</span>`;
}

/** Says why an attempt was declined, as the pay page does; null: the method did not say why, or it is another line. */
export function declineSaid(
  language: Language,
  transaction: ShownPayment['transaction'],
  { kind, what, facts }: TimelineLine,
): string | null {
  if (kind !== 'attempt' || what !== 'declined') return null;
  const text = knownDecline(language, transaction, facts);
  return text === null ? null : tell(language, 'line.pay_page', { text });
}

function toneOf({ kind, what, facts }: TimelineLine, url: string): string {
  if (kind === 'delivery') {
    const { status = null, location = null } = facts as { status?: number | null; location?: string | null };
    return status !== null && isTaken(url, { status, location }) ? 'is-good' : 'is-bad';
  }
  if (kind === 'entry' || GOOD.includes(what)) return 'is-good';
  if (BAD.includes(what)) return 'is-bad';
  return OPEN.includes(what) ? 'is-warn' : '';
}

/** Returns the event as one line. */
export function titleOf(language: Language, { kind, what, facts }: TimelineLine): string {
  const code = sayFact(facts['payment_method'] ?? '');
  const method = methodName(language, { code });
  if (kind === 'delivery') {
    const failed = facts['failure'] !== undefined;
    return tell(language, failed ? 'delivery.failure' : 'delivery', {
      answer: String(facts['failure'] ?? facts['status']),
    });
  }
  if (kind === 'entry') return tell(language, 'entry', { kind: tellKind(language, 'entry', what) });
  if (kind === 'act') return tellKind(language, 'act', what);
  if (kind === 'decision') return tell(language, 'decision', { outcome: tellKind(language, 'settle', what) });
  if (kind === 'callback' && what === 'disabled' && isOfWebhook(facts)) return tell(language, 'callback.unwanted');
  if (what === 'transaction.conflict' && facts['event'] === 'chargeback') return tell(language, 'line.chargeback');
  if (what === 'transaction.conflict' && facts['event'] === 'refund_unasked') return tell(language, 'line.unasked');
  return tellKind(language, kind, what, { method });
}

/** Returns whether a callback of the timeline is for a user's webhook, not for the shop. */
export function isOfWebhook(facts: TimelineLine['facts']): boolean {
  return subscriptionOf({ webhook_id: String(facts['webhook_id']) }) !== null;
}

/** Returns the cause of a failed delivery and its fix, for people; null if no cause is known. */
export function causeOfDelivery(language: Language, { facts }: TimelineLine, url: string) {
  const { status = null, failure = null, location = null, answer = null } = facts as Record<string, never>;
  return causeOf(url, { status, failure, location, excerpt: answer }, language);
}

/** Explains the shop's response and how to fix it. */
function noticeOf(language: Language, line: TimelineLine, url: string): Html | false {
  if (line.kind !== 'delivery') return false;
  const found = causeOfDelivery(language, line, url);
  return found !== null && html`<p class="notice">${causeText(found)}</p>`;
}

function factsOf(language: Language, line: TimelineLine): Html | false {
  const isShown = (name: string) => SAID.includes(name) || (name === 'reason' && reasonOf(language, line) !== false);
  const said = Object.entries(line.facts).filter(([name]) => !isShown(name));
  if (said.length === 0) return false;
  const code = said.find(([name]) => name === 'authorization_code');
  const nameOf = (name: string) => nameOfValue(language, name);
  const rows = said.map(([name, fact]) => html`<dt>${nameOf(name)}</dt><dd class="code">${sayFact(fact, nameOf)}</dd>`);
  return html`${code !== undefined && html` <span class="code">${sayFact(code[1])}</span>`}
<details><summary>${tell(language, 'line.details')}</summary><dl class="facts">${rows}</dl></details>`;
}
