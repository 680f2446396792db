import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { publicPath } from '../http/assets.ts';
import { type Html, html } from '../http/html.ts';
import { makeDocument, sendDocument } from '../http/page.ts';
import { type AnswerLanguage, answerLanguage } from '../http/problem-words.ts';

export type DocsPage = {
  path: string;
  language: AnswerLanguage;
  title: string;
  main: Html;
  /** The same page in the other language, where that is another path: a guide. Null: it has none. */
  other?: string | null;
  /** Loads the script of the pages that sign and copy. */
  script?: boolean;
};

/** Chooses the language of a page that has both: what the address says, or the browser. */
export function pageLanguage(request: FastifyRequest): AnswerLanguage {
  const { lang } = request.query as { lang?: unknown };
  return lang === 'es' || lang === 'en' ? lang : answerLanguage(request.headers['accept-language']);
}

/** The words of a search as they were typed; longer ones are cut. */
export function readSearch(request: FastifyRequest): string {
  const { q } = request.query as { q?: unknown };
  return typeof q === 'string' ? q.slice(0, 100) : '';
}

type Place = { path: string; name: Record<AnswerLanguage, string> };

const PLACES: readonly Place[] = [
  { path: '/docs', name: { en: 'Start', es: 'Inicio' } },
  { path: '/docs/reference', name: { en: 'API reference', es: 'Referencia' } },
  { path: '/docs/sign', name: { en: 'Sign and explain', es: 'Firmar y explicar' } },
  { path: '/errors', name: { en: 'Errors', es: 'Errores' } },
];

const NAV_NAMES = { en: 'Documentation', es: 'Documentación' };
const OTHER_NAMES = { en: 'Español', es: 'English' };

/** Answers with a page of the documentation: wider than the others, with the way to its neighbours and its other language. */
export function sendDocsPage(app: App, reply: FastifyReply, page: DocsPage): FastifyReply {
  return sendDocument(app, reply, { status: 200, language: page.language }, makeDocsPage(app, reply.request, page));
}

/** The same as markup, for a page that is kept. It depends on the languages of the page and of the request alone. */
export function makeDocsPage(app: App, request: FastifyRequest, page: DocsPage): Html {
  const { path, language, title, main, script = true } = page;
  const base = publicPath(app);
  const link = (place: string, name: string, rest: Html | false = false) =>
    html`<a href="${base}${place}"${rest}>${name}</a>`;
  const other = language === 'es' ? 'en' : 'es';
  // A guide in one language alone leads to the start of the other.
  const otherPath = page.other === undefined ? `${path}?lang=${other}` : (page.other ?? `/docs?lang=${other}`);
  const nav = html`<nav class="places" lang="${language}" aria-label="${NAV_NAMES[language]}">${PLACES.map((place) =>
    link(withLanguage(place.path, language), place.name[language], place.path === path && html` aria-current="page"`),
  )}${link(otherPath, OTHER_NAMES[language], html` lang="${other}" hreflang="${other}"`)}</nav>`;
  return makeDocument(app, {
    status: 200,
    language,
    title: `${title} · Rúbrica`,
    main,
    ...(script && { script: 'docs.js' }),
    style: 'docs.css',
    nav,
  });

  function withLanguage(place: string, said: AnswerLanguage): string {
    // A reader who changed the language of a page stays in it, whatever the browser asks for.
    return said === answerLanguage(request.headers['accept-language']) ? place : `${place}?lang=${said}`;
  }
}
