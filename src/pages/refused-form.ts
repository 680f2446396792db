import type { FastifyReply, FastifyRequest } from 'fastify';
import { cancelUrl } from '../../protocol/field-grammar.ts';
import type { App } from '../app.ts';
import { payerLanguage, say } from '../checkout/texts.ts';
import { CATALOGUE, type Problem } from '../error-catalogue.ts';
import { publicPath } from '../http/assets.ts';
import { html } from '../http/html.ts';
import { sendPage } from '../http/page.ts';
import { wordsOf } from '../http/problem-words.ts';
import { endpointAddress } from '../outbox/endpoints/endpoint-address.ts';

/** The shop's addresses for its payer, from a signed request. */
export type SignedUrls = { x_url_cancel: string; x_url_complete: string };

/**
 * Tells a payer that the payment of a form could not start, with a link back to the shop. Tells the shop's developer
 * the reason. `urls` is null when the form's author is unknown: then the page has no link back.
 */
export function sendRefusedForm(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  urls: SignedUrls | null,
): FastifyReply {
  const { code } = problem;
  const { status } = CATALOGUE[code];
  const language = payerLanguage(request.headers['accept-language']);
  const title = say(language, 'form.title');
  const back = urls === null ? null : wayBack(urls);
  const kind = code === 'REFERENCE_CONFLICT' ? 'conflict' : status >= 500 ? 'failed' : 'refused';
  const { detail, errors } = wordsOf(problem, language);
  const causes = errors.map(({ message, fix: mend }) => html`<li>${message} ${mend}</li>`);
  const main = html`
<h1>${title}</h1>
<p>${say(language, `form.${kind}`)}</p>
${
  back === null
    ? html`<p>${say(language, 'form.no_way')}</p>`
    : html`<p><a class="primary" href="${back}">${say(language, 'return.button')}</a></p>`
}
<p class="quiet">${say(language, 'failure.request', { request: request.id })}</p>
<details class="quiet">
<summary>${say(language, 'form.details')}</summary>
<p><a href="${publicPath(app)}/errors/${code}"><code>${code}</code></a> ${detail}</p>
${causes.length > 1 && html`<ul>${causes}</ul>`}
</details>`;
  return sendPage(app, reply, { status, language, title, main });
}

/** Returns `x_url_cancel`; or the shop's root if that address is its result page, which accepts only a post. */
function wayBack(urls: SignedUrls): string | null {
  const url = URL.parse(cancelUrl(urls) ?? '');
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
  const isResultPage =
    URL.canParse(urls.x_url_complete) && endpointAddress(urls.x_url_complete) === url.origin + url.pathname;
  return isResultPage ? `${url.origin}/` : url.href;
}
