import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { findPayment, type Payment } from '../checkout/find-payment.ts';
import { noteReturn } from '../checkout/note-return.ts';
import { payerLanguage, say } from '../checkout/texts.ts';
import { CATALOGUE } from '../error-catalogue.ts';
import { publicPath } from '../http/assets.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { html } from '../http/html.ts';
import { type PageContent, sendPage } from '../http/page.ts';
import { limitAddress } from '../http/request-limits.ts';
import { noteFailure } from '../http/send-problem.ts';
import type { Language } from '../lib/language.ts';
import { payToken } from '../transactions/transaction.ts';
import { payPage, type Refusal } from './pay-page.ts';

/** A payer's request with a valid link. `send` responds with a page in the payer's language. */
export type PayVisit = {
  payment: Payment;
  language: Language;
  request: FastifyRequest;
  reply: FastifyReply;
  send: (status: number, page: PageContent) => FastifyReply;
};

/**
 * The common part of the payers' addresses: it finds the payment or link and the language, and turns every error into a
 * page.
 */
type PayerPages<Found> = {
  /** Finds the payment or link of the address. Null gives a page that says that the link does not exist. */
  find: (app: App, name: string) => Promise<Found | null>;
  parameter: 'token' | 'id';
  /** The address for another try after an error. */
  path: (app: App, name: string) => string;
  handle: (app: App, visit: PayerVisit<Found>) => Promise<FastifyReply>;
};

type PayerVisit<Found> = Omit<PayVisit, 'payment'> & { found: Found };

/** Returns a handler that always responds to a payer with a page, also for an unknown link or an error. */
export function payerHandler<Found>({ find, parameter, path, handle }: PayerPages<Found>): Endpoint['handle'] {
  return async (app, request, reply) => {
    const language = payerLanguage(request.headers['accept-language']);
    const send = (status: number, page: PageContent) => sendPage(app, reply, { ...page, status });
    const name = (request.params as Record<string, string>)[parameter] ?? '';
    try {
      if (app.config.rateLimits) await limitAddress(app, request);
      const found = await find(app, name);
      if (found !== null) return await handle(app, { found, language, request, reply, send });
      return await send(404, notFoundPage(language));
    } catch (failure) {
      const problem = noteFailure(app, request, reply, failure);
      const { status } = CATALOGUE[problem.code];
      const { movedTo } = problem.extras;
      if (movedTo !== undefined && isRead(request)) return reply.redirect(`${movedTo}${ownPath(app, request)}`, 307);
      return send(status, failurePage(request, language, { status, again: path(app, name) }));
    }
  };
}

/** Does the same for addresses under `/pay/{token}`. */
export function payHandler(handle: (app: App, visit: PayVisit) => Promise<FastifyReply>): Endpoint['handle'] {
  return payerHandler<Payment>({
    find: findPayment,
    parameter: 'token',
    path: (app, token) => `${publicPath(app)}/pay/${encodeURIComponent(token)}`,
    handle: (app, { found: payment, ...visit }) => handle(app, { payment, ...visit }),
  });
}

/** Sends the page of the payment in its current state. */
export async function sendPayPage(
  app: App,
  { payment, language, request, send }: Pick<PayVisit, 'payment' | 'language' | 'request' | 'send'>,
  status: number,
  said: Parameters<typeof payPage>[3] = {},
): Promise<FastifyReply> {
  const isFirstReturn = !isPreview(request) && (await noteReturn(app, payment));
  return send(status, payPage(app, payment, language, { ...said, isFirstReturn }));
}

/** Programs that fetch a link from a chat or a mail and bring nothing to the shop. Cubot makes phones. */
const PREVIEWS = /(?<!cu)bot\b|crawler|spider|externalhit|preview|whatsapp/i;

/** Whether no browser will show the page: if a preview counted as the payer's return, a refused callback gave no alarm. */
function isPreview({ method, headers }: FastifyRequest): boolean {
  const purpose = String(headers['sec-purpose'] ?? headers['purpose'] ?? '');
  return method === 'HEAD' || purpose.includes('prefetch') || PREVIEWS.test(headers['user-agent'] ?? '');
}

/** Reads the payment again and sends its page with the reason of a refusal. */
export async function sendRefusal(app: App, visit: PayVisit, refusal: Refusal): Promise<FastifyReply> {
  const payment = await findPayment(app, payToken(visit.payment.transaction));
  if (payment === null) return visit.send(404, notFoundPage(visit.language));
  if (refusal === 'RATE_LIMITED') visit.reply.header('retry-after', '600');
  return sendPayPage(app, { ...visit, payment }, CATALOGUE[refusal].status, { refusal });
}

/**
 * Only reads are redirected to the new address of a moved payment service. For a posted form, the page must first be
 * loaded there.
 */
function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Returns the path and query of a request without the base path. */
function ownPath(app: App, { raw }: FastifyRequest): string {
  const url = raw.url ?? '/';
  const prefix = app.config.basePaths.find((base) => url.startsWith(`${base}/`)) ?? '';
  return url.slice(prefix.length);
}

/** The page is the same for an unknown token and for a wrong secret part. */
function notFoundPage(language: Language): PageContent {
  const title = say(language, 'not_found.title');
  return { language, title, main: html`<h1>${title}</h1><p>${say(language, 'not_found.text')}</p>` };
}

function failurePage(
  request: FastifyRequest,
  language: Language,
  { status, again }: { status: number; again: string },
): PageContent {
  const kind = status >= 500 ? 'failure' : 'refused';
  const title = say(language, `${kind}.title`);
  const main = html`
<h1>${title}</h1>
<p>${say(language, `${kind}.text`)}</p>
<p class="quiet">${say(language, 'failure.request', { request: request.id })}</p>
<p><a class="primary" href="${again}">${say(language, 'failure.again')}</a></p>`;
  return { language, title, main };
}
