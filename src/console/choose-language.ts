import { publicPath } from '../http/assets.ts';
import type { Screen } from '../http/endpoint.ts';
import { languageCookie } from './console-language.ts';
import { isFromOurPage } from './console-visit.ts';
import { fieldsOf, pathOf } from './sign-in.ts';

/** Sets the language of this browser, and redirects to the previous page. */
export const postConsoleLanguage: Screen = {
  handle: async (app, request, reply) => {
    const { to, next } = fieldsOf(request);
    if (isFromOurPage(app, request)) reply.header('set-cookie', languageCookie(app, to === 'en' ? 'en' : 'es'));
    return reply
      .code(303)
      .header('location', `${publicPath(app)}/console${pathOf(next)}`)
      .send();
  },
};
