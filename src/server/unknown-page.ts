import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { payerLanguage, say } from '../checkout/texts.ts';
import type { Problem } from '../error-catalogue.ts';
import { html } from '../http/html.ts';
import { sendPage } from '../http/page.ts';
import { noteFailure, sendFailure } from '../http/send-problem.ts';

/** Answers at an address that there is not: to a browser, where a payer may have cut a link, with a page. */
export function sendUnknown(app: App, request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
  if (!/\btext\/html\b/i.test(request.headers.accept ?? '')) return sendFailure(app, request, reply, problem);
  noteFailure(app, request, reply, problem);
  const language = payerLanguage(request.headers['accept-language']);
  const title = say(language, 'unknown.title');
  const main = html`<h1>${title}</h1><p>${say(language, 'not_found.text')}</p>`;
  return sendPage(app, reply, { status: 404, language, title, main });
}
