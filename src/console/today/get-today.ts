import type { App } from '../../app.ts';
import { listAttention } from '../../attention/list-attention.ts';
import type { Language } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import type { Operation } from '../../http/endpoint.ts';
import { type Html, html } from '../../http/html.ts';
import { boundsOfDay, clockOf, dayOf } from '../../lib/calendar-day.ts';
import { formatMoney } from '../../lib/money.ts';
import { measureFailing } from '../../outbox/failing-endpoint-queries.ts';
import { countQueued } from '../../outbox/outbox-queries.ts';
import { type PaidHour, selectPaidHours } from '../../search/today-queries.ts';
import { attentionTable } from '../attention/get-attention.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';

const SHOWN = 8;

/** What somebody looks at first: the money of the day, callbacks, and what needs a person. */
export const getConsole: Operation = {
  handle: consoleHandler(async (app, visit) => {
    const { language, user, send } = visit;
    const now = app.now();
    const { from } = boundsOfDay(dayOf(now));
    const paid = await selectPaidHours(app.db, from, user.environmentIds === null ? null : [...user.environmentIds]);
    const title = tell(language, 'today.title', { day: dayOf(now) });
    const main = html`<h1>${title}</h1>
<p class="quiet">${tell(language, 'today.until', { time: clockOf(now).slice(11, 16) })}</p>
<div class="figures">${moneyFigures(language, paid)}${user.environmentIds === null && (await callbackFigure(app, language))}</div>
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

/** What waits is of all payment services, so it is for those who see all of them. */
async function attention(app: App, { language, user }: ConsoleVisit): Promise<Html | false> {
  if (!user.may.has('books:read')) return false;
  const rows = await listAttention(app, null, SHOWN);
  return html`<h2><a href="${publicPath(app)}/console/attention">${tell(language, 'today.attention')}</a></h2>
${rows.length === 0 ? html`<div class="card pad">${tell(language, 'today.attention_none')}</div>` : attentionTable(app, language, rows)}`;
}
