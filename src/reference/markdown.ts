import { Marked, type RendererObject, type TokenizerObject } from 'marked';
import { type Html, html, trustedHtml } from '../http/html.ts';

/** Maps a link's target to a URL of this service; null if it is not served, and the link becomes text. */
export type RewriteLink = (address: string) => string | null;

/**
 * Renders a guide as HTML. HTML in it is escaped, pictures are dropped, and links lead only to pages or to `https:`, so
 * a guide cannot do what its page must not. The language of a code fence becomes its `data-language`.
 */
export function renderMarkdown(text: string, rewrite: RewriteLink): Html {
  return trustedHtml(markedFor(rewrite).parse(text, { async: false }));
}

/** Renders one paragraph. `base` is put before the paths in it. */
export function renderInline(text: string, base = ''): Html {
  return trustedHtml(
    markedFor((address) => (address.startsWith('/') ? base + address : address)).parseInline(text, { async: false }),
  );
}

function markedFor(rewrite: RewriteLink): Marked {
  return new Marked({ renderer: rendererFor(rewrite), tokenizer: PLAIN });
}

function rendererFor(rewrite: RewriteLink): RendererObject {
  return {
    heading({ depth, text, tokens }) {
      return `<h${depth} id="${escaped(idOfHeading(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    code: ({ text, lang = '' }) => html`<pre><code data-language="${lang}">${text}</code></pre>`.text,
    codespan: ({ text }) => html`<code>${text}</code>`.text,
    table({ header, rows }) {
      const row = (cells: typeof header, name: string) =>
        `<tr>${cells.map(({ tokens }) => `<${name}>${this.parser.parseInline(tokens)}</${name}>`).join('')}</tr>`;
      const body = rows.map((cells) => row(cells, 'td')).join('');
      return `<div class="table"><table>\n<thead>${row(header, 'th')}</thead>\n<tbody>${body}</tbody>\n</table></div>`;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const address = SAFE_LINK.test(href) ? rewrite(href) : null;
      return address === null ? text : `<a href="${escaped(address)}">${text}</a>`;
    },
    html: ({ text }) => escaped(text),
    image: ({ text }) => escaped(text),
  };
}

/**
 * Treats some texts literally: a URL as an example, `~` for about, `__proto__`. Undefined means text, false means
 * Markdown.
 */
const PLAIN: TokenizerObject = {
  url: () => undefined,
  autolink: () => undefined,
  del: () => undefined,
  emStrong: (source) => (source.startsWith('_') ? undefined : false),
};

/** A web URL, or a path without a scheme. */
const SAFE_LINK = /^(?:https?:|[^:]*$)/;

function escaped(text: string): string {
  return html`${text}`.text;
}

/** Returns the id of a heading as code hosts make it, so that links to headings also work in the repository. */
export function idOfHeading(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');
}
