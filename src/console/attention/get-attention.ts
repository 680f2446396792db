import type { App } from '../../app.ts';
import type { AttentionRow } from '../../attention/attention.ts';
import { listAttention } from '../../attention/list-attention.ts';
import type { Language } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import type { Operation } from '../../http/endpoint.ts';
import { type Html, html } from '../../http/html.ts';
import { formatMoney } from '../../lib/money.ts';
import { ageText, badge, emptyState, tableOf } from '../console-format.ts';
import { tell, tellKind } from '../console-texts.ts';
import { consoleHandler } from '../console-visit.ts';

const SHOWN = 200;

/** Everything that waits for a person, with its age and the command that ends it. */
export const getConsoleAttention: Operation = {
  handle: consoleHandler(async (app, { language, send }) => {
    const rows = await listAttention(app, null, SHOWN);
    const title = tell(language, 'attention.title');
    const main = html`<h1>${title}</h1>
${
  rows.length === 0
    ? emptyState(tell(language, 'attention.none'), 'bin/rubrica attention list')
    : attentionTable(app, language, rows)
}`;
    return send(200, { title, main });
  }),
};

/** The list, the oldest first. */
export function attentionTable(app: App, language: Language, rows: readonly AttentionRow[]): Html {
  const head = [
    tell(language, 'column.kind'),
    tell(language, 'column.merchant'),
    tell(language, 'column.amount'),
    tell(language, 'column.why'),
    tell(language, 'column.since'),
    tell(language, 'column.command'),
  ];
  const cells = rows.map((row) => [
    html`${badge(row.kind === 'payment' || row.kind === 'suspense' ? 'bad' : 'warn', tellKind(language, 'attention', row.kind))}
${row.transaction !== null && html`<br><a href="${publicPath(app)}/console/payments/${row.transaction}">${row.transaction}</a>`}`,
    row.name,
    row.amount === null || row.currency === null ? '—' : formatMoney(row.amount, row.currency),
    row.reason,
    ageText(language, row.age),
    html`<code>${row.command}</code>`,
  ]);
  return tableOf(head, cells, [2]);
}
