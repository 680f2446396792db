import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import type { ListedUser } from '../../auth/list-users.ts';
import { listApiTokens } from '../../auth/tokens/list-api-tokens.ts';
import { makeApiToken, type NewApiToken } from '../../auth/tokens/make-api-token.ts';
import { Problem } from '../../error-catalogue.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { minuteOf } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, messagePage, notFoundPage, requireProof } from '../console-visit.ts';
import { keptPath, sealedOf } from '../kept-typing.ts';
import { alertNotice, type Fault, formField } from '../notice.ts';
import { fieldsOf } from '../sign-in.ts';
import { personOf, refusalFor } from './managed-person.ts';

const DAY_MS = 86_400_000;

/** How long a token works, by its choice in a form; `never`: until somebody ends it. */
const TOKEN_VALID_MS = { '30d': 30 * DAY_MS, '90d': 90 * DAY_MS, '365d': 365 * DAY_MS, never: null } as const;

/** Shows the form for another API token of a program or a person. */
export const getConsoleStaffToken = consoleHandler(async (app, visit) => {
  const { name = '', valid = '' } = sealedOf(visit);
  const found = await tokenOwner(app, visit, { name, valid });
  return 'sent' in found ? found.sent : sendForm(visit, found.person, { status: 200, said: '', name, valid });
});

/** Creates the token and shows it once. */
export const postConsoleStaffToken = consoleHandler(async (app, visit) => {
  const { request, by, send, language } = visit;
  const { name = '', valid = '' } = fieldsOf(request);
  const found = await tokenOwner(app, visit, { name, valid });
  if ('sent' in found) return found.sent;
  const { person } = found;
  const validMs = isChoice(valid) ? TOKEN_VALID_MS[valid] : TOKEN_VALID_MS['90d'];
  const expiresAt = validMs === null ? null : app.now() + validMs;
  try {
    const made = await makeApiToken(app, person.id, { name: name.trim(), expiresAt }, by, by.userId);
    return await (made === null ? send(404, notFoundPage(language)) : sendToken(visit, person.id, made));
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'INVALID_PARAMETER') throw error;
    const tokens = (await listApiTokens(app, person.id)) ?? [];
    const isTaken = tokens.some((token) => token.name === name.trim() && token.ended_at === null);
    return sendForm(visit, person, {
      status: 400,
      said: tell(language, isTaken ? 'token.taken' : 'token.bad_name'),
      field: 'name',
      name,
      valid,
    });
  }
});

/**
 * Returns the future owner of the token if the visitor may create it and has proved their identity; otherwise sends the
 * refusal and returns it as `sent`. `typed`: the fields of the form, for the way back from the proof.
 */
async function tokenOwner(
  app: App,
  visit: ConsoleVisit,
  typed: Readonly<Record<string, string>>,
): Promise<{ person: ListedUser } | { sent: FastifyReply }> {
  const person = await personOf(app, visit);
  if (person === null || person.disabled_at !== null) return { sent: visit.send(404, notFoundPage(visit.language)) };
  const refusal = await refusalFor(visit, person);
  if (refusal !== null) return { sent: visit.send(403, messagePage(refusal)) };
  const { name = '', valid = '' } = typed;
  const proof = requireProof(app, visit, keptPath(visit, `/staff/${person.id}/token`, { name, valid }));
  return proof === null ? { person } : { sent: proof };
}

/** `valid` empty: nothing was chosen. */
type Shown = Fault & { status: number; name: string; valid: string };

function sendForm({ app, language, send }: ConsoleVisit, { id, email }: ListedUser, shown: Shown) {
  const { status, name, valid } = shown;
  const at = `${publicPath(app)}/console/staff/${id}`;
  const title = tell(language, 'token.title', { email });
  const choices = (['30d', '90d', '365d', 'never'] as const).map(
    (choice) =>
      html`<option value="${choice}"${choice === (valid || '90d') && html` selected`}>${tell(language, `token.valid_${choice}`)}</option>`,
  );
  const main = html`${alertNotice(shown)}
<h1>${title}</h1>
<p class="quiet">${tell(language, 'token.text')}</p>
<form class="card pad" method="post" action="${at}/token">
${formField(shown, 'name', (attributes) => html`<label>${tell(language, 'token.name')}<input name="name" value="${name}" maxlength="60" required autocomplete="off"${attributes}></label>`)}
<label>${tell(language, 'token.valid')}<select name="valid">${choices}</select></label>
<p class="actions"><button class="primary">${tell(language, 'token.button')}</button> <a class="button" href="${at}">${tell(language, 'staff_ask.no')}</a></p>
</form>`;
  return send(status, { title, main });
}

function sendToken({ app, language, send }: ConsoleVisit, id: string, made: NewApiToken): FastifyReply {
  const title = tell(language, 'token.made_title', { name: made.name, email: made.email });
  const end =
    made.expires_at === null
      ? tell(language, 'token.no_end')
      : tell(language, 'token.end', { time: minuteOf(made.expires_at) });
  const main = html`<h1>${title}</h1>
<p class="notice">${tell(language, 'token.made')} ${end}</p>
${tokenText(made.api_token)}
<p class="actions"><a class="button" href="${publicPath(app)}/console/staff/${id}">${made.email}</a></p>`;
  return send(200, { title, main });
}

/** Shows a token; it is shown only once. */
export function tokenText(apiToken: string): Html {
  return html`<pre class="codes">${apiToken}</pre>`;
}

function isChoice(text: string): text is keyof typeof TOKEN_VALID_MS {
  return Object.hasOwn(TOKEN_VALID_MS, text);
}
