import { readFileSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import type { App } from '../app.ts';
import { say } from '../checkout/texts.ts';
import type { Language } from '../lib/language.ts';
import { perInstance } from '../lib/per-instance.ts';
import { type AssetName, assetPath, publicPath } from './assets.ts';
import { type Html, html, trustedHtml } from './html.ts';

/** The parts that differ between pages. */
export type Page = {
  status: number;
  language: Language;
  title: string;
  main: Html;
  /** For payment pages: whether it is a test payment, in which no money moves. */
  payment?: { test: boolean };
  /** The brand of the page's owner, if it is not this service's. */
  brand?: Brand;
  /** The content consists of several sheets instead of one. */
  sheets?: true;
  script?: AssetName;
  /** Loaded after the common style sheet. */
  style?: AssetName;
  /** Shown beside the wordmark. */
  nav?: Html;
  /** Loads `url` after that time, without a script. */
  refresh?: { seconds: number; url: string };
  /** The URL on another server to which a form of this page leads. */
  formTarget?: string;
};

/** A page before its status is known. */
export type PageContent = Omit<Page, 'status'>;

/** The header and the footer of a page, and the style sheet of its colour. */
export type Brand = { mark: Html; foot: Html; stylesheet: string | null };

/** Sends a page: its markup, its language, and its security policies. */
export function sendPage(app: App, reply: FastifyReply, page: Page): FastifyReply {
  return sendDocument(app, reply, page, makeDocument(app, page));
}

/** Sends a document with its own layout. */
export function sendDocument(
  app: App,
  reply: FastifyReply,
  { status, language, formTarget }: Pick<Page, 'status' | 'language' | 'formTarget'>,
  document: Html,
): FastifyReply {
  return reply
    .code(status)
    .headers(PAGE_HEADERS)
    .header('content-language', LANGUAGE_TAGS[language])
    .header('content-security-policy', contentSecurityPolicy(app, formTarget))
    .header('reporting-endpoints', `csp="${publicPath(app)}/csp-reports"`)
    .send(bytesOf(document));
}

const bytesOf = perInstance((document: Html) => Buffer.from(document.text));

export const LANGUAGE_TAGS: Record<Language, string> = { es: 'es-CL', en: 'en' };

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  vary: 'Accept-Language',
  'cross-origin-opener-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
};

function contentSecurityPolicy(app: App, formTarget: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    `form-action ${["'self'", ...formSources(formTarget)].join(' ')}`,
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    'report-to csp',
    `report-uri ${publicPath(app)}/csp-reports`,
  ].join('; ');
}

/**
 * Returns the form's origin and its schemes. Chromium checks every redirect after a form post against this list. With
 * the origin alone, a shop that redirects the payer from `api.` to `www.` would leave them on the payment page.
 */
function formSources(target: string | undefined): string[] {
  if (target === undefined) return [];
  const { origin, protocol } = new URL(target);
  return protocol === 'http:' ? [origin, 'http:', 'https:'] : [origin, 'https:'];
}

/** Returns the whole markup of a page. `sendDocument` can send a stored one again; all readers share its memory. */
export function makeDocument(app: App, page: Page): Html {
  const { language, title, refresh, script, style, nav, payment, brand } = page;
  const test = payment?.test === true;
  return html`${beginDocument(app, language, title)}
<link rel="stylesheet" href="${assetPath(app, 'pay.css')}">
${style !== undefined && html`<link rel="stylesheet" href="${assetPath(app, style)}">`}
${typeof brand?.stylesheet === 'string' && html`<link rel="stylesheet" href="${brand.stylesheet}">`}
${refresh !== undefined && html`<meta http-equiv="refresh" content="${refresh.seconds}; url=${refresh.url}">`}
${script !== undefined && html`<script src="${assetPath(app, script)}" defer></script>`}
</head>
<body>
<header>
${brand?.mark ?? WORDMARK}
${test && html`<p class="badge">${say(language, 'test.badge')}</p>`}
${nav !== undefined && nav}
</header>
<main${page.sheets === true && html` class="sheets"`}>
${page.main}
</main>
<footer>
${test && html`<p>${say(language, 'test.note')}</p>`}
${brand !== undefined && brand.foot}
</footer>
</body>
</html>
`;
}

/** Returns the start of every document, up to its own part of the head. */
export function beginDocument(app: App, language: Language, title: string): Html {
  return html`<!doctype html>
<html lang="${LANGUAGE_TAGS[language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${assetPath(app, 'favicon.svg')}">`;
}

export const WORDMARK = trustedHtml(readFileSync(new URL('../checkout/assets/wordmark.svg', import.meta.url), 'utf8'));
