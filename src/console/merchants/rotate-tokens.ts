import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import { html } from '../../http/html.ts';
import type { ListedPaymentService } from '../../payment-services/list-payment-services.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { type Rotation, rotateSecretToken } from '../../payment-services/rotate-secret-token.ts';
import { minuteOf } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage, requireProof } from '../console-visit.ts';
import { fieldsOf } from '../sign-in.ts';
import { sendMerchant } from './merchant-page.ts';
import { merchantIn } from './visible-merchants.ts';

const HOUR_MS = 3_600_000;
const OVERLAPS: ReadonlyMap<string | undefined, number> = new Map([
  ['24h', 24 * HOUR_MS],
  ['7d', 168 * HOUR_MS],
  ['0', 0],
]);

/** Asks how long the present Secret Token stays valid next to the new one. */
export const getConsoleRotate = consoleHandler(async (app, visit) => {
  const { language, request, send } = visit;
  const { environment: name } = request.query as Record<string, unknown>;
  const named = await merchantIn(app, visit, name);
  const current = named?.merchant.tokens.find(
    (token) => token.environment === named.environment && token.closes_at === null,
  );
  if (named === null || current === undefined) return send(404, notFoundPage(language));
  const { merchant, environment } = named;
  const asked = requireProof(app, visit, questionPath(merchant, environment));
  if (asked !== null) return asked;
  const { last_used_at: used, secret_id } = current;
  const time = used === null ? tell(language, 'merchant.never_used') : minuteOf(used);
  const title = headingOf(visit, 'rotate.title', merchant, environment);
  const at = `${publicPath(app)}/console/merchants/${merchant.id}`;
  const main = html`<h1>${title}</h1>
<p>${tell(language, 'rotate.text')} ${tell(language, 'rotate.last_used', { time })}</p>
<form class="card pad" method="post" action="${at}/rotate">
<input type="hidden" name="environment" value="${environment}"><input type="hidden" name="secret" value="${secret_id}">
<fieldset><legend>${tell(language, 'rotate.overlap')}</legend>
${(['24h', '7d', '0'] as const).map((overlap) => html`<label class="inline"><input type="radio" name="overlap" value="${overlap}"${overlap === '24h' && html` checked`}> ${tell(language, `rotate.overlap_${overlap}`)}</label>`)}
</fieldset>
<p class="actions"><button class="primary">${tell(language, 'rotate.confirm')}</button> <a class="button" href="${at}">${tell(language, 'refund.back')}</a></p>
</form>`;
  return send(200, { title, main });
});

/** Creates a new Secret Token and shows it once. Submitting the form twice rotates once. */
export const postConsoleRotate = consoleHandler(async (app, visit) => {
  const { language, by, request, send } = visit;
  const fields = fieldsOf(request);
  const named = await merchantIn(app, visit, fields['environment']);
  const overlap = OVERLAPS.get(fields['overlap']);
  if (named === null || overlap === undefined) return send(404, notFoundPage(language));
  const { merchant, environment } = named;
  const asked = requireProof(app, visit, questionPath(merchant, environment));
  if (asked !== null) return asked;
  const outcome = await rotateSecretToken(app, merchant.id, environment, overlap, by, fields['secret'] ?? '');
  if (outcome.kind === 'rotated') return sendRotated(app, visit, merchant, environment, overlap, outcome.rotation);
  const said =
    outcome.kind === 'overlapping'
      ? tell(language, 'rotate.overlapping', { time: minuteOf(outcome.closesAt) })
      : tell(language, 'rotate.replaced');
  return sendMerchant(app, visit, merchant, { said, status: 409, typed: {} });
});

/** Returns the path of the confirmation page. */
function questionPath({ id }: ListedPaymentService, environment: Environment): string {
  return `/merchants/${id}/rotate?environment=${environment}`;
}

function headingOf(
  { language }: ConsoleVisit,
  text: 'rotate.title' | 'rotate.done',
  { name }: ListedPaymentService,
  environment: Environment,
): string {
  return tell(language, text, { name, environment: tell(language, `merchant.${environment}`).toLowerCase() });
}

function sendRotated(
  app: App,
  visit: ConsoleVisit,
  merchant: ListedPaymentService,
  environment: Environment,
  overlap: number,
  rotation: Rotation,
) {
  const { language, send } = visit;
  const title = headingOf(visit, 'rotate.done', merchant, environment);
  const time = minuteOf(rotation.old_closes_at);
  const main = html`<h1>${title}</h1>
<p class="notice">${tell(language, 'rotate.keep')}</p>
<pre>${rotation.secret_token}</pre>
<p>${overlap === 0 ? tell(language, 'rotate.closed') : tell(language, 'rotate.closes', { time })}</p>
<p class="actions"><a class="button" href="${publicPath(app)}/console/merchants/${merchant.id}">${merchant.name}</a></p>`;
  return send(200, { title, main });
}
