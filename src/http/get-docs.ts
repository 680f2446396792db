import { readFile } from 'node:fs/promises';
import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { perInstance } from '../lib/per-instance.ts';
import { publicPath } from './assets.ts';
import type { Endpoint } from './endpoint.ts';
import { readOpenApi } from './get-openapi.ts';
import { html } from './html.ts';

// What makes the pages is loaded with the first of them: most processes never show one.

/** The API reference. */
export const getDocs: Endpoint = {
  method: 'GET',
  paths: ['/docs'],
  access: 'public',
  handle: async (app, _request, reply) => {
    const { sendDocsPage } = await import('./docs/docs-page.ts');
    const main = await referenceOf(app);
    return sendDocsPage(app, reply, { path: '/docs', title: 'API reference', main });
  },
};

const referenceOf = perInstance(async (app: App) => {
  const { referencePage } = await import('./docs/reference-page.ts');
  return referencePage(await readOpenApi(app), publicPath(app));
});

/** Signs a request in the browser and sends it. */
export const getDocsSign: Endpoint = {
  method: 'GET',
  paths: ['/docs/sign'],
  access: 'public',
  handle: async (app, _request, reply) => {
    const { signPage } = await import('./docs/sign-page.ts');
    const { sendDocsPage } = await import('./docs/docs-page.ts');
    const main = signPage(`${publicPath(app)}/trxs`);
    return sendDocsPage(app, reply, { path: '/docs/sign', title: 'Sign a request', main });
  },
};

/** A guide, in English. */
export const getDocsGuide: Endpoint = guideEndpoint('/docs/:guide', 'en', [
  'quickstart-create',
  'quickstart-callbacks',
  'bank-account-validation',
  'sandbox',
  'webpay',
  'going-live',
  'finance',
]);

/** Una guía, en español. */
export const getDocsGuideSpanish: Endpoint = guideEndpoint('/docs/es/:guide', 'es', [
  'quickstart-create',
  'quickstart-callbacks',
]);

/** `guides` are files of the folder `docs`, without their `.md`. */
function guideEndpoint(path: string, language: 'en' | 'es', guides: readonly string[]): Endpoint {
  return {
    method: 'GET',
    paths: [path],
    access: 'public',
    handle: async (app, request, reply) => {
      const { guide } = request.params as { guide: string };
      if (!guides.includes(guide)) throw new Problem('NOT_FOUND');
      const { renderMarkdown } = await import('./docs/markdown.ts');
      const { sendDocsPage } = await import('./docs/docs-page.ts');
      const folder = new URL(language === 'es' ? '../../docs/es/' : '../../docs/', import.meta.url);
      const text = await readFile(new URL(`${guide}.md`, folder), 'utf8');
      // The guides name one another as files, so that their links work in the repository too.
      const main = renderMarkdown(text, (address) => address.replace(/\.md(?=#|$)/, ''));
      const title = /^# (.+)$/m.exec(text)?.[1] ?? guide;
      return sendDocsPage(app, reply, {
        path: path.replace(':guide', guide),
        language,
        title,
        main: html`<article class="guide">${main}</article>`,
      });
    },
  };
}
