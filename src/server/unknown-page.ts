import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { payerLanguage, say } from '../checkout/texts.ts';
import { visitLanguage } from '../console/console-language.ts';
import { publicPath } from '../http/assets.ts';
import { html } from '../http/html.ts';
import { sendPage } from '../http/page.ts';
import { answerLanguage, wordsOf } from '../http/problem-words.ts';
import { noteFailure, sendFailure, statusOf } from '../http/send-problem.ts';

/** Answers an unknown address. A browser gets a page, because a payer may have cut a link. */
export function sendUnknown(app: App, request: FastifyRequest, reply: FastifyReply, failure: unknown): FastifyReply {
  if (!isBrowser(request)) return sendFailure(app, request, reply, failure);
  noteFailure(app, request, reply, failure);
  const language = payerLanguage(request.headers['accept-language']);
  const title = say(language, 'unknown.title');
  const main = html`<h1>${title}</h1><p>${say(language, 'not_found.text')}</p>`;
  return sendPage(app, reply, { status: 404, language, title, main });
}

/** Where a person continues after a page that could not be shown: the console or the documentation. */
export type Start = '/console' | '/docs';

/**
 * Sends a refusal of a page's request, such as of a file that is too large: as a page to a browser, as JSON to others.
 */
export function sendRefusedPage(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  failure: unknown,
  start: Start,
): FastifyReply {
  if (!isBrowser(request)) return sendFailure(app, request, reply, failure);
  const problem = noteFailure(app, request, reply, failure);
  const language = start === '/console' ? visitLanguage(request) : answerLanguage(request.headers['accept-language']);
  const { title, detail } = wordsOf(problem, language);
  const main = html`<h1>${title}</h1><p>${detail}</p>
<p><a class="primary" href="${publicPath(app)}${start}">${BACK[start][language]}</a></p>`;
  return sendPage(app, reply, { status: statusOf(problem), language, title, main });
}

const BACK = {
  '/console': { es: 'Volver a la consola', en: 'Back to the console' },
  '/docs': { es: 'Ir a la documentación', en: 'Go to the documentation' },
} as const;

/** Returns whether the client asks for a page. */
export function isBrowser({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '');
}
