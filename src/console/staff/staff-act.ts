import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import type { Actor } from '../../audit/actor.ts';
import { disableUser, enableUser } from '../../auth/change-user.ts';
import { resetFactors } from '../../auth/factors/remove-factor.ts';
import { endInvitation, listInvitations, makePasswordLink } from '../../auth/invitations/invite-user.ts';
import type { ListedUser } from '../../auth/list-users.ts';
import { endSession, endSessionsOf } from '../../auth/sign-in/end-sessions.ts';
import { findSessionOwner } from '../../auth/sign-in/list-sessions.ts';
import { endApiToken } from '../../auth/tokens/end-api-token.ts';
import { listApiTokens } from '../../auth/tokens/list-api-tokens.ts';
import { publicPath } from '../../http/assets.ts';
import { html } from '../../http/html.ts';
import { endWebhook } from '../../outbox/webhooks/set-webhook.ts';
import { isWebhook } from '../../outbox/webhooks/webhook-subscription.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, messagePage, notFoundPage, requireProof } from '../console-visit.ts';
import { fieldsOf } from '../sign-in.ts';
import { LINK_VALID_MS, sendInvitationLink } from './invite-page.ts';
import { personOf, refusalFor, type StaffAct } from './managed-person.ts';

type Outcome = 'changed' | 'already' | 'unknown';

/**
 * The acts on a person that take one click and a confirmation. `of`: the id of a session, token or link of that person,
 * or a webhook; for another person's the result is `unknown`. Each act writes its row of the audit log.
 */
const ACTS = {
  disable: (app, { id }, _, by) => disableUser(app, id, by, by.userId),
  enable: (app, { id }, _, by) => enableUser(app, id, by, by.userId),
  'end-sessions': async (app, { id }, _, by) =>
    (await endSessionsOf(app, id, by, by.userId)) === null ? 'unknown' : 'changed',
  'end-session': async (app, { id }, of, by) =>
    (await findSessionOwner(app, of)) === id ? endedOf(await endSession(app, of, by, by.userId)) : 'unknown',
  'end-token': async (app, { id }, of, by) => {
    const own = (await listApiTokens(app, id))?.some((token) => token.id === of);
    return own === true ? endedOf(await endApiToken(app, of, by, by.userId)) : 'unknown';
  },
  'end-webhook': async (app, { id }, of, by) =>
    isWebhook(of) && (await endWebhook(app, { userId: id, webhook: of }, by, by.userId)) !== null
      ? 'changed'
      : 'unknown',
  'reset-factors': async (app, { id }, _, by) =>
    (await resetFactors(app, id, by, by.userId)) === null ? 'unknown' : 'changed',
  // Sends the link.
  'new-password': null,
  'end-link': async (app, { id }, of, by) => {
    const own = (await listInvitations(app)).some((link) => link.id === of && link.user === id);
    return own && (await endInvitation(app, of, by, by.userId)) ? 'changed' : 'unknown';
  },
} as const satisfies Record<
  StaffAct,
  ((app: App, person: ListedUser, of: string, by: Actor) => Promise<Outcome>) | null
>;

function endedOf(outcome: 'ended' | 'already' | 'unknown'): Outcome {
  return outcome === 'ended' ? 'changed' : outcome;
}

/** Asks for confirmation, and says what will stop working. */
export const getConsoleStaffConfirm = consoleHandler(async (app, visit) => {
  const { act, of = '' } = visit.request.query as Record<string, unknown>;
  const asked = await readAct(app, visit, act, of);
  return 'sent' in asked ? asked.sent : sendQuestion(visit, asked);
});

/** Carries out the confirmed act. */
export const postConsoleStaffConfirm = consoleHandler(async (app, visit) => {
  const { goTo, send, language, by } = visit;
  const { act, of = '' } = fieldsOf(visit.request);
  const asked = await readAct(app, visit, act, of);
  if ('sent' in asked) return asked.sent;
  const { person } = asked;
  if (asked.act === 'new-password') {
    const made = await makePasswordLink(app, person.id, LINK_VALID_MS['1d'], by, by.userId);
    return made === null ? send(404, notFoundPage(language)) : sendInvitationLink(visit, made);
  }
  const outcome = await ACTS[asked.act](app, person, asked.of, by);
  return outcome === 'unknown' ? send(404, notFoundPage(language)) : goTo(`/staff/${person.id}?done=${outcome}`);
});

type Asked = { person: ListedUser; act: StaffAct; of: string };

/**
 * Returns the act in an address or a form if the visitor may do it and has proved their identity; otherwise sends the
 * refusal and returns it as `sent`.
 */
async function readAct(
  app: App,
  visit: ConsoleVisit,
  act: unknown,
  of: unknown,
): Promise<Asked | { sent: FastifyReply }> {
  const { send, language } = visit;
  const person = await personOf(app, visit);
  if (
    person === null ||
    typeof act !== 'string' ||
    !Object.hasOwn(ACTS, act) ||
    typeof of !== 'string' ||
    of.length > 60
  )
    return { sent: send(404, notFoundPage(language)) };
  const refusal = await refusalFor(visit, person);
  if (refusal !== null) return { sent: send(403, messagePage(refusal)) };
  const back = `/staff/${person.id}/confirm?${String(new URLSearchParams({ act, of }))}`;
  const proof = requireProof(app, visit, back);
  return proof === null ? { person, act: act as StaffAct, of } : { sent: proof };
}

function sendQuestion({ app, language, send }: ConsoleVisit, { person, act, of }: Asked): FastifyReply {
  const at = `${publicPath(app)}/console/staff/${person.id}`;
  const title = tell(language, `staff_act.${act}`);
  const main = html`<h1>${title}</h1>
<p>${tell(language, 'staff_ask.of', { email: person.email })}</p>
<p>${tell(language, `staff_ask.${act}`)}</p>
<form class="actions" method="post" action="${at}/confirm">
<input type="hidden" name="act" value="${act}"><input type="hidden" name="of" value="${of}">
<button class="primary">${title}</button>
<a class="button" href="${at}">${tell(language, 'staff_ask.no')}</a>
</form>`;
  return send(200, { title, main });
}
