import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { countAct } from '../audit/count-acts.ts';
import { type ConsoleSession, findConsoleSession, isProofDue, type Standing } from '../auth/console-session.ts';
import { mayAny, PERMISSIONS, type Permission } from '../auth/permission.ts';
import type { SessionRow } from '../auth/session-queries.ts';
import type { User } from '../auth/user.ts';
import { userActor } from '../auth/user-actor.ts';
import { publicBase } from '../checkout/pay-link.ts';
import type { Language } from '../checkout/texts.ts';
import { CATALOGUE, type ErrorCode, type Problem } from '../error-catalogue.ts';
import { publicPath } from '../http/assets.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { html } from '../http/html.ts';
import { limitAddress, limitUser } from '../http/request-limits.ts';
import { noteFailure } from '../http/send-problem.ts';
import { clientNetwork } from '../lib/client-network.ts';
import { visitLanguage } from './console-language.ts';
import { type ConsolePage, sendConsolePage } from './console-page.ts';
import { type ConsoleText, tell } from './console-texts.ts';
import { SPANISH_PERMISSIONS } from './permission-texts.ts';

/** A person who has signed in and may see the screen. `send` answers with a page in their language. */
export type ConsoleVisit = {
  app: App;
  user: User;
  session: SessionRow;
  standing: Standing;
  /** The person as the audit log names them. */
  by: Actor;
  language: Language;
  request: FastifyRequest;
  reply: FastifyReply;
  send: (status: number, page: ConsolePage) => FastifyReply;
  /** Away from the answer to a form, so that reloading sends it no second time. `path` is below `/console`. */
  goTo: (path: string) => FastifyReply;
};

const COOKIE = 'rubrica_console';

/**
 * The header that lets this browser in until the session ends, or with an empty text no more. Over https the name begins with `__Host-`:
 * no subdomain and no answer over plain http can set such a cookie, or put another one in its place. It stays SameSite=Lax: a link to a
 * payment in a mail or a chat opens signed in, and a form of another site is refused whatever cookie it brings (`isFromOurPage`).
 */
export function sessionCookie(app: App, token: string): string {
  const scope = isOverHttps(app) ? 'Path=/; Secure' : `Path=${publicPath(app)}/console`;
  const age = token === '' ? '; Max-Age=0' : '';
  return `${cookieName(app)}=${token}; ${scope}; HttpOnly; SameSite=Lax${age}`;
}

/** Whether browsers reach the console over https: PUBLIC_URL says so. */
export function isOverHttps(app: App): boolean {
  return publicBase(app).startsWith('https:');
}

/** Two services below one host have different base paths, and with `Path=/` each needs a name of its own. */
function cookieName(app: App): string {
  return isOverHttps(app) ? `__Host-${COOKIE}${publicPath(app).replace(/\W/g, '-')}` : COOKIE;
}

/**
 * Handles an address under `/console`: it finds the person of the session cookie, checks the permissions that the table of
 * endpoints names, and that a form comes from a page of ours. Without a session the person is led to the sign-in, and before
 * the second factor to its page, unless `also` says that this is the one.
 */
export function consoleHandler(
  handle: (app: App, visit: ConsoleVisit) => Promise<FastifyReply>,
  also: readonly Standing[] = [],
): Endpoint['handle'] {
  return async (app, request, reply) => {
    const language = visitLanguage(request);
    let shown: User | null = null;
    const send = (status: number, page: ConsolePage) =>
      sendConsolePage(app, reply, { ...page, status, language, user: shown, path: request.url });
    const goTo = (path: string) =>
      reply
        .code(303)
        .header('location', `${publicPath(app)}/console${path}`)
        .send();
    try {
      if (app.config.rateLimits) await limitAddress(app, request);
      const isClick = request.headers['sec-fetch-dest'] !== 'empty';
      const found = await findConsoleSession(app, cookieOf(app, request), { isClick });
      if (found === null) return await goTo(`/sign-in${nextOf(request)}`);
      const { user, standing } = found;
      if (app.config.rateLimits) await limitUser(app, request, user.id);
      if (standing === 'in') shown = user;
      else if (!also.includes(standing)) return await goTo(`${FIRST[standing]}${nextOf(request)}`);
      const missing = missingPermission(app, request, found);
      if (missing !== null) return await send(403, refusedPage(language, missing, user));
      if (isHidden(request, user)) return await send(404, notFoundPage(language));
      if (request.method === 'POST' && !isFromOurPage(app, request)) return await send(403, stalePage(language));
      const by = userActor(user, clientNetwork(request.ip));
      return await handle(app, { app, ...found, by, language, request, reply, send, goTo });
    } catch (failure) {
      const problem = noteFailure(app, request, reply, failure);
      return send(CATALOGUE[problem.code].status, failurePage(language, problem, request));
    }
  };
}

