import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import { selectFactorsOf } from '../../auth/factors/factor-queries.ts';
import { passkeySite } from '../../auth/factors/passkey.ts';
import { countRecoveryCodes } from '../../auth/factors/recovery-code-queries.ts';
import { renewRecoveryCodes } from '../../auth/factors/recovery-codes.ts';
import { removeFactor } from '../../auth/factors/remove-factor.ts';
import { endOtherSessions, endSession } from '../../auth/sign-in/end-sessions.ts';
import { findSessionOwner, listSessions } from '../../auth/sign-in/list-sessions.ts';
import { proveByPassword } from '../../auth/sign-in/log-in.ts';
import { isStrongPassword, setPassword } from '../../auth/sign-in/set-password.ts';
import { issueAccessToken } from '../../auth/tokens/access-token.ts';
import { Problem } from '../../error-catalogue.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { tableOf, timeCell } from '../console-format.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage, requireProof, sessionCookie } from '../console-visit.ts';
import { askFirst, type Fault, formField, resultNotice } from '../notice.ts';
import { nameOfRole } from '../permission-texts.ts';
import { fieldsOf, sayTooMany } from '../sign-in.ts';
import { sendRecoveryCodes } from './enrol-totp-page.ts';
import { sessionTable } from './session-table.ts';

const PATH = '/account';

/** Shows the person's own second factors, recovery codes, sessions and password. */
export const getConsolePerson = consoleHandler((app, visit) => sendAccount(app, visit, 200));

const DONE: Readonly<Record<string, ConsoleText>> = {
  factor: 'me.done_factor',
  removed: 'me.done_removed',
  ended: 'me.done_ended',
  password: 'me.done_password',
};

/** Removes one of the person's factors; the last one stays if the person needs one. */
export const postConsoleFactorRemove = consoleHandler(async (app, visit) => {
  const { user, by, request, goTo, send, language } = visit;
  const asked = requireProof(app, visit, PATH);
  if (asked !== null) return asked;
  const outcome = await removeFactor(app, fieldsOf(request)['factor'] ?? '', user.id, by);
  if (outcome === 'unknown') return send(404, notFoundPage(language));
  if (outcome === 'last') return sendAccount(app, visit, 409, { said: tell(language, 'me.last_stays') });
  return goTo(`${PATH}?done=removed`);
});

/** Creates ten new recovery codes and shows them once. */
export const postConsoleRecoveryCodes = consoleHandler(async (app, visit) => {
  const asked = requireProof(app, visit, PATH);
  if (asked !== null) return asked;
  const codes = await renewRecoveryCodes(app, visit.user.id, visit.session, visit.by);
  return codes === null ? visit.goTo(PATH) : sendRecoveryCodes(app, visit, codes, PATH);
});

/** Ends one of the person's other sessions; if the form names none, all of them. Signing out ends this one. */
export const postConsoleSessionsEnd = consoleHandler(
  async (app, { user, session, by, request, goTo, send, language }) => {
    const { session: id } = fieldsOf(request);
    if (id === undefined) await endOtherSessions(app, user.id, session.id, by);
    else if (id === session.id || (await findSessionOwner(app, id)) !== user.id)
      return send(404, notFoundPage(language));
    else await endSession(app, id, by);
    return goTo(`${PATH}?done=ended`);
  },
);

/** Changes the password. The form must have the present one; every other session ends. */
export const postConsolePassword = consoleHandler(async (app, visit) => {
  const { user, by, request, reply, goTo, language } = visit;
  const refuse = (status: number, said: ConsoleText, field: string) =>
    sendAccount(app, visit, status, { said: tell(language, said), field });
  const { now = '', wanted = '' } = fieldsOf(request);
  if (!isStrongPassword(wanted, user.email)) return refuse(400, 'me.password_weak', 'wanted');
  try {
    const session = await proveByPassword(app, visit.session, {
      email: user.email,
      password: now,
      address: request.ip,
    });
    // The proof has replaced the session: its cookie goes out also if the new password is not stored.
    reply.header('set-cookie', sessionCookie(app, (await issueAccessToken(app, session)).text));
    await setPassword(app, { userId: user.id, password: wanted, keptSession: session.id }, by);
    return await goTo(`${PATH}?done=password`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'RATE_LIMITED') return sendAccount(app, visit, 429, { said: sayTooMany(language, error) });
    if (error.code === 'LOGIN_FAILED') return refuse(401, 'me.password_wrong', 'now');
    throw error;
  }
});

