import { publicPath } from '../../http/assets.ts';
import { html } from '../../http/html.ts';
import { sendPage } from '../../http/page.ts';
import { SAMPLE_STAGES, samplePage } from '../../pages/sample-page.ts';
import { findEnvironmentById } from '../../payment-services/find-environment.ts';
import { readLook } from '../../payment-services/set-look.ts';
import { ISOLATED } from '../console-page.ts';
import { tell } from '../console-texts.ts';
import { consoleHandler, notFoundPage } from '../console-visit.ts';
import { merchantOf } from './visible-merchants.ts';

/**
 * Shows the pages of a payment as the merchant's payers see them, with a sample order. Every button leads back to this
 * page.
 */
export const getConsoleLookPreview = consoleHandler(async (app, visit) => {
  const { language, request, reply, send } = visit;
  const merchant = await merchantOf(app, visit);
  const token = merchant?.tokens.find((one) => one.environment === app.config.mode) ?? merchant?.tokens.at(-1);
  const environment = token === undefined ? null : await findEnvironmentById(app, token.environment_id);
  if (merchant === null || environment === null) return send(404, notFoundPage(language));
  const { stage: asked } = request.query as Record<string, unknown>;
  const stage = SAMPLE_STAGES.find((one) => one === asked) ?? 'payable';
  const at = `${publicPath(app)}/console/merchants/${merchant.id}/look`;
  const look = await readLook(app.db, merchant.id);
  const page = samplePage(app, { environment, look, stage }, language, `${at}/preview`);
  const links = SAMPLE_STAGES.map(
    (one) =>
      html`<a href="${at}/preview?stage=${one}"${one === stage && html` aria-current="page"`}>${tell(language, `shop_page.preview_${one}`)}</a>`,
  );
  const nav = html`<nav class="preview" aria-label="${tell(language, 'shop_page.preview')}">${links}<a href="${at}">${tell(language, 'shop_page.preview_back')}</a></nav>`;
  return sendPage(app, reply.headers(ISOLATED), { ...page, status: 200, nav });
});
