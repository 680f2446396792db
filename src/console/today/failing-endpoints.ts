import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { causeOf } from '../../outbox/endpoints/answer-cause.ts';
import { type FailingEndpoint, selectTroubledOf } from '../../outbox/endpoints/failing-endpoint-queries.ts';
import { minuteOf, testBadge } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { causeText } from '../notice.ts';

const SHOWN = 5;

/**
 * Shows the people of a merchant which of its endpoints do not accept callbacks: since when, how many wait, the cause,
 * the fix, and a link to the page that resends them. People who see all payment services have the list of callbacks
 * instead.
 */
export async function failingEndpoints(app: App, { language, user }: ConsoleVisit): Promise<Html[]> {
  if (user.environmentIds === null) return [];
  const endpoints = await selectTroubledOf(app.db, [...user.environmentIds], SHOWN);
  return endpoints.map((endpoint) => {
    const { payment_service: merchant, environment } = endpoint;
    return html`<div class="notice" role="alert">${said(language, endpoint)}${
      user.may.has('tokens:manage') &&
      html`<p class="actions"><a class="button" href="${publicPath(app)}/console/merchants/${merchant}#${environment}">${tell(language, 'today.resend')}</a></p>`
    }</div>`;
  });
}

function said(language: Language, endpoint: FailingEndpoint): Html {
  const { address, environment, failing_since, disabled_at, waiting } = endpoint;
  const since = failing_since ?? disabled_at;
  const cause = causeOf(address, endpoint, language);
  return html`<p><strong>${tell(language, 'today.not_told')}</strong> ${testBadge(language, environment)}<br>
<span class="code">${address}</span> · ${since !== null && tell(language, 'doctor.since', { since: minuteOf(since) })} ${tell(language, 'today.waits', { count: waiting })}</p>
${cause !== null && html`<p>${causeText(cause)}</p>`}`;
}
