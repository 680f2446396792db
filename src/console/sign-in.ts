import type { FastifyReply, FastifyRequest } from 'fastify';
import { readFormFields } from '../../protocol/read-form-fields.ts';
import type { App } from '../app.ts';
import { FACTOR_LIMITS } from '../auth/factors/prove-factor.ts';
import { endSession } from '../auth/sign-in/end-sessions.ts';
import { logInAtConsole } from '../auth/sign-in/log-in.ts';
import { readAccessToken } from '../auth/tokens/access-token.ts';
import { userActor } from '../auth/user-actor.ts';
import { selectUserById } from '../auth/user-queries.ts';
import { Problem } from '../error-catalogue.ts';
import { publicPath } from '../http/assets.ts';
import type { Screen } from '../http/endpoint.ts';
import { html } from '../http/html.ts';
import type { Language } from '../lib/language.ts';
import { clientNetwork } from '../lib/network/client-network.ts';
import { visitLanguage } from './console-language.ts';
import { sendConsolePage } from './console-page.ts';
import { type ConsoleText, tell } from './console-texts.ts';
import { cookieOf, isFromOurPage, isOverHttps, MOST_NEXT, sessionCookie } from './console-visit.ts';
import { keptSearchPath } from './kept-search.ts';
import { alertNotice, type Fault, formField } from './notice.ts';

/** Shows the sign-in page. `ended=form` in the address: it says that a form was sent after the end of the session. */
export const getConsoleSignIn: Screen = async (app, request, reply) => {
  const { next, ended } = request.query as Record<string, unknown>;
  const said = ended === 'form' ? 'sign_in.ended' : null;
  return sendSignIn(app, request, reply, { status: 200, next: pathOf(next), search: '', email: '', said });
};

/** Asks a person whose session has ended to sign in. `search`: from `keepSearch`; the search goes on afterwards. */
export function askToSignIn(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  search: string,
  language: Language = visitLanguage(request),
): FastifyReply {
  return sendSignIn(app, request, reply, {
    status: 401,
    next: '',
    search,
    email: '',
    said: 'sign_in.search',
    language,
  });
}

/** Signs a person in with e-mail and password, and redirects to the page or the search that they asked for. */
export const postConsoleSignIn: Screen = async (app, request, reply) => {
  const { email = '', password = '', search = '', next } = fieldsOf(request);
  const refuse = (status: number, said: ConsoleText | Problem) =>
    sendSignIn(app, request, reply, { status, next: pathOf(next), search, email, said });
  if (!isFromOurPage(app, request)) return refuse(403, 'stale.text');
  try {
    const token = await logInAtConsole(app, { email, password, address: request.ip });
    const claims = await readAccessToken(app, token.text, 'rubrica-console');
    const found = claims === null ? null : keptSearchPath(app, claims.userId, search);
    return await reply
      .code(303)
      .header('set-cookie', sessionCookie(app, token.text))
      .header('location', `${publicPath(app)}/console${found ?? pathOf(next)}`)
      .send();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'LOGIN_FAILED') return refuse(401, 'sign_in.failed');
    if (error.code === 'RATE_LIMITED') return refuse(429, error);
    throw error;
  }
};

/**
 * Ends the session in the store, so that no copy of the cookie works any longer. Over https the browser also deletes
 * the pages and the storage of this site; over plain http Chromium refuses to. A form of another site changes nothing,
 * in the store or in the browser.
 */
export const postConsoleSignOut: Screen = async (app, request, reply) => {
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
};

/**
 * Does not include "cookies": browsers would delete the cookies of the whole domain, also those that other programs
 * set. The session cookie is deleted by its name.
 */
const FORGET = { 'clear-site-data': '"cache", "storage"' };

/** Says when a person who tried too often can try again, and whether a recovery code works until then. */
export function sayTooMany(language: Language, { extras: { spent } }: Problem): string {
  if (spent === undefined) return tell(language, 'sign_in.many');
  const minutes = Math.max(1, Math.ceil(spent.resetMs / 60_000));
  return tell(language, spent.name === FACTOR_LIMITS.account.name ? 'prove.many_codes' : 'prove.many', { minutes });
}

type SignIn = {
  status: number;
  next: string;
  search: string;
  email: string;
  /** A problem: too many attempts. */
  said: ConsoleText | Problem | null;
  language?: Language;
};

function sendSignIn(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, next, search, email, said, language = visitLanguage(request) }: SignIn,
) {
  const title = tell(language, 'sign_in.title');
  const fault: Fault = {
    said: said === null ? '' : typeof said === 'string' ? tell(language, said) : sayTooMany(language, said),
    // Nothing says which of the two is wrong; the password is the one to type again.
    field: said === 'sign_in.failed' ? 'password' : undefined,
  };
  // The page may answer a form of another address, which cannot be opened.
  const path = request.method === 'GET' ? request.url : '/console/sign-in';
  const main = html`<h1>${title}</h1>
${alertNotice(fault)}
<form class="card pad" method="post" action="${publicPath(app)}/console/sign-in">
<input type="hidden" name="next" value="${next}">${search !== '' && html`<input type="hidden" name="search" value="${search}">`}
<label>${tell(language, 'sign_in.email')}<input type="email" name="email" value="${email}" autocomplete="username" required></label>
${formField(fault, 'password', (attributes) => html`<label>${tell(language, 'sign_in.password')}<input type="password" name="password" autocomplete="current-password" required${attributes}></label>`)}
<p class="actions"><button class="primary">${tell(language, 'sign_in.button')}</button></p>
</form>
<p class="quiet">${tell(language, 'sign_in.help', { command: 'bin/rubrica user invite EMAIL --role support --all-payment-services' })}</p>`;
  return sendConsolePage(app, reply, { title, main, status, language, user: null, path, keptSearch: search });
}

/**
 * Returns the fields of the form. A tab is a space: people paste one with an amount or an account of a spreadsheet, and
 * the reader refuses it. Throws `SigningError` for a name that occurs twice.
 */
export function fieldsOf(request: FastifyRequest): Record<string, string> {
  const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
  const fields = readFormFields(Buffer.from(body.toString('latin1').replaceAll('%09', '+'), 'latin1'));
  return Object.fromEntries(fields.map(({ name, text }) => [name, text]));
}

/**
 * Returns a line number from a field of a form; null if it is empty. Throws `Problem` INVALID_PARAMETER for any other
 * text.
 */
export function lineNumberIn(text = ''): number | null {
  if (text === '') return null;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new Problem('INVALID_PARAMETER');
}

/**
 * Returns a valid path below `/console`, else an empty text, so that no redirect leaves the console: other programs may
 * have paths on the same host, and a browser resolves `..` and `%2e%2e`.
 */
export function pathOf(next: unknown): string {
  if (typeof next !== 'string' || next.length > MOST_NEXT) return '';
  if (!/^\/[\w\-/?=&%.+*]*$/.test(next) || next.startsWith('//')) return '';
  return new URL(`http://host/console${next}`).pathname.startsWith('/console/') ? next : '';
}
