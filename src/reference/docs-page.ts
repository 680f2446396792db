import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { publicPath } from '../http/assets.ts';
import { type Html, html } from '../http/html.ts';
import { makeDocument, sendDocument } from '../http/page.ts';
import { answerLanguage } from '../http/problem-words.ts';
import type { Language } from '../lib/language.ts';

export type DocsPage = {
  path: string;
  language: Language;
  title: string;
  main: Html;
  /** The path of the page in the other language, if it has a separate path: a guide. Null: there is no translation. */
  other?: string | null;
  /** Whether to load the script for signing and copying; default: true. */
  script?: boolean;
};

/** Chooses the language of a bilingual page: by the URL, else by the browser. */
export function pageLanguage(request: FastifyRequest): Language {
  const { lang } = request.query as { lang?: unknown };
  return lang === 'es' || lang === 'en' ? lang : answerLanguage(request.headers['accept-language']);
}

/**
 * Returns the query of links that stay in the language of a bilingual page: empty if the browser asks for it anyway.
 */
export function keptLanguage(request: FastifyRequest, language: Language): string {
  return language === answerLanguage(request.headers['accept-language']) ? '' : `?lang=${language}`;
}

/** Returns the words of a search as typed, cut at the longest length. */
export function readSearch(request: FastifyRequest): string {
  const { q } = request.query as { q?: unknown };
  return typeof q === 'string' ? q.slice(0, 100) : '';
}

type Place = { path: string; name: Record<Language, string> };

const PLACES: readonly Place[] = [
  { path: '/docs', name: { en: 'Start', es: 'Inicio' } },
  { path: '/docs/reference', name: { en: 'API reference', es: 'Referencia' } },
  { path: '/docs/sign', name: { en: 'Sign and explain', es: 'Firmar y explicar' } },
  { path: '/errors', name: { en: 'Errors', es: 'Errores' } },
];

const NAV_NAMES = { en: 'Documentation', es: 'Documentación' };
const OTHER_NAMES = { en: 'Español', es: 'English' };

/** Sends a page of the documentation: wider than other pages, with navigation and a link to its other language. */
export function sendDocsPage(app: App, reply: FastifyReply, page: DocsPage): FastifyReply {
  return sendDocument(app, reply, { status: 200, language: page.language }, makeDocsPage(app, reply.request, page));
}

/** Returns the markup of such a page, for a cache. It depends only on the languages of the page and of the request. */
export function makeDocsPage(app: App, request: FastifyRequest, page: DocsPage): Html {
  const { path, language, title, main, script = true } = page;
  const base = publicPath(app);
  const link = (place: string, name: string, rest: Html | false = false) =>
    html`<a href="${base}${place}"${rest}>${name}</a>`;
  const other = language === 'es' ? 'en' : 'es';
  // A guide without a translation links to the start page of the other language.
  const otherPath = page.other === undefined ? `${path}?lang=${other}` : (page.other ?? `/docs?lang=${other}`);
  // A reader who switched the language of a page stays in it, whatever the browser prefers.
  const kept = keptLanguage(request, language);
  const nav = html`<nav class="places" lang="${language}" aria-label="${NAV_NAMES[language]}">${PLACES.map((place) =>
    link(`${place.path}${kept}`, place.name[language], place.path === path && html` aria-current="page"`),
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
}
