import { methodName } from '../../checkout/texts.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import type { MethodOutcome } from '../../search/today-queries.ts';
import { tableOf } from '../console-format.ts';
import { tell, tellAll } from '../console-texts.ts';
import { durationText, percent, quantile, shareBar } from './today-charts.ts';

/** Shows each payment method with its approval rate and its response time, the most used first. */
export function methodTable(language: Language, outcomes: readonly MethodOutcome[]): Html | false {
  if (outcomes.length === 0) return false;
  const methods = [...Map.groupBy(outcomes, (outcome) => outcome.payment_method)]
    .map(([code, of]) => {
      const times = of.flatMap(({ took_ms }) => took_ms ?? []);
      const approved = of.filter(({ state }) => state === 'approved').length;
      return {
        code,
        count: of.length,
        share: approved / of.length,
        half: quantile(times, 0.5),
        slow: quantile(times, 0.95),
      };
    })
    .toSorted((one, other) => other.count - one.count);
  const slowest = Math.max(1, ...methods.map(({ slow }) => slow ?? 0));
  const time = (ms: number | null) => (ms === null ? '—' : durationText(language, ms));
  const rows = methods.map(({ code, count, share, half, slow }) => [
    methodName(language, { code }),
    count,
    html`<span>${percent(language, share)}${shareBar(share, 'good')}</span>`,
    time(half),
    html`<span>${time(slow)}${slow !== null && shareBar(slow / slowest, 'calm')}</span>`,
  ]);
  const head = tellAll(language, ['column.method', 'today.attempts', 'today.approved', 'today.median', 'today.p95']);
  return html`<h2>${tell(language, 'today.methods')}</h2>
<p class="quiet">${tell(language, 'today.methods_of', { count: outcomes.length })}</p>
${tableOf(head, rows, [1])}`;
}
