import { Marked, type RendererObject, type TokenizerObject } from 'marked';
import { type Html, html, trustedHtml } from '../http/html.ts';

/** Turns the address of a link into one of the page; null where nothing is served, and the link is text. */
export type RewriteLink = (address: string) => string | null;

/**
 * One of our own guides as HTML. HTML in it is text, pictures are not shown, and a link leads to a page or to `https:`: the text of
 * a guide can do nothing that its page must not. The language of a fence becomes the `data-language` of the code.
 */
export function renderMarkdown(text: string, rewrite: RewriteLink): Html {
  return trustedHtml(markedFor(rewrite).parse(text, { async: false }));
}

/** The same for a text of one paragraph. `base` stands before the paths in it. */
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
 * Texts that our pages mean as they stand: an address that is an example, `~` for about, `__proto__`. Undefined is text, false
 * is Markdown.
 */
const PLAIN: TokenizerObject = {
  url: () => undefined,
  autolink: () => undefined,
  del: () => undefined,
  emStrong: (source) => (source.startsWith('_') ? undefined : false),
};

/** An address on the web, or one without a scheme. */
const SAFE_LINK = /^(?:https?:|[^:]*$)/;

function escaped(text: string): string {
  return html`${text}`.text;
}

/** As code hosts make it, so that a link to a heading works in the repository too. */
export function idOfHeading(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');
}
