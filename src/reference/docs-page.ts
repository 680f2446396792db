import type { FastifyReply } from 'fastify';
import type { App } from '../app.ts';
import { publicPath } from '../http/assets.ts';
import { type Html, html } from '../http/html.ts';
import { sendPage } from '../http/page.ts';
import { preferredLanguage } from '../lib/accept-language.ts';

export type DocsPage = { path: string; language?: 'en' | 'es'; title: string; main: Html };

type Place = { path: string; name: string };

const PLACES: Record<'en' | 'es', readonly Place[]> = {
  en: [
    { path: '/docs', name: 'API reference' },
    { path: '/docs/sign', name: 'Sign a request' },
    { path: '/docs/quickstart-create', name: 'Take a payment' },
    { path: '/docs/quickstart-callbacks', name: 'Receive callbacks' },
    { path: '/docs/bank-account-validation', name: 'Validate accounts' },
    { path: '/docs/sandbox', name: 'Sandbox' },
    { path: '/docs/webpay', name: 'Webpay' },
    { path: '/docs/es/quickstart-create', name: 'En español' },
  ],
  es: [
    { path: '/docs', name: 'Referencia (en inglés)' },
    { path: '/docs/sign', name: 'Firmar (en inglés)' },
    { path: '/docs/es/quickstart-create', name: 'Cobrar un pago' },
    { path: '/docs/es/quickstart-callbacks', name: 'Recibir callbacks' },
    { path: '/docs/bank-account-validation', name: 'Validar cuentas (en inglés)' },
    { path: '/docs/sandbox', name: 'Sandbox (en inglés)' },
    { path: '/docs/webpay', name: 'Webpay (en inglés)' },
    { path: '/docs/quickstart-create', name: 'In English' },
  ],
};

const NAV_NAMES = { en: 'Documentation', es: 'Documentación' };

/**
 * Answers with a page of the documentation: wider than the others, with the way to its neighbours. Who asks for Spanish
 * finds the Spanish guides on the English pages too.
 */
export function sendDocsPage(app: App, reply: FastifyReply, page: DocsPage): FastifyReply {
  const { path, language = 'en', title, main } = page;
  const base = publicPath(app);
  const asked = preferredLanguage(reply.request.headers['accept-language'], ['en', 'es'] as const);
  const navLanguage = language === 'es' || asked === 'es' ? 'es' : 'en';
  const links = PLACES[navLanguage].map(
    (place) =>
      html`<a href="${base}${place.path}"${place.path === path && html` aria-current="page"`}>${place.name}</a>`,
  );
  const nav = html`<nav class="places" lang="${navLanguage}" aria-label="${NAV_NAMES[navLanguage]}">${links}</nav>`;
  return sendPage(app, reply, {
    status: 200,
    language,
    title: `${title} · Rúbrica`,
    main,
    script: 'docs.js',
    style: 'docs.css',
    nav,
  });
}
