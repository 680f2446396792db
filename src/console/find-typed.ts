import { consoleHandler, isFromOurPage } from './console-visit.ts';
import { keepSearch, searchOf, searchPath } from './kept-search.ts';
import { askToSignIn } from './sign-in.ts';

/**
 * Redirects to a list with the typed filters; personal data is encrypted in the address. After the end of the session
 * it asks the person to sign in, and the search goes on.
 */
export const postConsoleFind = consoleHandler(
  async (_app, visit) => visit.goTo(searchPath(visit, searchOf(visit.request))),
  ['prove', 'enrol'],
  (app, request, reply) =>
    isFromOurPage(app, request) ? askToSignIn(app, request, reply, keepSearch(app, searchOf(request))) : null,
);
