/** Text that is already HTML. Only `html` and `trustedHtml` create it, so nothing else reaches a page unescaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | false | readonly Part[];

/**
 * A template tag that escapes values for text and for quoted attributes. `Html` is inserted as it is, lists are joined,
 * null and false are left out.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  let text = strings[0] as string;
  for (const [at, part] of parts.entries()) text += textOf(part) + (strings[at + 1] as string);
  return new Html(text);
}

/** Marks this program's own markup from a file, such as a drawing, as HTML. Never use it for input. */
export function trustedHtml(text: string): Html {
  return new Html(text);
}

function textOf(part: Part): string {
  if (part === null || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(textOf).join('');
  return String(part).replace(/[&<>"']/g, (character) => ESCAPES[character] as string);
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
