import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { countAct } from '../audit/count-acts.ts';
import { mayAny, type Needed, type Permission } from '../auth/permission.ts';
import { requestActor } from '../auth/person-of.ts';
import { type ConsoleSession, findConsoleSession, isProofDue, type Standing } from '../auth/sign-in/console-session.ts';
import type { SessionRow } from '../auth/sign-in/session-queries.ts';
import type { User } from '../auth/user.ts';
import { userActor } from '../auth/user-actor.ts';
import { publicBase } from '../checkout/pay-link.ts';
import { StorageError } from '../db/database.ts';
import { findHeld } from '../epochs/hold.ts';
import { CATALOGUE, type ErrorCode, type Problem } from '../error-catalogue.ts';
import { publicPath } from '../http/assets.ts';
import type { Screen } from '../http/endpoint.ts';
import { html } from '../http/html.ts';
import { limitAddress, limitUser } from '../http/request-limits.ts';
import { noteFailure } from '../http/send-problem.ts';
import type { Language } from '../lib/language.ts';
import { clientNetwork } from '../lib/network/client-network.ts';
import { visitLanguage } from './console-language.ts';
import { type ConsolePage, sendConsolePage } from './console-page.ts';
import { type ConsoleText, tell } from './console-texts.ts';
import { exportInTurn } from './export-in-turn.ts';
import { alertNotice } from './notice.ts';
import { whoMay } from './permission-texts.ts';

/** A request of a person who has signed in and may see the screen. `send` sends a page in their language. */
export type ConsoleVisit = {
  app: App;
  user: User;
  session: SessionRow;
  standing: Standing;
  /** The person, as the audit log records them. */
  by: Actor;
  language: Language;
  request: FastifyRequest;
  reply: FastifyReply;
  send: (status: number, page: ConsolePage) => FastifyReply;
  /** Redirects after a form, so that reloading does not submit it again. `path` is below `/console`. */
  goTo: (path: string) => FastifyReply;
};

const COOKIE = 'rubrica_console';

/**
 * Returns the cookie header that keeps this browser signed in until the session ends; with an empty token, the header
 * that deletes the cookie. Over https the name begins with `__Host-`: no subdomain and no response over plain http can
 * set or replace such a cookie. It is SameSite=Lax, so a link to a payment in a mail or a chat opens signed in;
 * `isFromOurPage` refuses every form of another site, with any cookie.
 */
export function sessionCookie(app: App, token: string): string {
  const scope = isOverHttps(app) ? 'Path=/; Secure' : `Path=${publicPath(app)}/console`;
  const age = token === '' ? '; Max-Age=0' : '';
  return `${cookieName(app)}=${token}; ${scope}; HttpOnly; SameSite=Lax${age}`;
}

/** Whether browsers reach the console over https, according to PUBLIC_URL. */
export function isOverHttps(app: App): boolean {
  return publicBase(app).startsWith('https:');
}

/** Two services on one host have different base paths. Because of `Path=/` each needs a separate cookie name. */
function cookieName(app: App): string {
  return isOverHttps(app) ? `__Host-${COOKIE}${publicPath(app).replace(/\W/g, '-')}` : COOKIE;
}

/**
 * Wraps the handler of a screen: finds the person by the session cookie, checks the permissions in the table of
 * endpoints, and checks that a form comes from a page of this service. Without a session it redirects to the sign-in;
 * before the second factor, to the page of the factor, unless `also` has that standing. `signedOut` may answer a person
 * without a session in place of the redirect; null: it does not.
 */
