import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { payerLanguage } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import type { Screen } from '../../http/endpoint.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { clientNetwork } from '../../lib/network/client-network.ts';
import { type HandedTokens, isHandoverWaiting, openHandover } from '../../payment-services/open-handover.ts';
import { sendConsolePage } from '../console-page.ts';
import { type ConsoleText, tell } from '../console-texts.ts';

/** Asks for a click first, so that a program that previews links does not use the link up. */
export const getTokenLink: Screen = async (app, request, reply) => {
  if (!(await isHandoverWaiting(app, linkOf(request)))) return sendGone(app, request, reply);
  const language = languageOf(request);
  return sendLinkPage(
    app,
    request,
    reply,
    200,
    'link.page_title',
    {},
    html`<p>${tell(language, 'link.page_text')}</p>
<form method="post" action="${publicPath(app)}/hand-over/${linkOf(request)}"><p class="actions"><button class="primary">${tell(language, 'link.open')}</button></p></form>`,
  );
};

/** Shows the tokens once. */
export const postTokenLink: Screen = async (app, request, reply) => {
  const tokens = await openHandover(app, linkOf(request), clientNetwork(request.ip));
  if (tokens === null) return sendGone(app, request, reply);
  const language = languageOf(request);
  const values = { name: tokens.name, environment: tell(language, `merchant.${tokens.environment}`) };
  return sendLinkPage(app, request, reply, 200, 'link.opened_title', values, tokenFacts(app, language, tokens));
};

function tokenFacts(app: App, language: Language, { service_token, secret_token }: HandedTokens): Html {
  return html`<p class="notice">${tell(language, 'link.opened_text')}</p>
<h2>${tell(language, 'merchant.service_token')}</h2><pre>${service_token}</pre>
<h2>${tell(language, 'merchant.secret')}</h2><pre>${secret_token}</pre>
<p><a href="${publicPath(app)}/docs">${publicPath(app)}/docs</a></p>`;
}

function sendGone(app: App, request: FastifyRequest, reply: FastifyReply) {
  const text = html`<p>${tell(languageOf(request), 'link.gone_text')}</p>`;
  return sendLinkPage(app, request, reply, 404, 'link.gone_title', {}, text);
}

function sendLinkPage(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  heading: ConsoleText,
  values: Record<string, string>,
  below: Html,
) {
  const language = languageOf(request);
  const title = tell(language, heading, values);
  const main = html`<h1>${title}</h1>${below}`;
  return sendConsolePage(app, reply, { title, main, status, language, user: null, path: '/console' });
}

function languageOf({ headers }: FastifyRequest): Language {
  return payerLanguage(headers['accept-language']);
}

/** Below `/tokens` the beginning of the link is a part of the path. */
function linkOf({ params }: FastifyRequest): string {
  const { link } = params as { link: string };
  return link.startsWith('th_') ? link : `th_${link}`;
}
