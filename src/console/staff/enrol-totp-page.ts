import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import { beginTotp, continueTotp, finishTotp } from '../../auth/factors/enrol-totp.ts';
import { isFactorName } from '../../auth/factors/factor.ts';
import { passkeySite } from '../../auth/factors/passkey.ts';
import { proveAtEnrolment } from '../../auth/factors/prove-factor.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { drawQr } from '../../http/qr-code.ts';
import type { Language } from '../../lib/language.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, inParts, requireProof, sessionCookie } from '../console-visit.ts';
import { alertNotice, type Fault, formField } from '../notice.ts';
import { nameOfRole } from '../permission-texts.ts';
import { fieldsOf, pathOf } from '../sign-in.ts';

const PATH = '/account/factors/totp';

/**
 * Shows a key for the person's authenticator app, with its QR code. The key is stored only after a code proves that the
 * app has it.
 */
export const getConsoleTotp = consoleHandler(
  async (app, visit) => {
    const asked = requireProof(app, visit, PATH);
    if (asked !== null) return asked;
    const { next } = visit.request.query as Record<string, unknown>;
    return sendSetup(app, visit, await beginTotp(app, visit.user), { status: 200, next: pathOf(next), said: '' });
  },
  ['enrol'],
);

/** Adds the factor once its first code is right, and shows the recovery codes. */
export const postConsoleTotp = consoleHandler(
  async (app, visit) => {
    const asked = requireProof(app, visit, PATH);
    if (asked !== null) return asked;
    const { user, request, by, language } = visit;
    const told = (said: ConsoleText) => tell(language, said);
    const { setup = '', code = '', name = '', next: path } = fieldsOf(request);
    const next = pathOf(path);
    const begun = await continueTotp(app, user, setup);
    if (begun === null)
      return sendSetup(app, visit, await beginTotp(app, user), { status: 400, next, name, said: told('totp.over') });
    const refuse = (field: string, said: ConsoleText) =>
      sendSetup(app, visit, begun, { status: 400, next, name, said: told(said), field });
    if (!isFactorName(name)) return refuse('name', 'totp.bad_name');
    const done = await finishTotp(app, visit, { setup, code: code.replace(/\s/g, ''), name }, by);
    if (done === null) return refuse('code', 'totp.wrong');
    return letIn(app, visit, done.recoveryCodes, next);
  },
  ['enrol'],
);

/**
 * Continues after a new factor, which also proved the person's identity: sets a new session, and shows recovery codes
 * if there are new ones.
 */
export async function letIn(
  app: App,
  visit: ConsoleVisit,
  codes: readonly string[],
  next: string,
): Promise<FastifyReply> {
  const { session, reply, goTo } = visit;
  const token = await inParts(() => proveAtEnrolment(app, session));
  if (token === null) return goTo('/sign-in');
  reply.header('set-cookie', sessionCookie(app, token.text));
  if (codes.length === 0) return goTo('/account?done=factor');
  return sendRecoveryCodes(app, visit, codes, next);
}

/** Shows the recovery codes, once. */
export function sendRecoveryCodes(
  app: App,
  { language, send }: ConsoleVisit,
  codes: readonly string[],
  next: string,
): FastifyReply {
  const title = tell(language, 'codes.title');
  const main = html`<h1>${title}</h1>
<p>${tell(language, 'codes.text')}</p>
<pre class="codes">${codes.join('\n')}</pre>
<p class="actions"><a class="button primary" href="${publicPath(app)}/console${next}">${tell(language, 'codes.go_on')}</a></p>`;
  return send(200, { title, main });
}

type Setup = { secret: string; address: string; setup: string };
/** `name`: what the person typed before. */
type Shown = Fault & { status: number; next: string; name?: string };

async function sendSetup(app: App, visit: ConsoleVisit, { secret, address, setup }: Setup, shown: Shown) {
  const { language, user, standing, send } = visit;
  const { status, next, name = tell(language, 'totp.default_name') } = shown;
  const title = tell(language, 'totp.title');
  const main = html`<h1>${title}</h1>
${standing === 'enrol' && html`<p class="notice">${tell(language, 'totp.must', { role: nameOfRole(language, user.role) })}</p>`}
${alertNotice(shown)}
<form class="card pad" method="post" action="${publicPath(app)}/console${PATH}">
<p>${tell(language, 'totp.scan')}</p>
<div class="qr" role="img" aria-label="${tell(language, 'totp.qr')}">${await drawQr(address)}</div>
<p>${tell(language, 'totp.key')}: <code>${grouped(secret)}</code></p>
<p><a href="${address}">${tell(language, 'totp.open')}</a></p>
<input type="hidden" name="setup" value="${setup}"><input type="hidden" name="next" value="${next}">
${factorNameField(language, shown, name)}
${formField(shown, 'code', (attributes) => html`<label>${tell(language, 'totp.code')}<input name="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]{6,7}" required${attributes}></label>`)}
<p class="actions"><button class="primary">${tell(language, 'totp.button')}</button></p>
</form>
${passkeySite(app) !== null && html`<p class="actions"><a class="button" href="${publicPath(app)}/console/account/factors/passkey?next=${encodeURIComponent(next)}">${tell(language, 'me.add_passkey')}</a></p>`}`;
  return send(status, { title, main });
}

/** Shows the field for the name of a factor. */
export function factorNameField(language: Language, refused: Fault, name: string): Html {
  return formField(
    refused,
    'name',
    (attributes) =>
      html`<label>${tell(language, 'totp.name')}<input name="name" maxlength="60" required value="${name}"${attributes}></label>`,
  );
}

function grouped(secret: string): string {
  return (secret.match(/.{1,4}/g) ?? []).join(' ');
}
