import { publicBase } from '../../checkout/pay-link.ts';
import { publicPath } from '../../http/assets.ts';
import { html } from '../../http/html.ts';
import { endHandover, handOverTokens } from '../../payment-services/hand-over-tokens.ts';
import { selectHandover } from '../../payment-services/handover-queries.ts';
import { minuteOf } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import { consoleHandler, notFoundPage, requireProof } from '../console-visit.ts';
import { fieldsOf } from '../sign-in.ts';
import { provedPath } from './merchant-page.ts';
import { merchantIn, merchantOf } from './visible-merchants.ts';

const DAY_MS = 86_400_000;
const VALID: ReadonlyMap<string | undefined, number> = new Map([
  ['1d', DAY_MS],
  ['3d', 3 * DAY_MS],
  ['7d', 7 * DAY_MS],
]);

/**
 * Creates a link that shows the tokens of an environment once, and shows the link. The id in the form makes a second
 * click the same link.
 */
export const postConsoleHandOver = consoleHandler(async (app, visit) => {
  const { language, by, request, send } = visit;
  const fields = fieldsOf(request);
  const named = await merchantIn(app, visit, fields['environment']);
  if (named === null) return send(404, notFoundPage(language));
  const { merchant, environment } = named;
  const asked = requireProof(app, visit, provedPath(merchant.id));
  if (asked !== null) return asked;
  const valid = VALID.get(fields['valid']) ?? DAY_MS;
  const { id = '' } = fields;
  const target = { paymentServiceId: merchant.id, environment };
  const made = await handOverTokens(app, target, valid, by, /^th_[0-9a-z]{20}$/.test(id) ? id : undefined);
  if (made === null) return send(404, notFoundPage(language));
  const title = tell(language, 'link.made_title', { name: merchant.name });
  const main = html`<h1>${title}</h1>
<p>${tell(language, `merchant.${environment}`)}. ${tell(language, 'link.made_text', { time: minuteOf(made.ends_at) })}</p>
<pre>${publicBase(app)}/hand-over/${made.link}</pre>
<p class="actions"><a class="button" href="${publicPath(app)}/console/merchants/${merchant.id}">${merchant.name}</a></p>`;
  return send(200, { title, main });
});

/** Ends a link that nobody has opened. */
export const postConsoleEndLink = consoleHandler(async (app, visit) => {
  const { language, by, request, send, goTo } = visit;
  const merchant = await merchantOf(app, visit);
  const { link: id = '' } = fieldsOf(request);
  const link = await selectHandover(app.db, id);
  // `merchant.tokens` has only the environments that the person sees.
  if (merchant === null || !merchant.tokens.some((tokens) => tokens.environment_id === link?.environment_id))
    return send(404, notFoundPage(language));
  const ended = await endHandover(app, { id }, by);
  return goTo(`/merchants/${merchant.id}?done=${ended ? 'link-ended' : 'link-gone'}`);
});
