import { publicPath } from '../http/assets.ts';
import type { Screen } from '../http/endpoint.ts';
import { languageCookie } from './console-language.ts';
import { isFromOurPage } from './console-visit.ts';
import { askToSignIn, fieldsOf, pathOf } from './sign-in.ts';

/**
 * Sets the language of this browser, and redirects to the previous page. A kept search is in no address, so the sign-in
 * page that has one is sent again in place of the redirect.
 */
export const postConsoleLanguage: Screen = async (app, request, reply) => {
  const { to, next, search = '' } = fieldsOf(request);
  const isOurs = isFromOurPage(app, request);
  const language = to === 'en' ? 'en' : 'es';
  if (isOurs) reply.header('set-cookie', languageCookie(app, language));
  if (isOurs && search !== '') return askToSignIn(app, request, reply, search, language);
  return reply
    .code(303)
    .header('location', `${publicPath(app)}/console${pathOf(next)}`)
    .send();
};
