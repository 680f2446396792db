import type { FastifyReply, FastifyRequest } from 'fastify';
import { readFormFields } from '../../protocol/read-form-fields.ts';
import type { App } from '../app.ts';
import { readAccessToken } from '../auth/access-token.ts';
import { endSession } from '../auth/list-sessions.ts';
import { logInAtConsole } from '../auth/log-in.ts';
import { userActor } from '../auth/user-actor.ts';
import { selectUserById } from '../auth/user-queries.ts';
import { Problem } from '../error-catalogue.ts';
import { publicPath } from '../http/assets.ts';
import type { Screen } from '../http/endpoint.ts';
import { html } from '../http/html.ts';
import { clientNetwork } from '../lib/client-network.ts';
import { visitLanguage } from './console-language.ts';
import { sendConsolePage } from './console-page.ts';
import { type ConsoleText, tell } from './console-texts.ts';
import { cookieOf, isFromOurPage, isOverHttps, sessionCookie } from './console-visit.ts';

/** The page on which a person signs in. */
export const getConsoleSignIn: Screen = {
  handle: async (app, request, reply) => {
    const { next } = request.query as Record<string, unknown>;
    return sendSignIn(app, request, reply, { status: 200, next: pathOf(next), email: '', said: null });
  },
};

/** Signs a person in with e-mail and password, and leads to where they wanted to go. */
export const postConsoleSignIn: Screen = {
  handle: async (app, request, reply) => {
    const { email = '', password = '', next } = fieldsOf(request);
    const refuse = (status: number, said: ConsoleText) =>
      sendSignIn(app, request, reply, { status, next: pathOf(next), email, said });
    if (!isFromOurPage(app, request)) return refuse(403, 'stale.text');
    try {
      const token = await logInAtConsole(app, { email, password, address: request.ip });
      return await reply
        .code(303)
        .header('set-cookie', sessionCookie(app, token.text))
        .header('location', `${publicPath(app)}/console${pathOf(next)}`)
        .send();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.code === 'LOGIN_FAILED') return refuse(401, 'sign_in.failed');
      if (error.code === 'RATE_LIMITED') return refuse(429, 'sign_in.many');
      throw error;
    }
  },
};

/**
 * Ends the session for good: the cookie is worth nothing afterwards, wherever a copy of it is. Over https the browser forgets the pages and
 * the storage of this site; over plain http Chromium refuses to. A form of another site does nothing, and changes nothing in the browser.
 */
export const postConsoleSignOut: Screen = {
  handle: async (app, request, reply) => {
    if (isFromOurPage(app, request)) {
      const claims = await readAccessToken(app, cookieOf(app, request), 'rubrica-console');
      const user = claims === null ? null : await selectUserById(app.db, claims.userId);
      if (user !== null && claims?.sessionId)
        await endSession(app, claims.sessionId, userActor(user, clientNetwork(request.ip)));
      reply.header('set-cookie', sessionCookie(app, '')).headers(isOverHttps(app) ? FORGET : {});
    }
    return reply
      .code(303)
      .header('location', `${publicPath(app)}/console/sign-in`)
      .send();
  },
};

/** Without "cookies": with it browsers forget the cookies of the whole domain, other programs included. Ours is removed by its name. */
const FORGET = { 'clear-site-data': '"cache", "storage"' };

type SignIn = {
  status: number;
  next: string;
  email: string;
  said: ConsoleText | null;
};

function sendSignIn(app: App, request: FastifyRequest, reply: FastifyReply, { status, next, email, said }: SignIn) {
  const language = visitLanguage(request);
  const title = tell(language, 'sign_in.title');
  const main = html`<h1>${title}</h1>
${said !== null && html`<p class="notice" role="alert">${tell(language, said)}</p>`}
<form class="card pad" method="post" action="${publicPath(app)}/console/sign-in">
<input type="hidden" name="next" value="${next}">
<label>${tell(language, 'sign_in.email')}<input type="email" name="email" value="${email}" autocomplete="username" required></label>
<label>${tell(language, 'sign_in.password')}<input type="password" name="password" autocomplete="current-password" required></label>
<p class="actions"><button class="primary">${tell(language, 'sign_in.button')}</button></p>
</form>
<p class="quiet">${tell(language, 'sign_in.help', { command: 'bin/rubrica user invite EMAIL --role support' })}</p>`;
  return sendConsolePage(app, reply, { title, main, status, language, user: null, path: request.url });
}

/** The fields of a form of ours; of a name that comes twice the last. */
export function fieldsOf(request: FastifyRequest): Record<string, string> {
  const fields = readFormFields((request.body as Buffer | undefined) ?? Buffer.alloc(0));
  return Object.fromEntries(fields.map(({ name, text }) => [name, text]));
}

/** The number of a line in a field of a form of ours; null: the field is empty. Throws `Problem` INVALID_PARAMETER for anything else. */
export function lineNumberIn(text = ''): number | null {
  if (text === '') return null;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new Problem('INVALID_PARAMETER');
}

/** A path below `/console`, or nothing: no other site is led to. */
export function pathOf(next: unknown): string {
  return typeof next === 'string' && /^\/[\w\-/?=&%.+*]{0,2500}$/.test(next) && !next.startsWith('//') ? next : '';
}
