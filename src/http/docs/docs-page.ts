import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import { publicPath } from '../assets.ts';
import { type Html, html } from '../html.ts';
import { sendPage } from '../page.ts';

export type DocsPage = { path: string; language?: 'en' | 'es'; title: string; main: Html };

type Place = { path: string; name: string };

const PLACES: Record<'en' | 'es', readonly Place[]> = {
  en: [
    { path: '/docs', name: 'API reference' },
    { path: '/docs/sign', name: 'Sign a request' },
    { path: '/docs/quickstart-create', name: 'Take a payment' },
    { path: '/docs/quickstart-callbacks', name: 'Receive callbacks' },
    { path: '/docs/sandbox', name: 'Sandbox' },
  ],
  es: [
    { path: '/docs', name: 'Referencia (en inglés)' },
    { path: '/docs/sign', name: 'Firmar (en inglés)' },
    { path: '/docs/es/quickstart-create', name: 'Cobrar un pago' },
    { path: '/docs/es/quickstart-callbacks', name: 'Recibir callbacks' },
  ],
};

/** Answers with a page of the documentation: wider than the others, with the way to its neighbours. */
export function sendDocsPage(app: App, reply: FastifyReply, page: DocsPage): FastifyReply {
  const { path, language = 'en', title, main } = page;
  const base = publicPath(app);
  const links = PLACES[language].map(
    (place) =>
      html`<a href="${base}${place.path}"${place.path === path && html` aria-current="page"`}>${place.name}</a>`,
  );
  const nav = html`<nav class="places" aria-label="Documentation">${links}</nav>`;
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