/** Where a person is led who has not come further than the password. */
const FIRST: Record<Exclude<Standing, 'in'>, string> = { prove: '/prove', enrol: '/account/factors/totp' };

/**
 * For what moves money or people: null where the person has proved within PROOF_MINUTES who they are. Otherwise nothing is to be done,
 * and the answer leads to where they prove it and from there to `back`, a path below `/console` on which they can go on. Before the
 * first factor nothing but its own page is shown to them, so they sign in again.
 */
export function requireProof(app: App, { session, standing, goTo }: ConsoleVisit, back: string): FastifyReply | null {
  const where = standing === 'enrol' ? '/sign-in' : '/prove';
  return isProofDue(app, session) ? goTo(`${where}?next=${encodeURIComponent(back)}`) : null;
}

/** Whether a form comes from a page of this service: a browser says so itself, and no other site can make it. */
export function isFromOurPage(app: App, request: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host === request.host || origin === new URL(publicBase(app)).origin;
}

/** The access token of the session cookie; empty without one. Over https the name for http is not read, and the other way round. */
export function cookieOf(app: App, request: FastifyRequest): string {
  const sought = cookieName(app);
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim().split('='));
  return cookies.find(([name]) => name === sought)?.[1] ?? '';
}

function nextOf({ method, url }: FastifyRequest): string {
  const path = url.slice(url.indexOf('/console') + '/console'.length);
  return method === 'GET' && path !== '' ? `?next=${encodeURIComponent(path)}` : '';
}

/** A screen for which the table names no permission is for everybody who has signed in. */
function missingPermission(app: App, request: FastifyRequest, { user }: ConsoleSession): Permission | null {
  const { endpoint } = request.routeOptions.config as { endpoint?: Endpoint };
  const needed = endpoint?.needed;
  if (needed === undefined || mayAny(user.may, needed)) return null;
  const [permission] = needed;
  const by = userActor(user, clientNetwork(request.ip));
  countAct(app, { by, action: 'user.permission_refused', subject: { kind: 'permission', id: permission } });
  return permission;
}

/** Whether it is about all payment services, and the person sees only some. */
function isHidden(request: FastifyRequest, user: User): boolean {
  const { endpoint } = request.routeOptions.config as { endpoint?: Endpoint };
  return endpoint?.whole === true && user.environmentIds !== null;
}

function refusedPage(language: Language, permission: Permission, { email }: User): ConsolePage {
  const title = tell(language, 'refused.title');
  const means = (language === 'es' ? SPANISH_PERMISSIONS : PERMISSIONS)[permission];
  const main = html`<h1>${title}</h1>
<p>${tell(language, 'refused.text', { permission, means })}</p>
<pre>bin/rubrica user grant ${email} ${permission}</pre>`;
  return { title, main };
}

function stalePage(language: Language): ConsolePage {
  const title = tell(language, 'stale.title');
  return { title, main: html`<h1>${title}</h1><p>${tell(language, 'stale.text')}</p>` };
}

/** A page that says one thing, such as why a form was not taken. */
export function messagePage(text: string): ConsolePage {
  return { title: text, main: html`<p class="notice" role="alert">${text}</p>` };
}

/** Of something that is not there, or not for this person. */
export function notFoundPage(language: Language): ConsolePage {
  const title = tell(language, 'not_found.title');
  return { title, main: html`<h1>${title}</h1><p>${tell(language, 'not_found.text')}</p>` };
}

function failurePage(language: Language, { code, extras }: Problem, { id, method }: FastifyRequest): ConsolePage {
  if (CATALOGUE[code].status === 404) return notFoundPage(language);
  const title = tell(language, 'failure.title');
  const changed = code === 'CHANGED_IN_STORE' ? extras.detail?.[language] : undefined;
  const said = changed ?? tell(language, failureText(code, method), { request: id, address: extras.movedTo ?? '' });
  return { title, main: html`<h1>${title}</h1><p>${said}</p>` };
}

function failureText(code: ErrorCode, method: string): ConsoleText {
  if (code === 'PAYMENT_SERVICE_MOVED') return 'failure.moved';
  if (code === 'PAYMENT_SERVICE_MOVING') return 'failure.moving';
  return method === 'POST' && UNSURE.includes(code) ? 'failure.unsure' : 'failure.text';
}

/** After these a form may have done what it says: what is done anew could be done twice. */
const UNSURE: readonly ErrorCode[] = ['OUTCOME_UNKNOWN', 'INTERNAL'];

/** The payment service is in another database, or soon will be. */
export const MOVED: readonly ErrorCode[] = ['PAYMENT_SERVICE_MOVED', 'PAYMENT_SERVICE_MOVING'];
