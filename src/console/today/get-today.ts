import type { App } from '../../app.ts';
import { listAttention } from '../../attention/list-attention.ts';
import { type Language, methodName } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import type { Screen } from '../../http/endpoint.ts';
import { type Html, html } from '../../http/html.ts';
import { LANGUAGE_TAGS } from '../../http/page.ts';
import { boundsOfDay, clockOf, dayOf } from '../../lib/calendar-day.ts';
import { formatMoney } from '../../lib/money.ts';
import { measureFailing } from '../../outbox/failing-endpoint-queries.ts';
import { countQueued } from '../../outbox/outbox-queries.ts';
import {
  type DeliverySample,
  type PaidHour,
  selectDeliverySample,
  selectMethodOutcomes,
  selectPaidHours,
} from '../../search/today-queries.ts';
import { attentionTable } from '../attention/get-attention.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';

const SHOWN = 8;

/** The first page: the money of the day, callbacks, and what needs a person. */
export const getConsole: Screen = {
  handle: consoleHandler(async (app, visit) => {
    const { language, user, send } = visit;
    const now = app.now();
    const { from } = boundsOfDay(dayOf(now));
    const paid = await selectPaidHours(app.db, from, user.environmentIds === null ? null : [...user.environmentIds]);
    const title = tell(language, 'today.title', { day: dayOf(now) });
    const main = html`<h1>${title}</h1>
<p class="quiet">${tell(language, 'today.until', { time: clockOf(now).slice(11, 16) })}</p>
<div class="figures" data-live>${moneyFigures(language, paid)}${user.environmentIds === null && (await figuresOfAll(app, language))}</div>
<h2>${tell(language, 'today.hours')}</h2>
${chart(language, paid)}
${user.environmentIds === null && (await attention(app, visit))}`;
    return send(200, { title, main });
  }),
};

function moneyFigures(language: Language, paid: readonly PaidHour[]): Html[] {
  const currencies = Map.groupBy(paid, ({ currency }) => currency);
  const shown = currencies.size === 0 ? [['CLP', [] as PaidHour[]] as const] : [...currencies];
  return shown.map(([currency, hours]) => {
    const amount = hours.reduce((sum, hour) => sum + hour.amount, 0);
    const count = hours.reduce((sum, hour) => sum + hour.payments, 0);
    return figure(
      tell(language, 'today.paid'),
      formatMoney(amount, currency),
      tell(language, 'today.count', { count }),
    );
  });
}

/** So many of the newest orders, and attempts to deliver, make the rates. */
const NEWEST = 1000;

/** Of all payment services: how methods and shops answer. */
async function figuresOfAll(app: App, language: Language): Promise<Html[]> {
  const [methods, sample] = [await selectMethodOutcomes(app.db, NEWEST), await selectDeliverySample(app.db, NEWEST)];
  const rates = methods.map(({ payment_method: code, attempts, approved }) =>
    figure(
      tell(language, 'today.approved', { method: methodName(language, { code, name: code }) }),
      percent(language, approved / attempts),
      tell(language, 'today.approved_of', { count: attempts }),
    ),
  );
  return [...rates, ...deliveryFigures(language, sample), await callbackFigure(app, language)];
}

function deliveryFigures(language: Language, sample: readonly DeliverySample[]): Html[] {
  if (sample.length === 0) return [];
  const taken = sample.filter(({ status }) => status !== null && status < 400).length;
  const times = sample.map(({ duration_ms }) => duration_ms).toSorted((one, other) => one - other);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return [
    figure(
      tell(language, 'today.taken'),
      percent(language, taken / sample.length),
      tell(language, 'today.taken_of', { count: sample.length, median: at(0.5), slow: at(0.95) }),
    ),
  ];
}

function percent(language: Language, share: number): string {
  return share.toLocaleString(LANGUAGE_TAGS[language], { style: 'percent', maximumFractionDigits: 1 });
}

async function callbackFigure(app: App, language: Language): Promise<Html> {
  const [waiting, failing] = await Promise.all([countQueued(app.db), measureFailing(app.db)]);
  const note =
    failing.count === 0 ? tell(language, 'today.all_well') : tell(language, 'today.failing', { count: failing.count });
  return figure(tell(language, 'today.waiting'), String(waiting), note);
}

function figure(name: string, value: string, note: string): Html {
  return html`<div class="card pad"><p>${name}</p><strong>${value}</strong><p>${note}</p></div>`;
}

/** The payments of each hour as a line, and its finding in words, so that nobody needs to see it. */
function chart(language: Language, paid: readonly PaidHour[]): Html {
  const counts = new Map<number, number>();
  for (const { hour, payments } of paid) counts.set(hour, (counts.get(hour) ?? 0) + payments);
  const most = Math.max(0, ...counts.values());
  if (most === 0) return html`<div class="card pad">${tell(language, 'today.hours_none')}</div>`;
  const [busiest] = [...counts].find(([, count]) => count === most) ?? [0];
  const last = Math.max(...counts.keys(), 1);
  const points = Array.from({ length: last + 1 }, (_, hour) => {
    const height = 38 - ((counts.get(hour) ?? 0) / most) * 36;
    return `${((hour / last) * 100).toFixed(1)},${height.toFixed(1)}`;
  }).join(' ');
  const count = [...counts.values()].reduce((sum, each) => sum + each, 0);
  const text = tell(language, 'today.hours_text', { count, hour: busiest, most });
  return html`<div class="card pad"><svg class="chart" viewBox="0 0 100 40" preserveAspectRatio="none" aria-hidden="true"><polyline points="${points}"/></svg>
<p class="quiet">${text}</p></div>`;
}

/** Shows what waits. It is of all payment services, so it is for those who see all of them. */
async function attention(app: App, { language, user }: ConsoleVisit): Promise<Html | false> {
  if (!user.may.has('books:read')) return false;
  const rows = await listAttention(app, null, SHOWN, language);
  return html`<h2><a href="${publicPath(app)}/console/attention">${tell(language, 'today.attention')}</a></h2>
${rows.length === 0 ? html`<div class="card pad">${tell(language, 'today.attention_none')}</div>` : attentionTable(app, language, rows)}`;
}
