import type { App } from '../app.ts';
import { formatAmount } from '../checkout/format-for-payer.ts';
import { payUrl } from '../checkout/pay-link.ts';
import { say } from '../checkout/texts.ts';
import { publicPath } from '../http/assets.ts';
import type { Operation } from '../http/endpoint.ts';
import { html } from '../http/html.ts';
import type { PageContent } from '../http/page.ts';
import { drawQr } from '../http/qr-code.ts';
import type { Language } from '../lib/language.ts';
import { findPaymentLink, linkUrl, type OpenLink } from '../payment-links/find-payment-link.ts';
import { payPaymentLink } from '../payment-links/pay-payment-link.ts';
import { payerHandler } from './pay-visit.ts';
import { amountHeading, outcome } from './payment-summary.ts';
import { payerFrame } from './shop-frame.ts';

/** Handles addresses under `/link/{id}`. The payer gets a page, also for an error. */
const linkHandler = (handle: Parameters<typeof payerHandler<OpenLink>>[0]['handle']) =>
  payerHandler<OpenLink>({
    find: findPaymentLink,
    parameter: 'id',
    path: (app, id) => `${publicPath(app)}/link/${encodeURIComponent(id)}`,
    handle,
  });

/** Shows the amount of a link, with a button. A GET changes nothing, because link previews fetch the page too. */
export const getLink: Operation = {
  handle: linkHandler(async (app, { found, language, send }) =>
    send(found.state === 'open' ? 200 : 410, pageOf(app, found, language)),
  ),
};

/** Creates a transaction for the link and redirects to its pay page. */
export const postLink: Operation = {
  handle: linkHandler(async (app, { found, language, reply, send }) => {
    if (found.state !== 'open') return send(410, pageOf(app, found, language));
    const transaction = await payPaymentLink(app, found);
    if (transaction === 'held') return send(503, heldPage(app, found, language));
    return reply.code(303).header('location', payUrl(app, transaction)).send();
  }),
};

/** Returns the address of a link as a QR code, an SVG image. */
export const getLinkQr: Operation = {
  handle: linkHandler(async (app, { found, reply }) =>
    reply
      .header('content-type', 'image/svg+xml')
      .header('content-disposition', `inline; filename="${found.link.id}.svg"`)
      .send((await drawQr(linkUrl(app, found.link))).text),
  ),
};

/** Shows a page to print and hang up. */
export const getLinkPoster: Operation = {
  handle: linkHandler(async (app, { found, language, send }) => {
    if (found.state !== 'open') return send(410, pageOf(app, found, language));
    const { link } = found;
    const url = linkUrl(app, link);
    const main = html`
<p class="quiet">${say(language, 'link.scan')}</p>
<img class="qr" src="${publicPath(app)}/link/${link.id}/qr.svg" alt="${say(language, 'link.qr', { url })}" width="320" height="320">
<div class="poster">
<h1>${link.subject}</h1>
<p><strong>${amountOfLink(found, language)}</strong></p>
<p class="quiet">${url}</p>
</div>
<button type="button" class="secondary print" hidden>${say(language, 'receipt.print')}</button>`;
    return send(200, { ...payerFrame(app, found, language), title: link.subject, main, script: 'submit-form.js' });
  }),
};

function pageOf(app: App, open: OpenLink, language: Language): PageContent {
  const frame = payerFrame(app, open, language);
  const { link, environment, look, state } = open;
  const merchant = environment.paymentServiceName;
  if (state !== 'open') {
    const title = say(language, `link.${state}.title`);
    const text = say(language, `link.${state}.text`, { contact: look.contact ?? merchant });
    return { ...frame, title, main: outcome(state === 'used' ? 'good' : 'neutral', title, text) };
  }
  const amount = amountOfLink(open, language);
  const main = html`
<section class="sheet">
${amountHeading(amount, language)}
<p class="order">${link.subject}</p>
</section>
<form method="post" action="${publicPath(app)}/link/${link.id}"><button class="primary">${say(language, 'link.pay')}</button></form>`;
  return { ...frame, title: say(language, 'payable.title', { amount, merchant }), main, sheets: true };
}

function heldPage(app: App, open: OpenLink, language: Language): PageContent {
  const title = say(language, 'link.held.title');
  return {
    ...payerFrame(app, open, language),
    title,
    main: outcome('neutral', title, say(language, 'link.held.text')),
  };
}

function amountOfLink({ link }: OpenLink, language: Language): string {
  return formatAmount(language, link.amount, link.currency);
}
