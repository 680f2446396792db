import type { Language } from '../checkout/texts.ts';
import { type Html, html } from '../http/html.ts';
import { clockOf } from '../lib/calendar-day.ts';
import { formatMoney } from '../lib/money.ts';
import type { FoundPayment } from '../search/payment-filter.ts';
import { tell, tellKind } from './console-texts.ts';

/** A time on the clocks of Chile, to the minute; the whole of it, with its offset, where one looks for it. */
export function timeCell(utcMs: number | null): Html {
  if (utcMs === null) return html`—`;
  const clock = clockOf(utcMs);
  return html`<time datetime="${new Date(utcMs).toISOString()}" title="${clock}">${clock.slice(0, 16)}</time>`;
}

/** A time on the clocks of Chile in a sentence, with its offset. */
export function minuteOf(utcMs: number): string {
  const clock = clockOf(utcMs);
  return `${clock.slice(0, 16)} ${clock.slice(-6)}`;
}

/** How long ago something was, in minutes, from two hours on in hours, from two days on in days. */
export function ageText(language: Language, ageMs: number): string {
  const minutes = Math.floor(ageMs / 60_000);
  if (minutes < 120) return tell(language, 'age.minutes', { n: minutes });
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? tell(language, 'age.hours', { n: hours })
    : tell(language, 'age.days', { n: Math.floor(hours / 24) });
}

const TONES: Readonly<Record<string, string>> = {
  completed: 'good',
  pending: 'calm',
  failed: 'bad',
  cancelled: 'calm',
  expired: 'calm',
};

/** A word on its colour: the colour never stands alone. */
export function badge(tone: string, text: string): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** For what no money moved for; of production nothing is said. */
export function testBadge(language: Language, environment: string | null): Html | false {
  return environment === 'development' && html` ${badge('calm', tell(language, 'badge.test'))}`;
}

function stateBadge(language: Language, state: string): Html {
  return badge(TONES[state] ?? 'calm', tellKind(language, 'state', state));
}

/** The state of a payment, what of it went back, and whether it is a test. */
export function paymentBadges(language: Language, payment: FoundPayment): Html[] {
  const { state, amount, refunded, currency, environment } = payment;
  const part = tell(language, 'badge.refunded_part', { amount: formatMoney(refunded, currency) });
  return [
    stateBadge(language, state),
    ...(refunded === 0 ? [] : [badge('warn', refunded >= amount ? tell(language, 'badge.refunded') : part)]),
    ...(environment === 'development' ? [badge('calm', tell(language, 'badge.test'))] : []),
  ];
}

/** A table whose first row names its columns; on a phone each cell says its own column. `numbers` are columns set to the right. */
export function tableOf(
  head: readonly string[],
  rows: readonly (readonly (Html | string | number)[])[],
  numbers: readonly number[] = [],
): Html {
  const align = (column: number) => (numbers.includes(column) ? html` class="number"` : html``);
  return html`<div class="card scroll"><table>
<thead><tr>${head.map((name, column) => html`<th scope="col"${align(column)}>${name}</th>`)}</tr></thead>
<tbody>${rows.map(
    (cells) =>
      html`<tr>${cells.map((cell, column) => html`<td data-label="${head[column] ?? ''}"${align(column)}>${cell}</td>`)}</tr>`,
  )}</tbody>
</table></div>`;
}

/** Says what somebody may do now that there is nothing to show: a command, or the way to a screen. */
export function emptyState(text: string, way: string | { path: string; title: string }): Html {
  const shown =
    typeof way === 'string'
      ? way !== '' && html`<pre>${way}</pre>`
      : html`<p><a href="${way.path}">${way.title}</a></p>`;
  return html`<div class="card empty"><p>${text}</p>${shown}</div>`;
}
