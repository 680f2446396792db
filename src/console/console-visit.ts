import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { authenticateBearer } from '../auth/authenticate-bearer.ts';
import { PERMISSIONS, type Permission } from '../auth/permission.ts';
import type { User } from '../auth/user.ts';
import { publicBase } from '../checkout/pay-link.ts';
import type { Language } from '../checkout/texts.ts';
import { CATALOGUE, Problem } from '../error-catalogue.ts';
import { publicPath } from '../http/assets.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { html } from '../http/html.ts';
import { limitAddress, limitUser } from '../http/request-limits.ts';
import { noteFailure } from '../http/send-problem.ts';
import { visitLanguage } from './console-language.ts';
import { type ConsolePage, sendConsolePage } from './console-page.ts';
import { tell } from './console-texts.ts';

/** A person who has signed in and may see the screen. `send` answers with a page in their language. */
export type ConsoleVisit = {
  app: App;
  user: User;
  /** The cookie's access token. */
  token: string;
  language: Language;
  request: FastifyRequest;
  reply: FastifyReply;
  send: (status: number, page: ConsolePage) => FastifyReply;
  /** Away from the answer to a form, so that reloading sends it no second time. `path` is below `/console`. */
  goTo: (path: string) => FastifyReply;
};

const COOKIE = 'rubrica_console';

/** The header that lets this browser in until the session ends, or with an empty text no more. */
export function sessionCookie(app: App, token: string): string {
  const secure = publicBase(app).startsWith('https:') ? '; Secure' : '';
  const age = token === '' ? '; Max-Age=0' : '';
  return `${COOKIE}=${token}; Path=${publicPath(app)}/console; HttpOnly; SameSite=Lax${secure}${age}`;
}

/**
 * What the addresses under `/console` have in common: the person of the session cookie, the permission that the table of
 * endpoints names, and that a form comes from a page of ours. Without a session the person is led to the sign-in.
 */
export function consoleHandler(handle: (app: App, visit: ConsoleVisit) => Promise<FastifyReply>): Endpoint['handle'] {
  return async (app, request, reply) => {
    const language = visitLanguage(request);
    let user: User | null = null;
    const send = (status: number, page: ConsolePage) =>
      sendConsolePage(app, reply, { ...page, status, language, user, path: request.url });
    const goTo = (path: string) =>
      reply
        .code(303)
        .header('location', `${publicPath(app)}/console${path}`)
        .send();
    try {
      if (app.config.rateLimits) await limitAddress(app, request);
      const token = cookieOf(request);
      user = await personOf(app, token);
      if (user === null) return await goTo(`/sign-in${nextOf(request)}`);
      if (app.config.rateLimits) await limitUser(app, request, user.id);
      const missing = missingPermission(request, user);
      if (missing !== null) return await send(403, refusedPage(language, missing, user));
      if (isHidden(request, user)) return await send(404, notFoundPage(language));
      if (request.method === 'POST' && !isFromOurPage(app, request)) return await send(403, stalePage(language));
      return await handle(app, { app, user, token, language, request, reply, send, goTo });
    } catch (failure) {
      const { code } = noteFailure(app, request, reply, failure);
      const { status } = CATALOGUE[code];
      return send(status, failurePage(language, status, request.id));
    }
  };
}

/** Whether a form comes from a page of this service: a browser says so itself, and no other site can make it. */
export function isFromOurPage(app: App, request: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host === request.host || origin === new URL(publicBase(app)).origin;
}

/** The access token of the session cookie; empty without one. */
export function cookieOf(request: FastifyRequest): string {
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim().split('='));
  return cookies.find(([name]) => name === COOKIE)?.[1] ?? '';
}

async function personOf(app: App, token: string): Promise<User | null> {
  if (token === '') return null;
  return authenticateBearer(app, `Bearer ${token}`, undefined).catch((error: unknown) => {
    if (error instanceof Problem) return null;
    throw error;
  });
}

function nextOf({ method, url }: FastifyRequest): string {
  const path = url.slice(url.indexOf('/console') + '/console'.length);
  return method === 'GET' && path !== '' ? `?next=${encodeURIComponent(path)}` : '';
}

/** A screen for which the table names no permission is for everybody who has signed in. */
function missingPermission(request: FastifyRequest, user: User): Permission | null {
  const { endpoint } = request.routeOptions.config as { endpoint?: Endpoint };
  const permission = endpoint?.permission;
  return permission === undefined || user.may.has(permission) ? null : permission;
}

/** Whether it is about all payment services, and the person sees only some. */
function isHidden(request: FastifyRequest, user: User): boolean {
  const { endpoint } = request.routeOptions.config as { endpoint?: Endpoint };
  return endpoint?.whole === true && user.environmentIds !== null;
}

function refusedPage(language: Language, permission: Permission, { email }: User): ConsolePage {
  const title = tell(language, 'refused.title');
  const main = html`<h1>${title}</h1>
<p>${tell(language, 'refused.text', { permission, means: PERMISSIONS[permission] })}</p>
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

function failurePage(language: Language, status: number, request: string): ConsolePage {
  if (status === 404) return notFoundPage(language);
  const title = tell(language, 'failure.title');
  return { title, main: html`<h1>${title}</h1><p>${tell(language, 'failure.text', { request })}</p>` };
}
