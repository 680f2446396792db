import type { App } from '../../app.ts';
import { measureUnreached } from '../../attention/attention-kinds.ts';
import { listAttention } from '../../attention/list-attention.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { boundsOfDay, clockOf, dayOf } from '../../lib/calendar-day.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney } from '../../lib/money.ts';
import { countQueued } from '../../outbox/outbox-queries.ts';
import { isTaken } from '../../outbox/retry-schedule.ts';
import { findElsewhere } from '../../payment-services/elsewhere.ts';
import {
  type DeliverySample,
  type PaidHour,
  selectDeliverySample,
  selectMethodOutcomes,
  selectPaidHours,
} from '../../search/today-queries.ts';
import { attentionTable } from '../attention/get-attention.ts';
import { sectionsOf } from '../console-sections.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { failingEndpoints } from './failing-endpoints.ts';
import { methodTable } from './method-table.ts';
import { toApprove } from './to-approve.ts';
import { durationText, hoursChart, percent, quantile } from './today-charts.ts';

const SHOWN = 8;
const HOUR_MS = 3_600_000;

/**
 * Shows the first page: the money of the day, callbacks, and items that need a person. People who may not read payments
 * start at their first section.
 */
export const getConsole = consoleHandler(async (app, visit) => {
  const { language, user, send, goTo } = visit;
  if (!user.may.has('payments:read')) return goTo(sectionsOf(user)[0]?.sections[0]?.path ?? '/account');
  const now = app.now();
  const { from } = boundsOfDay(dayOf(now));
  const paid = await selectPaidHours(app.db, from, user.environmentIds === null ? null : [...user.environmentIds]);
  const title = tell(language, 'today.title', { day: dayOf(now) });
  const seesAll = user.environmentIds === null;
  const main = html`<h1>${title}</h1>
<p class="quiet">${tell(language, 'today.until', { time: clockOf(now).slice(11, 16) })}</p>
${await toApprove(app, visit)}
${await failingEndpoints(app, visit)}
<div class="figures" data-live>${moneyFigures(app, language, paid)}${seesAll && (await figuresOfAll(app, language))}</div>
<h2>${tell(language, 'today.hours')}</h2>
${hoursChart(
  language,
  countsOf(
    from,
    paid.filter(({ environment }) => environment === app.config.mode),
  ),
)}
${seesAll && methodTable(language, await selectMethodOutcomes(app.db, NEWEST))}
${seesAll && (await attention(app, visit))}`;
  return send(200, { title, main });
});

/** Sums the money of the environment in which the program runs. Money of the other environment is shown separately. */
function moneyFigures(app: App, language: Language, paid: readonly PaidHour[]): Html[] {
  const name = tell(language, 'today.paid');
  const own = paid.filter(({ environment }) => environment === app.config.mode);
  const others = [...Map.groupBy(paid, ({ environment }) => environment)].filter(([one]) => one !== app.config.mode);
  return [
    ...sumsOf(language, name, own.length === 0 ? new Map([['CLP', []]]) : byCurrency(own)),
    ...others.flatMap(([one, of]) =>
      sumsOf(language, `${name} · ${tell(language, `merchant.${one}`).toLowerCase()}`, byCurrency(of)),
    ),
  ];
}

function byCurrency(paid: readonly PaidHour[]): Map<string, PaidHour[]> {
  return Map.groupBy(paid, ({ currency }) => currency);
}

function sumsOf(language: Language, name: string, currencies: ReadonlyMap<string, readonly PaidHour[]>): Html[] {
  return [...currencies].map(([currency, hours]) => {
    const amount = hours.reduce((sum, hour) => sum + hour.amount, 0);
    const count = hours.reduce((sum, hour) => sum + hour.payments, 0);
    return figure(name, formatMoney(amount, currency), tell(language, 'today.count', { count }));
  });
}

/** The number of newest orders and delivery attempts that the rates are computed from. */
const NEWEST = 1000;

/** Shows how shops respond, across all payment services. */
async function figuresOfAll(app: App, language: Language): Promise<Html[]> {
  const sample = await selectDeliverySample(app.db, NEWEST);
  return [...deliveryFigures(language, sample), await callbackFigure(app, language)];
}

function deliveryFigures(language: Language, sample: readonly DeliverySample[]): Html[] {
  if (sample.length === 0) return [];
  const taken = sample.filter(
    ({ url, status, location }) => status !== null && isTaken(url, { status, location }),
  ).length;
  const times = sample.map(({ duration_ms }) => duration_ms);
  const at = (share: number) => durationText(language, quantile(times, share) ?? 0);
  return [
    figure(
      tell(language, 'today.taken'),
      percent(language, taken / sample.length),
      tell(language, 'today.taken_of', { count: sample.length, median: at(0.5), slow: at(0.95) }),
    ),
  ];
}

async function callbackFigure(app: App, language: Language): Promise<Html> {
  const { environments } = await findElsewhere(app);
  const [waiting, failing] = await Promise.all([
    countQueued(app.db, environments),
    measureUnreached(app, environments),
  ]);
  const note =
    failing.count === 0 ? tell(language, 'today.all_well') : tell(language, 'today.failing', { count: failing.count });
  return figure(tell(language, 'today.waiting'), String(waiting), note);
}

function figure(name: string, value: string, note: string): Html {
  return html`<div class="card pad"><p>${name}</p><strong>${value}</strong><p>${note}</p></div>`;
}

/**
 * Counts the payments of each hour of the Chilean clock, in all currencies. A day on which the clocks are set forward
 * begins at 01:00; one on which they are set back has 23:00 twice.
 */
function countsOf(from: number, paid: readonly PaidHour[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { hour, payments } of paid) {
    const onClock = Number(clockOf(from + hour * HOUR_MS).slice(11, 13));
    counts.set(onClock, (counts.get(onClock) ?? 0) + payments);
  }
  return counts;
}

/** Shows the items that wait, for people who see all payment services: the items cover all. */
async function attention(app: App, visit: ConsoleVisit): Promise<Html | false> {
  const { language, user } = visit;
  if (!user.may.has('books:read')) return false;
  const rows = await listAttention(app, null, SHOWN, language);
  return html`<h2><a href="${publicPath(app)}/console/attention">${tell(language, 'today.attention')}</a></h2>
${rows.length === 0 ? html`<div class="card pad">${tell(language, 'today.attention_none')}</div>` : attentionTable(visit, rows)}`;
}
