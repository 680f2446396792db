import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import { publicPath } from '../http/assets.ts';
import type { Operation } from '../http/endpoint.ts';
import { type Html, html } from '../http/html.ts';
import { sendDocument } from '../http/page.ts';
import { answerLanguage } from '../http/problem-words.ts';
import type { Language } from '../lib/language.ts';
import { perInstance } from '../lib/per-instance.ts';
import { keptLanguage, makeDocsPage, pageLanguage, readSearch, sendDocsPage } from './docs-page.ts';
import { readOpenApi } from './get-openapi.ts';
import { groupGuides, guidePath, readGuides, renderGuide } from './guides.ts';
import { operationsOf } from './openapi-operations.ts';

// The page modules are loaded with the first page: most processes never show one.

/** The start page of the documentation, with the results of a search. */
export const getDocs: Operation = {
  handle: async (app, request, reply) => {
    const { startPage } = await import('./start-page.ts');
    const { searchDocs } = await import('./search-docs.ts');
    const language = pageLanguage(request);
    const search = readSearch(request);
    const main = startPage({
      language,
      base: publicPath(app),
      kept: keptLanguage(request, language),
      search,
      found: search.trim() === '' ? null : await searchDocs(app, search, language),
      guides: await groupGuides(language),
      english: language === 'en' ? [] : await groupMissing(),
      endpoints: await endpointGroups(app),
    });
    const title = language === 'es' ? 'Documentación' : 'Documentation';
    return sendDocsPage(app, reply, { path: '/docs', language, title, main });
  },
};

/** Lists the guides that exist only in English. */
async function groupMissing() {
  const spanish = await readGuides('es');
  const groups = await groupGuides('en');
  const missing = groups.flatMap(({ guides }) => guides).filter(({ name }) => !spanish.has(name));
  return [{ title: 'Más guías', guides: missing }];
}

const endpointGroups = perInstance(async (app: App) => {
  const document = await readOpenApi(app);
  const operations = operationsOf(document);
  return document.tags.map(({ name }) => ({
    tag: name,
    operations: operations
      .filter(({ operation }) => operation.tags[0] === name)
      .map(({ method, path, operation }) => ({ id: operation.operationId, method, path })),
  }));
});

/** The API reference. */
export const getDocsReference: Operation = {
  handle: async (app, request, reply) => {
    const language = pageLanguage(request);
    const main = (await referencesOf(app))[language];
    const title = language === 'es' ? 'Referencia de la API' : 'API reference';
    // The largest page, so it is cached: building it for each of many readers delayed payments.
    const key = `${language} ${answerLanguage(request.headers['accept-language'])}`;
    const document =
      madeReferences(app).get(key) ?? makeDocsPage(app, request, { path: '/docs/reference', language, title, main });
    madeReferences(app).set(key, document);
    return sendDocument(app, reply, { status: 200, language }, document);
  },
};

const madeReferences = perInstance((_app: App) => new Map<string, Html>());

const referencesOf = perInstance(async (app: App) => {
  const { referencePage } = await import('./reference-page.ts');
  const document = await readOpenApi(app);
  const base = publicPath(app);
  return { en: referencePage(document, base, 'en'), es: referencePage(document, base, 'es') };
});

/** A guide, in English. */
export const getDocsGuide: Operation = guideOperation('en');

/** Una guía, en español. */
export const getDocsGuideSpanish: Operation = guideOperation('es');

function guideOperation(language: Language): Operation {
  const other = language === 'es' ? 'en' : 'es';
  return {
    handle: async (app, request, reply) => {
      const { guide } = request.params as { guide: string };
      const guides = await readGuides(language);
      const main = await renderGuide(app, language, guide);
      if (main === null) throw new Problem('NOT_FOUND');
      return sendDocsPage(app, reply, {
        path: guidePath(language, guide),
        language,
        title: guides.get(guide)?.title ?? guide,
        main: html`<article class="guide">${main}</article>`,
        other: (await readGuides(other)).has(guide) ? guidePath(other, guide) : null,
      });
    },
  };
}
