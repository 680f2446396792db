import { type Html, html } from '../http/html.ts';
import type { Language } from '../lib/language.ts';
import { type GuideGroup, guidePath } from './guides.ts';
import { renderInline } from './markdown.ts';
import type { FoundDocs } from './search-docs.ts';

/** `guides` are in the language of the page; `english` are the guides that exist only in English. */
export type StartPage = {
  language: Language;
  base: string;
  /** From `keptLanguage`. */
  kept: string;
  search: string;
  /** Null: no search was made. */
  found: FoundDocs | null;
  guides: readonly GuideGroup[];
  english: readonly GuideGroup[];
  /** The endpoints by tag. */
  endpoints: readonly { tag: string; operations: readonly { id: string; method: string; path: string }[] }[];
};

/** Renders the start page: a search without a script, the first steps, all guides, all endpoints. */
export function startPage(page: StartPage): Html {
  const { language, base, kept, search, found, guides, english, endpoints } = page;
  const words = WORDS[language];
  return html`<article class="guide start">
<h1>${words.title}</h1>
<form class="search" role="search" action="${base}/docs" method="get">
<label for="q">${words.search}</label>
<div><input id="q" name="q" type="search" maxlength="100" value="${search}" placeholder="x_url_callback, RUT, 409"><input type="hidden" name="lang" value="${language}"><button class="primary">${words.find}</button></div>
</form>
${found !== null && results(found, page)}
${
  found === null &&
  html`<ul class="cards">${words.first.map(
    ([path, title, text]) => html`<li><a href="${base}${path}">${title}</a><p>${text}</p></li>`,
  )}</ul>`
}
${guides.map((group) => groupOf(group, language, language, base))}
${english.map((group) => groupOf({ ...group, title: `${group.title} ${words.inEnglish}` }, 'en', language, base))}
<h2 id="endpoints">${words.endpoints}</h2>
${endpoints.map(
  ({ tag, operations }) => html`<h3>${tag}</h3>
<ul class="rows">${operations.map(
    ({ id, method, path }) =>
      html`<li><a href="${base}/docs/reference${kept}#${id}"><span class="verb ${method}">${method}</span> <code>${path}</code></a></li>`,
  )}</ul>`,
)}
<p>${words.programs} <a href="${base}/openapi.json">openapi.json</a>, <a href="${base}/openapi/transfers.json">openapi/transfers.json</a>.</p>
</article>`;
}

function results({ first, count }: FoundDocs, { search, language, base, kept }: StartPage): Html {
  const words = WORDS[language];
  return html`<h2>${words.found(count, search)}</h2>
${count === 0 && html`<p>${words.nothing}</p>`}
${count > first.length && html`<p>${words.cut(first.length)}</p>`}
<ol class="found">${first.map(
    ({ path, title, excerpt }) =>
      html`<li><a href="${base}${inLanguage(path, kept)}">${title}</a><p>${excerpt}</p></li>`,
  )}</ol>`;
}

/** Adds the kept language to the path of a bilingual page. The path of a guide has its language. */
function inLanguage(path: string, kept: string): string {
  return path.replace(/^\/(?:errors\/\w+|docs\/reference)/, (page) => page + kept);
}

function groupOf({ title, guides }: GuideGroup, guideLanguage: Language, language: Language, base: string): Html {
  return html`<h2>${title}</h2>
<ul class="guides"${guideLanguage !== language && html` lang="${guideLanguage}"`}>${guides.map(
    (guide) =>
      html`<li><a href="${base}${guidePath(guideLanguage, guide.name)}">${guide.title}</a><p>${renderInline(shortened(guide.opening))}</p></li>`,
  )}</ul>`;
}

/** Returns the first sentence with links as plain text, because relative links would lead elsewhere from here. */
function shortened(opening: string): string {
  const text = opening.replaceAll(/\]\([^)]*\)|\[/g, '');
  const end = text.search(/[.:](?= |$)/);
  return end === -1 ? text.slice(0, 200) : text.slice(0, end + 1).replace(/:$/, '.');
}

const WORDS = {
  en: {
    title: 'Documentation',
    search: 'Search guides, endpoints and errors',
    find: 'Search',
    nothing: 'No page has all of these words. Try fewer words, or one from an error message.',
    found: (count: number, search: string) => `${count === 1 ? '1 place' : `${count} places`} for “${search}”`,
    cut: (most: number) => `These are the first ${most}. More words find fewer places.`,
    inEnglish: '',
    endpoints: 'Endpoints',
    programs: 'For programs:',
    first: [
      ['/docs/quickstart-create', 'Take a payment', 'Sign a request, send it, lead the payer to the pay page.'],
      ['/docs/quickstart-callbacks', 'Receive callbacks', 'Receive the result of a payment, and verify it.'],
      ['/docs/sign', 'A refused signature', 'Paste the body and read its errors.'],
      ['/docs/bank-account-validation', 'Validate a bank account', 'Check an account before money is sent there.'],
    ],
  },
  es: {
    title: 'Documentación',
    search: 'Busca en guías, endpoints y errores',
    find: 'Buscar',
    nothing: 'Ninguna página tiene todas esas palabras. Prueba con menos, o con una del mensaje de error.',
    found: (count: number, search: string) => `${count === 1 ? '1 resultado' : `${count} resultados`} para «${search}»`,
    cut: (most: number) => `Estos son los primeros ${most}. Con más palabras hay menos resultados.`,
    inEnglish: '(en inglés)',
    endpoints: 'Endpoints',
    programs: 'Para programas:',
    first: [
      [
        '/docs/es/quickstart-create',
        'Cobrar un pago',
        'Firma una solicitud, envíala y lleva a quien paga a la página de pago.',
      ],
      [
        '/docs/es/quickstart-callbacks',
        'Recibir callbacks',
        'Entérate de cómo terminó un pago y verifica que sea verdad.',
      ],
      ['/docs/sign?lang=es', 'Una firma rechazada', 'Pega el cuerpo y lee sus errores.'],
      [
        '/docs/es/bank-account-validation',
        'Validar una cuenta bancaria',
        'Revisa una cuenta antes de enviarle dinero.',
      ],
    ],
  },
} as const;
