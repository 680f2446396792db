import { notFound } from '../error-catalogue.ts';
import { publicPath } from '../http/assets.ts';
import type { Operation } from '../http/endpoint.ts';
import { keptLanguage, pageLanguage, readSearch, sendDocsPage } from './docs-page.ts';
import { listErrors } from './error-list.ts';

/**
 * The page that the `type` of every error links to. The SDK's codes have pages too, though the service never sends
 * them.
 */
export const getErrorsCode: Operation = {
  handle: async (app, request, reply) => {
    const { code } = request.params as { code: string };
    const language = pageLanguage(request);
    const error = listErrors(language).find((one) => one.code === code);
    if (error === undefined) {
      throw notFound('There is no error with this code.', 'No existe un error con este código.');
    }
    const { errorPage } = await import('./error-page.ts');
    const main = errorPage(error, language, { base: publicPath(app), kept: keptLanguage(request, language) });
    return sendDocsPage(app, reply, { path: `/errors/${code}`, title: code, main, language, script: false });
  },
};

/** Lists all codes with title and status, or the codes that match a search. */
export const getErrors: Operation = {
  handle: async (app, request, reply) => {
    const language = pageLanguage(request);
    const search = readSearch(request);
    const { errorListPage } = await import('./error-page.ts');
    const { wordsIn } = await import('./search-docs.ts');
    const links = { base: publicPath(app), kept: keptLanguage(request, language) };
    const main = errorListPage(search, wordsIn(search), language, links);
    const title = language === 'es' ? 'Errores' : 'Errors';
    return sendDocsPage(app, reply, { path: '/errors', title, main, language, script: false });
  },
};