export function consoleHandler(
  handle: (app: App, visit: ConsoleVisit) => Promise<FastifyReply>,
  also: readonly Standing[] = [],
  signedOut: (app: App, request: FastifyRequest, reply: FastifyReply) => FastifyReply | null = () => null,
): Screen {
  return async (app, request, reply) => {
    const language = visitLanguage(request);
    let shown: User | null = null;
    let isHeld = false;
    const send = (status: number, page: ConsolePage) => {
      const { again = pathAbove(request) } = page;
      return sendConsolePage(app, reply, { ...page, again, status, language, user: shown, isHeld, path: request.url });
    };
    const goTo = (path: string) =>
      reply
        .code(303)
        .header('location', `${publicPath(app)}/console${path}`)
        .send();
    try {
      if (app.config.rateLimits) await limitAddress(app, request);
      const isClick = request.headers['sec-fetch-dest'] !== 'empty';
      const found = await findConsoleSession(app, cookieOf(app, request), { isClick });
      if (found === null) return await (signedOut(app, request, reply) ?? goTo(signInPath(app, request)));
      const { user, standing } = found;
      if (app.config.rateLimits) await limitUser(app, request, user.id);
      if (standing === 'in') [shown, isHeld] = [user, user.role !== 'merchant' && (await findHeld(app)) !== null];
      else if (!also.includes(standing)) return await goTo(`${FIRST[standing]}${nextOf(request)}`);
      const missing = lackedPermission(app, request, found);
      if (missing !== null) return await send(403, refusedPage(language, missing, user));
      const whole = wholePermission(request, user);
      if (whole !== null) return await send(404, wholePage(language, whole));
      if (request.method === 'POST' && !isFromOurPage(app, request)) return await send(403, stalePage(language));
      const acting = { ...user, sessionId: found.session.id };
      const by = requestActor(acting, clientNetwork(request.ip), neededFor(request));
      const visit = { app, ...found, by, language, request, reply, send, goTo };
      return await exportInTurn(app, visit, () => handle(app, visit));
    } catch (failure) {
      const problem = noteFailure(app, request, reply, failure);
      return send(CATALOGUE[problem.code].status, failurePage(language, problem, request));
    }
  };
}

/** The page for a person who has given only the password. */
const FIRST: Record<Exclude<Standing, 'in'>, string> = { prove: '/prove', enrol: '/account/factors/totp' };

/**
 * Guards screens that move money or change people. Returns null if the person proved their identity in the last
 * PROOF_MINUTES. Otherwise the caller must do nothing: the returned redirect asks for the proof and then leads to
 * `back`, a path below `/console`. A person without a factor must sign in again, because before the first factor they
 * see only the page that adds it. A path that the proof would not lead to, because too much was typed, loses its query.
 */
export function requireProof(app: App, { session, standing, goTo }: ConsoleVisit, back: string): FastifyReply | null {
  const where = standing === 'enrol' ? '/sign-in' : '/prove';
  const next = back.length > MOST_NEXT ? back.replace(/\?.*/s, '') : back;
  return isProofDue(app, session) ? goTo(`${where}?next=${encodeURIComponent(next)}`) : null;
}

/** The longest path that a sign-in or a proof leads to: the headers of a request have 8 KiB. */
export const MOST_NEXT = 2_500;

/**
 * Runs an act that has several commits. If the database fails between them, the person reads that it may have been
 * done, because a part of it was.
 */
export async function inParts<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    const isPart = error instanceof StorageError && ['STORAGE_UNAVAILABLE', 'STORAGE_FULL'].includes(error.code);
    throw isPart ? new StorageError('OUTCOME_UNKNOWN', error) : error;
  }
}

/** Whether a form comes from a page of this service. The browser sets these headers; another site cannot forge them. */
export function isFromOurPage(app: App, request: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined || !URL.canParse(origin)) return false;
  return new URL(origin).host === request.host || origin === new URL(publicBase(app)).origin;
}

/**
 * Returns the access token in the session cookie, or an empty text. Over https it ignores the cookie name for http, and
 * vice versa.
 */
export function cookieOf(app: App, request: FastifyRequest): string {
  const sought = cookieName(app);
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim().split('='));
  return cookies.find(([name]) => name === sought)?.[1] ?? '';
}

function nextOf(request: FastifyRequest): string {
  const path = pathBelow(request);
  return request.method === 'GET' && path !== '' ? `?next=${encodeURIComponent(path)}` : '';
}

function pathBelow({ url }: FastifyRequest): string {
  return url.slice(url.indexOf('/console') + '/console'.length);
}

