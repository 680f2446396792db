import { type Html, html } from '../http/html.ts';

/** Turns the address of a link into that under which the page is served. */
export type RewriteLink = (address: string) => string;

/**
 * The part of Markdown that our own guides use, as HTML: headings, paragraphs, lists, tables, fenced code; in the text
 * `code`, **bold** and [links](…). Everything else is text. `name` of a fence becomes the `data-language` of the code.
 */
export function renderMarkdown(text: string, rewrite: RewriteLink): Html {
  const lines = text.split('\n');
  const blocks: Html[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = endOfBlock(lines, at);
    const block = lines.slice(at, end);
    if (block[0] !== '') blocks.push(renderBlock(block, rewrite));
    at = end;
  }
  return html`${blocks}`;
}

/** The same for a text of one paragraph. */
export function renderInline(text: string, rewrite: RewriteLink = (address) => address): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^[\]]+\]\([^)\s]+\))/);
  return html`${parts.map((part) => renderPart(part, rewrite))}`;
}

function endOfBlock(lines: readonly string[], start: number): number {
  const first = lines[start] as string;
  if (first.startsWith('```')) return lines.indexOf('```', start + 1) + 1 || lines.length;
  if (first === '' || first.startsWith('#')) return start + 1;
  const kind = kindOf(first);
  let end = start + 1;
  // A paragraph and an item of a list go on until something else begins.
  while (end < lines.length && lines[end] !== '' && ['text', kind].includes(kindOf(lines[end] as string))) end++;
  return end;
}

function kindOf(line: string): string {
  return /^(```|#|\||- |\d+\. )/.exec(line)?.[1]?.replace(/^\d+/, '1') ?? 'text';
}

function renderBlock(block: readonly string[], rewrite: RewriteLink): Html {
  const first = block[0] as string;
  switch (kindOf(first)) {
    case '```':
      return html`<pre><code data-language="${first.slice(3)}">${block.slice(1, -1).join('\n')}</code></pre>`;
    case '#':
      return renderHeading(first, rewrite);
    case '|':
      return renderTable(block, rewrite);
    case '- ':
      return html`<ul>${itemsOf(block, rewrite)}</ul>`;
    case '1. ':
      return html`<ol>${itemsOf(block, rewrite)}</ol>`;
    default:
      return html`<p>${renderInline(block.join(' '), rewrite)}</p>`;
  }
}

function renderHeading(line: string, rewrite: RewriteLink): Html {
  const [marks = '#', ...words] = line.split(' ');
  const text = renderInline(words.join(' '), rewrite);
  const id = idOfHeading(words.join(' '));
  if (marks.length === 1) return html`<h1 id="${id}">${text}</h1>`;
  return marks.length === 2 ? html`<h2 id="${id}">${text}</h2>` : html`<h3 id="${id}">${text}</h3>`;
}

/** As code hosts make it, so that a link to a heading works in the repository too. */
function idOfHeading(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');
}

function renderTable([head = '', , ...rows]: readonly string[], rewrite: RewriteLink): Html {
  const cells = (row: string) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => renderInline(cell.trim().replaceAll('\\|', '|'), rewrite));
  return html`<div class="table"><table>
<thead><tr>${cells(head).map((cell) => html`<th>${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row).map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

function itemsOf(block: readonly string[], rewrite: RewriteLink): Html[] {
  const items = block
    .join('\n')
    .split(/^(?:- |\d+\. )/m)
    .slice(1);
  return items.map((item) => html`<li>${renderInline(item.trim().replaceAll(/\n\s*/g, ' '), rewrite)}</li>`);
}

function renderPart(part: string, rewrite: RewriteLink): Html {
  if (part.startsWith('`') && part.length > 1) return html`<code>${part.slice(1, -1)}</code>`;
  if (part.startsWith('**') && part.length > 4) return html`<strong>${part.slice(2, -2)}</strong>`;
  const link = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(part);
  return link === null
    ? html`${part}`
    : html`<a href="${rewrite(link[2] as string)}">${renderInline(link[1] as string)}</a>`;
}
