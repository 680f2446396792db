import { type Html, html } from '../http/html.ts';
import { clockOf, isTime } from '../lib/calendar-day.ts';
import type { Language } from '../lib/language.ts';
import { formatMoney } from '../lib/money.ts';
import type { NextAttempt } from '../lib/next-attempt.ts';
import { formatAge } from '../lib/time-text.ts';
import type { FoundPayment } from '../search/payment-filter.ts';
import { tell, tellKind } from './console-texts.ts';
import type { ConsoleVisit } from './console-visit.ts';

/** Shows a time in Chile to the minute; the tooltip has the whole time with its offset. */
export function timeCell(utcMs: number | null): Html {
  if (utcMs === null) return html`—`;
  const clock = clockOf(utcMs);
  if (!isTime(utcMs)) return html`${clock}`;
  return html`<time datetime="${new Date(utcMs).toISOString()}" title="${clock}">${clock.slice(0, 16)}</time>`;
}

/** Returns a time in Chile with its seconds. A number that is no time, which somebody wrote into the store, stays. */
export function clockTag(utcMs: number): Html {
  const clock = clockOf(utcMs);
  return isTime(utcMs) ? html`<time datetime="${new Date(utcMs).toISOString()}">${clock}</time>` : html`${clock}`;
}

/** Shows when something waiting is attempted next, or since when an attempt is under way. */
export function nextCell(language: Language, { next_attempt_at, under_way_since }: NextAttempt): Html {
  if (under_way_since === null) return timeCell(next_attempt_at);
  return html`${tell(language, 'line.under_way')} ${timeCell(under_way_since)}`;
}

/** Returns a time in Chile with its offset, for a sentence. */
export function minuteOf(utcMs: number): string {
  const clock = clockOf(utcMs);
  return `${clock.slice(0, 16)} ${clock.slice(-6)}`;
}

/** Returns how long ago something was: `hace 45 min`. */
export function ageText(language: Language, ageMs: number): string {
  return tell(language, 'age.ago', { age: formatAge(ageMs, language) });
}

/** Returns the name of a person or a program that acted, in the language of the screen; — for nobody. */
export function actorText(language: Language, name: string | null): string {
  if (name === null) return '—';
  const [stored] = /^(?:command line(?=: |$)|unknown account(?= |$))/.exec(name) ?? [''];
  return stored === '' ? name : tell(language, NAMELESS[stored as keyof typeof NAMELESS]) + name.slice(stored.length);
}

/** Returns the name that the audit log has for what a person typed. */
export function typedActor(language: Language, typed: string): string {
  for (const [stored, text] of Object.entries(NAMELESS)) {
    const shown = tell(language, text);
    if (typed.startsWith(shown)) return stored + typed.slice(shown.length);
  }
  return typed;
}

/** The words with which the audit log begins the name of somebody who has none. */
const NAMELESS = { 'command line': 'actor.command_line', 'unknown account': 'actor.unknown_account' } as const;

/** Shows that age in a cell, on one line. */
export function ageCell(language: Language, ageMs: number): Html {
  return html`<span class="whole">${ageText(language, ageMs)}</span>`;
}

const TONES: Readonly<Record<string, string>> = {
  completed: 'good',
  pending: 'calm',
  failed: 'bad',
  cancelled: 'calm',
  expired: 'calm',
};

/** Shows a word on a coloured background. The colour never carries the meaning alone. */
export function badge(tone: string, text: string): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** Marks everything that moved no real money; shows nothing for production. */
export function testBadge(language: Language, environment: string | null): Html | false {
  return environment === 'development' && html` ${badge('calm', tell(language, 'badge.test'))}`;
}

function stateBadge(language: Language, state: string): Html {
  return badge(TONES[state] ?? 'calm', tellKind(language, 'state', state));
}

/** Shows the state of a payment, the refunded part, and whether it is a test. */
export function paymentBadges(language: Language, payment: FoundPayment): Html[] {
  const { state, amount, refunded, currency, environment } = payment;
  const part = tell(language, 'badge.refunded_part', { amount: formatMoney(refunded, currency) });
  return [
    stateBadge(language, state),
    ...(refunded === 0 ? [] : [badge('warn', refunded >= amount ? tell(language, 'badge.refunded') : part)]),
    ...(environment === 'development' ? [badge('calm', tell(language, 'badge.test'))] : []),
  ];
}

/**
 * Shows a table whose first row names the columns; on a phone each cell names its column. `numbers`: the columns
 * aligned right.
 */
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

/**
 * Shows an empty list: the text, and the next step as a command or a link to a screen. A person who does not run the
 * service reads who types the command.
 */
export function emptyState(
  { language, user }: Pick<ConsoleVisit, 'language' | 'user'>,
  text: string,
  way: string | { path: string; title: string },
): Html {
  if (way === '') return html`<div class="card empty"><p>${text}</p></div>`;
  const typesCommands = user.may.has('payment-services:manage');
  const shown =
    typeof way === 'string'
      ? html`<pre>${way}</pre>${!typesCommands && html`<p class="quiet">${tell(language, 'list.who_types')}</p>`}`
      : html`<p><a href="${way.path}">${way.title}</a></p>`;
  return html`<div class="card empty"><p>${text}</p>${shown}</div>`;
}
