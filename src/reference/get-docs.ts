import { readFile } from 'node:fs/promises';
import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { publicPath } from '../http/assets.ts';
import type { Operation } from '../http/endpoint.ts';
import { type Html, html } from '../http/html.ts';
import { perInstance } from '../lib/per-instance.ts';
import { readOpenApi } from './get-openapi.ts';

// What makes the pages is loaded with the first of them: most processes never show one.

/** The API reference. */
export const getDocs: Operation = {
  handle: async (app, _request, reply) => {
    const { sendDocsPage } = await import('./docs-page.ts');
    const main = await referenceOf(app);
    return sendDocsPage(app, reply, { path: '/docs', title: 'API reference', main });
  },
};

const referenceOf = perInstance(async (app: App) => {
  const { referencePage } = await import('./reference-page.ts');
  return referencePage(await readOpenApi(app), publicPath(app));
});

/** Signs a request in the browser and sends it. */
export const getDocsSign: Operation = {
  handle: async (app, _request, reply) => {
    const { signPage } = await import('./sign-page.ts');
    const { sendDocsPage } = await import('./docs-page.ts');
    const main = signPage(`${publicPath(app)}/trxs`);
    return sendDocsPage(app, reply, { path: '/docs/sign', title: 'Sign a request', main });
  },
};

/** A guide, in English. */
export const getDocsGuide: Operation = guideOperation('/docs/:guide', 'en', [
  'quickstart-create',
  'quickstart-callbacks',
  'bank-account-validation',
  'sandbox',
  'webpay',
  'going-live',
  'finance',
]);

/** Una guía, en español. */
export const getDocsGuideSpanish: Operation = guideOperation('/docs/es/:guide', 'es', [
  'quickstart-create',
  'quickstart-callbacks',
]);

/** `guides` are files of the folder `docs`, without their `.md`. */
function guideOperation(path: string, language: 'en' | 'es', guides: readonly string[]): Operation {
  return {
    handle: async (app, request, reply) => {
      const { guide } = request.params as { guide: string };
      if (!guides.includes(guide)) throw new Problem('NOT_FOUND');
      const { sendDocsPage } = await import('./docs-page.ts');
      const { title, main } = await guideOf(app, language, guide);
      return sendDocsPage(app, reply, {
        path: path.replace(':guide', guide),
        language,
        title,
        main: html`<article class="guide">${main}</article>`,
      });
    },
  };
}

type Guide = { title: string; main: Html };

/** Made once: it takes ten milliseconds, and the files of a release do not change. */
function guideOf(app: App, language: 'en' | 'es', guide: string): Promise<Guide> {
  const made = guides(app);
  const key = `${language}/${guide}`;
  const page = made.get(key) ?? makeGuide(language, guide);
  made.set(key, page);
  return page;
}

const guides = perInstance((_app: App) => new Map<string, Promise<Guide>>());

async function makeGuide(language: 'en' | 'es', guide: string): Promise<Guide> {
  const { renderMarkdown } = await import('./markdown.ts');
  const folder = new URL(language === 'es' ? '../../docs/es/' : '../../docs/', import.meta.url);
  const text = await readFile(new URL(`${guide}.md`, folder), 'utf8');
  // The guides name one another as files, so that their links work in the repository too.
  const main = renderMarkdown(text, (address) => address.replace(/\.md(?=#|$)/, ''));
  return { title: /^# (.+)$/m.exec(text)?.[1] ?? guide, main };
}