async function sendAccount(
  app: App,
  visit: ConsoleVisit,
  status: number,
  refused: Fault = { said: '' },
): Promise<FastifyReply> {
  const { language, user, session, send } = visit;
  const at = `${publicPath(app)}/console${PATH}`;
  const title = tell(language, 'me.title');
  const sessions = (await listSessions(app, user.id)) ?? [];
  const main = html`<h1>${title}</h1>
<p class="quiet">${user.email} · ${tell(language, 'me.role')}: ${nameOfRole(language, user.role)}</p>
${resultNotice(visit, DONE, refused)}
${await factorSection(app, visit, at)}
<h2>${tell(language, 'me.sessions')}</h2>
${sessionTable(language, sessions, ({ id }) =>
  id === session.id
    ? tell(language, 'me.this_session')
    : askFirst(
        tell(language, 'me.end'),
        tell(language, 'me.end_text'),
        html`<form method="post" action="${at}/sessions/end"><button name="session" value="${id}">${tell(language, 'me.end')}</button></form>`,
      ),
)}
${
  sessions.length > 1 &&
  askFirst(
    tell(language, 'me.end_others'),
    tell(language, 'me.end_others_text'),
    html`<form class="actions" method="post" action="${at}/sessions/end"><button>${tell(language, 'me.end_others')}</button></form>`,
  )
}
<h2>${tell(language, 'me.password')}</h2>
<form class="card pad narrow" method="post" action="${at}/password">
${formField(refused, 'now', (attributes) => html`<label>${tell(language, 'me.password_now')}<input type="password" name="now" autocomplete="current-password" required${attributes}></label>`)}
${newPasswordField(language, refused, 'wanted')}
<button class="primary">${tell(language, 'me.password_button')}</button>
</form>`;
  return send(status, { title, main });
}

/** Shows the field for a new password, with its rule. */
export function newPasswordField(language: Language, refused: Fault, name: string): Html {
  return html`${formField(
    refused,
    name,
    (attributes) =>
      html`<label>${tell(language, 'me.password_new')}<input type="password" name="${name}" autocomplete="new-password" minlength="12" maxlength="200" required${attributes}></label>`,
    'password-hint',
  )}
<p class="quiet" id="password-hint">${tell(language, 'me.password_hint')}</p>`;
}

async function factorSection(app: App, { language, user }: ConsoleVisit, at: string): Promise<Html> {
  const factors = await selectFactorsOf(app.db, user.id);
  const rows = factors.map((factor) => [
    factor.name,
    tell(language, `kind.${factor.kind}`),
    timeCell(factor.created_at),
    timeCell(factor.last_used_at),
    askFirst(
      tell(language, 'me.remove'),
      tell(language, 'me.remove_text'),
      html`<form method="post" action="${at}/factors/remove"><button name="factor" value="${factor.id}">${tell(language, 'me.remove')}</button></form>`,
    ),
  ]);
  const head = (['staff.name', 'staff.kind', 'staff.added', 'staff.last_use', 'staff.act'] as const).map((key) =>
    tell(language, key),
  );
  const left = await countRecoveryCodes(app.db, user.id);
  return html`<h2>${tell(language, 'me.factors')}</h2>
${rows.length === 0 ? html`<div class="card empty">${tell(language, 'me.no_factor')}</div>` : tableOf(head, rows)}
<p class="actions"><a class="button" href="${at}/factors/totp">${tell(language, 'me.add_totp')}</a>
${passkeySite(app) !== null && html`<a class="button" href="${at}/factors/passkey">${tell(language, 'me.add_passkey')}</a>`}</p>
${
  rows.length > 0 &&
  html`<h2>${tell(language, 'me.codes')}</h2>
<form class="card pad narrow" method="post" action="${at}/recovery-codes"><p>${tell(language, 'me.codes_left', { count: left })} ${tell(language, 'me.codes_hint')}</p>
<button>${tell(language, 'me.codes_new')}</button></form>`
}`;
}
