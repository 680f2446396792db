import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import { isReason } from '../../audit/reason.ts';
import { mayAny, type Needed, type Permission, readWith } from '../../auth/permission.ts';
import { methodName } from '../../checkout/texts.ts';
import { selectEpochs } from '../../epochs/epoch-queries.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { formatMoney } from '../../lib/money.ts';
import { formatAge } from '../../lib/time-text.ts';
import { PAYOUT_CURRENCY } from '../../payouts/payout.ts';
import { findUnreleased, type Unreleased } from '../../proof/restores/find-unreleased.ts';
import { releaseRestore } from '../../proof/restores/release-restore.ts';
import { actorText, minuteOf, tableOf, timeCell } from '../console-format.ts';
import { type ConsoleText, tell, tellAll } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, inParts, requireProof } from '../console-visit.ts';
import { sealedOf, typedQuery } from '../kept-typing.ts';
import { alertNotice, type Fault, formField, reasonField } from '../notice.ts';
import { whoMay } from '../permission-texts.ts';
import { fieldsOf } from '../sign-in.ts';

const PATH = '/restore';
/** The most rows of each kind; the counts are whole. */
const SHOWN = 50;

/** Shows what a restore holds and what to compare, and asks for the release; or that nothing is held. */
export const getConsoleRestore = consoleHandler(async (app, visit) => {
  const found = await findUnreleased(app, SHOWN);
  if (found === null) return sendNothing(app, visit);
  const asked = mayRelease(visit) ? requireProof(app, visit, PATH) : null;
  return asked ?? sendHeld(app, visit, found, sealedOf(visit));
});

/** Accepts the loss and releases, as `release` does, after the second factor. */
export const postConsoleRestore = consoleHandler(async (app, visit) => {
  const { language, request, by } = visit;
  const { epoch = '', compared = '', reason: text = '' } = fieldsOf(request);
  const typed = { reason: text.trim() };
  const asked = requireProof(app, visit, `${PATH}?${typedQuery(visit, typed)}`);
  if (asked !== null) return asked;
  const refuse = async (status: number, said: ConsoleText, field?: string) => {
    const found = await findUnreleased(app, SHOWN);
    if (found === null) return sendNothing(app, visit);
    return sendHeld(app, visit, found, typed, { status, said: tell(language, said), field });
  };
  if (compared !== 'yes') return refuse(400, 'restore.not_compared', 'compared');
  if (!isReason(typed.reason)) return refuse(400, 'refund.no_reason', 'reason');
  const released = await inParts(() => releaseRestore(app, Number(epoch), by, typed.reason));
  return released === 'other' ? refuse(409, 'restore.other') : visit.goTo(PATH);
});

function mayRelease({ user }: ConsoleVisit): boolean {
  return user.may.has('payment-services:manage');
}

async function sendNothing(app: App, { language, send }: ConsoleVisit): Promise<FastifyReply> {
  const title = tell(language, 'restore.title');
  const last = (await selectEpochs(app.db)).at(-1);
  const released = last?.released_at ?? null;
  const facts = {
    at: minuteOf(last?.began_at ?? 0),
    on: minuteOf(released ?? 0),
    by: actorText(language, last?.released_by ?? null),
  };
  const main = html`<h1>${title}</h1>
<p class="notice done" role="status">${tell(language, 'restore.none')}</p>
${released !== null && html`<p>${tell(language, 'restore.released', facts)}</p>`}
<p class="quiet">${tell(language, 'restore.begin')}</p>`;
  return send(200, { title, main });
}

type Answer = Fault & { status: number };

function sendHeld(
  app: App,
  visit: ConsoleVisit,
  found: Unreleased,
  typed: Record<string, string>,
  { status, ...fault }: Answer = { status: 200, said: '' },
): FastifyReply {
  const { language, send } = visit;
  const title = tell(language, 'restore.title');
  const main = html`${alertNotice(fault)}
<h1>${title}</h1>
${gapPart(visit, found)}
<h2>${tell(language, 'restore.compare')}</h2>
${comparePart(app, visit)}
<h2>${tell(language, 'restore.waits')}</h2>
${waitingPart(app, visit, found)}
<h2>${tell(language, 'restore.release')}</h2>
${mayRelease(visit) ? releaseForm(app, visit, found, { ...typed, fault }) : html`<p class="quiet">${tell(language, 'restore.another', { who: whoMay(language, 'payment-services:manage') })}</p>`}`;
  const again = typed['reason'] === undefined ? PATH : `${PATH}?${typedQuery(visit, { reason: typed['reason'] })}`;
  return send(status, { title, main, again });
}

function gapPart({ language }: ConsoleVisit, { held, restore }: Unreleased): Html {
  const { began_at, known_until } = held;
  const gap =
    known_until === null
      ? tell(language, 'restore.no_gap')
      : tell(language, 'restore.gap', {
          until: minuteOf(known_until),
          age: formatAge(began_at - known_until, language),
        });
  const anchors = restore?.anchors ?? 0;
  return html`<p>${tell(language, 'restore.at', { at: minuteOf(began_at) })} ${gap}</p>
<p class="notice">${tell(language, 'restore.held')}</p>
${anchors > 0 && html`<p>${tell(language, 'restore.anchors', { count: anchors })}</p>`}`;
}