/**
 * Returns the address of a request, or for a form whose address cannot be opened, the nearest one above it that can.
 */
function pathAbove(request: FastifyRequest): string {
  const { server, method, routeOptions } = request;
  let [pattern = '', path] = [routeOptions.url, pathBelow(request)];
  while (method === 'POST' && pattern.includes('/console/') && !server.hasRoute({ method: 'GET', url: pattern })) {
    pattern = pattern.slice(0, pattern.lastIndexOf('/'));
    path = (path.split('?')[0] ?? '').replace(/\/[^/]*$/, '');
  }
  return path;
}

/**
 * Returns the path of the sign-in page for a person without a session. After a form the page says that nothing was
 * done, and leads back to the form's address, or to the nearest one above it that can be opened.
 */
function signInPath(app: App, request: FastifyRequest): string {
  if (request.method !== 'POST' || !isFromOurPage(app, request)) return `/sign-in${nextOf(request)}`;
  const [path] = pathAbove(request).split('?');
  return `/sign-in?ended=form${path ? `&next=${encodeURIComponent(path)}` : ''}`;
}

/**
 * Returns the permission that the person lacks, and counts the refusal. A screen without permissions in the table is
 * open to everyone who has signed in.
 */
function lackedPermission(app: App, request: FastifyRequest, { user }: ConsoleSession): Permission | null {
  const needed = neededFor(request);
  if (needed === undefined || mayAny(user.may, needed)) return null;
  const [permission] = needed;
  const by = userActor(user, clientNetwork(request.ip));
  countAct(app, { by, action: 'user.permission_refused', subject: { kind: 'permission', id: permission } });
  return permission;
}

function neededFor(request: FastifyRequest): Needed | undefined {
  const { endpoint } = request.routeOptions.config;
  return endpoint?.needed;
}

/** Returns the permission of a screen that covers all payment services, if the person sees only some of them. */
function wholePermission(request: FastifyRequest, user: User): Permission | null {
  const { endpoint } = request.routeOptions.config;
  return endpoint?.whole === true && user.environmentIds !== null ? endpoint.needed[0] : null;
}

function refusedPage(language: Language, permission: Permission, { email }: User): ConsolePage {
  const title = tell(language, 'refused.title');
  const main = html`<h1>${title}</h1>
<p>${tell(language, 'refused.text', { permission, who: whoMay(language, permission) })}</p>
<p>${tell(language, 'refused.giver', { giver: whoMay(language, 'users:manage') })}</p>
<pre>bin/rubrica user grant ${email} ${permission}</pre>`;
  return { title, main };
}

function wholePage(language: Language, permission: Permission): ConsolePage {
  const title = tell(language, 'whole.title');
  const said = tell(language, 'whole.text', { who: whoMay(language, permission) });
  return { title, main: html`<h1>${title}</h1><p>${said}</p>` };
}

function stalePage(language: Language): ConsolePage {
  const title = tell(language, 'stale.title');
  return { title, main: html`<h1>${title}</h1><p>${tell(language, 'stale.text')}</p>` };
}

/** Returns a page with one sentence, such as the reason why a form was refused. */
export function messagePage(text: string): ConsolePage {
  return { title: text, main: alertNotice(text) };
}

/** Returns the page for something that does not exist or that the person may not see. */
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
  if (code === 'MORE_THAN_YOURS') return 'people.more';
  if (code === 'OVERLOADED') return 'failure.busy';
  if (code === 'TOKEN_INVALID') return 'failure.session';
  if (LOST_RIGHTS.includes(code)) return 'failure.rights';
  return method === 'POST' && UNSURE.includes(code) ? 'failure.unsure' : 'failure.text';
}

/** Somebody took a right away while the form waited for its commit. */
const LOST_RIGHTS: readonly ErrorCode[] = ['PERMISSION_MISSING', 'PAYOUTS_NOT_ENABLED'];

/** After these errors a form may have taken effect, so submitting it again could do it twice. */
const UNSURE: readonly ErrorCode[] = ['OUTCOME_UNKNOWN', 'INTERNAL'];
