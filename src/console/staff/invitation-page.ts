import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { acceptInvitation, findInvitation, type OpenInvitation } from '../../auth/invitations/accept-invitation.ts';
import { isStrongPassword } from '../../auth/sign-in/set-password.ts';
import { publicPath } from '../../http/assets.ts';
import type { Screen } from '../../http/endpoint.ts';
import { html } from '../../http/html.ts';
import { visitLanguage } from '../console-language.ts';
import { sendConsolePage } from '../console-page.ts';
import { tell } from '../console-texts.ts';
import { isFromOurPage, sessionCookie } from '../console-visit.ts';
import { alertNotice, type Fault } from '../notice.ts';
import { nameOfRole } from '../permission-texts.ts';
import { fieldsOf } from '../sign-in.ts';
import { newPasswordField } from './my-account.ts';

type Params = { token: string };

/**
 * Shows the page of a link that works once. Opening it does not use the link up, because programs that scan mails open
 * links too.
 */
export const getConsoleInvitation: Screen = async (app, request, reply) => {
  const found = await findInvitation(app, (request.params as Params).token);
  return found === null
    ? sendOver(app, request, reply)
    : sendForm(app, request, reply, found, { status: 200, said: '' });
};

/** Sets the password of an invited person and signs them in. The second factor comes next if the person needs one. */
export const postConsoleInvitation: Screen = async (app, request, reply) => {
  const found = await findInvitation(app, (request.params as Params).token);
  if (found === null) return sendOver(app, request, reply);
  const language = visitLanguage(request);
  if (!isFromOurPage(app, request))
    return sendForm(app, request, reply, found, { status: 403, said: tell(language, 'stale.text') });
  const { password = '' } = fieldsOf(request);
  const sets = found.invitation.kind === 'invitation';
  if (sets && !isStrongPassword(password, found.user.email))
    return sendForm(app, request, reply, found, {
      status: 400,
      said: tell(language, 'me.password_weak'),
      field: 'password',
    });
  const token = await acceptInvitation(app, found, { password: sets ? password : null, address: request.ip });
  if (token === null) return sendOver(app, request, reply);
  return reply
    .code(303)
    .header('set-cookie', sessionCookie(app, token.text))
    .header('location', `${publicPath(app)}/console`)
    .send();
};

type Shown = Fault & { status: number };

function sendForm(app: App, request: FastifyRequest, reply: FastifyReply, found: OpenInvitation, shown: Shown) {
  const language = visitLanguage(request);
  const { invitation, user } = found;
  const sets = invitation.kind === 'invitation';
  const title = tell(language, sets ? 'invite.title' : 'sign_in.title');
  const main = html`<h1>${title}</h1>
<p>${tell(language, sets ? 'invite.text' : 'invite.link_text', { email: user.email, role: nameOfRole(language, user.role) })}</p>
${alertNotice(shown)}
<form class="card pad" method="post" action="${publicPath(app)}/console/invitation/${(request.params as Params).token}">
${
  sets &&
  html`<input type="hidden" name="username" autocomplete="username" value="${user.email}">
${newPasswordField(language, shown, 'password')}`
}
<p class="actions"><button class="primary">${tell(language, sets ? 'invite.button' : 'sign_in.button')}</button></p>
</form>`;
  return sendConsolePage(app, reply, { title, main, status: shown.status, language, user: null, path: request.url });
}

/** Sends the same page for a link that never existed, was used, was ended or has expired. */
function sendOver(app: App, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const language = visitLanguage(request);
  const title = tell(language, 'invite.over_title');
  const main = html`<h1>${title}</h1><p>${tell(language, 'invite.over')}</p>
<p><a href="${publicPath(app)}/console/sign-in">${tell(language, 'sign_in.title')}</a></p>`;
  return sendConsolePage(app, reply, { title, main, status: 404, language, user: null, path: request.url });
}
