import { type Html, html } from '../../http/html.ts';
import { LANGUAGE_TAGS } from '../../http/page.ts';
import type { Language } from '../../lib/language.ts';
import { tell } from '../console-texts.ts';

const DAY_HOURS = 24;
const HEIGHT = 40;

/** Draws bars for each hour of the day, with a summary in words for people who cannot see them. */
export function hoursChart(language: Language, counts: ReadonlyMap<number, number>): Html {
  const most = Math.max(0, ...counts.values());
  if (most === 0) return html`<div class="card pad">${tell(language, 'today.hours_none')}</div>`;
  const [busiest] = [...counts].find(([, count]) => count === most) ?? [0];
  const bars = [...counts].map(([hour, count]) => {
    const height = Math.max(1, (count / most) * (HEIGHT - 1));
    return html`<rect x="${hour * 10 + 1}" y="${(HEIGHT - height).toFixed(1)}" width="8" height="${height.toFixed(1)}"><title>${hour}:00 · ${count}</title></rect>`;
  });
  const total = [...counts.values()].reduce((sum, each) => sum + each, 0);
  const marks = [0, 6, 12, 18, DAY_HOURS].map((hour) => html`<span>${hour}:00</span>`);
  return html`<div class="card pad"><svg class="chart" viewBox="0 0 ${DAY_HOURS * 10} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><line x1="0" x2="${DAY_HOURS * 10}" y1="${HEIGHT}" y2="${HEIGHT}"/>${bars}</svg>
<p class="axis" aria-hidden="true">${marks}</p>
<p class="quiet">${tell(language, 'today.hours_text', { count: total, hour: busiest, most })}</p></div>`;
}

/** Draws a share as a bar, next to its number. */
export function shareBar(share: number, tone: 'good' | 'calm'): Html {
  const width = (Math.min(1, Math.max(0, share)) * 100).toFixed(1);
  return html`<svg class="share ${tone}" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="6"/><rect width="${width}" height="6"/></svg>`;
}

/** Formats a share in the language. */
export function percent(language: Language, share: number): string {
  return share.toLocaleString(LANGUAGE_TAGS[language], { style: 'percent', maximumFractionDigits: 1 });
}

/** Formats milliseconds; from ten seconds on, in seconds. */
export function durationText(language: Language, ms: number): string {
  if (ms < 10_000) return `${ms.toLocaleString(LANGUAGE_TAGS[language])} ms`;
  return `${Math.round(ms / 1000).toLocaleString(LANGUAGE_TAGS[language])} s`;
}

/** Returns the value below which that share of the values lies; null without values. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}