/** Everything to compare, each with its screen. */
const COMPARED: readonly (readonly [ConsoleText, Permission | Needed, string, ConsoleText])[] = [
  ['restore.compare_payments', 'books:read', '/settlements', 'settlements.title'],
  ['restore.compare_refunds', 'books:read', '/settlements', 'settlements.title'],
  ['restore.compare_payouts', 'recipients:read', '/payouts?state=approved', 'payouts.title'],
  ['restore.compare_shops', readWith('tokens:manage'), '/merchants', 'nav.merchants'],
  ['restore.compare_people', readWith('users:manage'), '/staff', 'people.nav'],
];

function comparePart(app: App, { language, user }: ConsoleVisit): Html {
  const at = `${publicPath(app)}/console`;
  const items = COMPARED.map(
    ([text, needed, path, name]) =>
      html`<li>${tell(language, text)}${mayAny(user.may, needed) && html` <a href="${at}${path}">${tell(language, name)}</a>`}</li>`,
  );
  return html`<ol>${items}</ol>`;
}

function waitingPart(app: App, visit: ConsoleVisit, found: Unreleased): Html {
  const { language } = visit;
  const { counts, payments, refunds, callbacks, heads } = found;
  const head = tellAll(language, ['column.transaction', 'column.merchant', 'column.amount', 'people.since']);
  const payment = (id: number) => paymentLink(app, visit, id);
  const rowOf = (one: (typeof payments | typeof refunds)[number]) => [
    payment(one.transaction_id),
    html`${one.name}<br><span class="quiet">${methodName(language, { code: one.payment_method })}</span>`,
    formatMoney(one.amount, one.currency),
    timeCell(one.since),
  ];
  const called = callbacks.map((one) => [payment(one.transaction_id), one.name, timeCell(one.created_at)]);
  const ends = heads
    .slice(0, SHOWN)
    .map(({ name, environment, link, hash }) => [
      `${name}, ${tell(language, environment === 'production' ? 'mode.production' : 'mode.development')}`,
      link,
      html`<span class="code">${hash}</span>`,
    ]);
  const linkHead = [tell(language, 'column.merchant'), tell(language, 'restore.link'), 'SHA-256'];
  return html`<p>${tell(language, 'restore.pending')}: ${counts.pending_transactions}</p>
${listPart(visit, 'restore.payments', counts.payments, tableOf(head, payments.map(rowOf), [2]))}
${listPart(visit, 'restore.refunds', counts.refunds, tableOf(head, refunds.map(rowOf), [2]))}
${payoutsPart(app, visit, found)}
${listPart(visit, 'restore.callbacks', counts.callbacks, tableOf(head.toSpliced(2, 1), called))}
${listPart(visit, 'restore.heads', heads.length, tableOf(linkHead, ends, [1]))}`;
}

/** Says which approved payouts wait. Only people who read payouts see the link to them. */
function payoutsPart(app: App, { language, user }: ConsoleVisit, { approved_payouts: approved }: Unreleased): Html {
  const { count, leave } = approved;
  const amount = formatMoney(approved.amount, PAYOUT_CURRENCY);
  const text = html`${tell(language, 'restore.payouts')}: ${count}`;
  if (count === 0) return html`<p>${text}</p>`;
  const isReader = mayAny(user.may, 'recipients:read');
  const at = `${publicPath(app)}/console/payouts?state=approved`;
  return html`<p>${isReader ? html`<a href="${at}">${text}</a>` : text}. ${tell(language, 'restore.payouts_leave', { amount, leave })}</p>`;
}

/** Shows a count, and its rows on request. */
function listPart({ language }: ConsoleVisit, text: ConsoleText, count: number, rows: Html): Html {
  const title = html`${tell(language, text)}: ${count}`;
  if (count === 0) return html`<p>${title}</p>`;
  return html`<details><summary>${title}</summary>
${count > SHOWN && html`<p class="quiet">${tell(language, 'restore.first', { n: SHOWN })}</p>`}${rows}</details>`;
}

function paymentLink(app: App, { user }: ConsoleVisit, id: number): Html {
  return user.may.has('payments:read')
    ? html`<a href="${publicPath(app)}/console/payments/${id}">${id}</a>`
    : html`${id}`;
}

function releaseForm(
  app: App,
  { language }: ConsoleVisit,
  { held }: Unreleased,
  { reason, fault }: { reason?: string; fault: Fault },
): Html {
  return html`<form class="card pad narrow" method="post" action="${publicPath(app)}/console${PATH}">
<input type="hidden" name="epoch" value="${held.epoch}">
${formField(fault, 'compared', (attributes) => html`<label class="inline"><input type="checkbox" name="compared" value="yes" required${attributes}> ${tell(language, 'restore.compared')}</label>`)}
${reasonField(language, fault, { value: reason })}
<p>${tell(language, 'restore.stays')}</p>
<p class="actions"><button class="primary">${tell(language, 'restore.confirm')}</button></p></form>`;
}
