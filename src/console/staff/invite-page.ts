import type { FastifyReply } from 'fastify';
import { createUser, type NewUser } from '../../auth/create-user.ts';
import { inviteUser, type NewInvitation } from '../../auth/invitations/invite-user.ts';
import { kindOfRole } from '../../auth/permission.ts';
import { publicBase } from '../../checkout/pay-link.ts';
import { Problem } from '../../error-catalogue.ts';
import { publicPath } from '../../http/assets.ts';
import { html } from '../../http/html.ts';
import { minuteOf } from '../console-format.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, requireProof } from '../console-visit.ts';
import { alertNotice, type Fault, formField } from '../notice.ts';
import { refusalFor } from './managed-person.ts';
import {
  type FormFields,
  formPath,
  heldWith,
  keptForm,
  type Rights,
  readRights,
  rightsFields,
  ticked,
} from './rights-form.ts';
import { tokenText } from './staff-token.ts';

const DAY_MS = 86_400_000;

/** How long a link works, by its choice in a form. */
export const LINK_VALID_MS = { '1d': DAY_MS, '3d': 3 * DAY_MS, '7d': 7 * DAY_MS } as const;

const PATH = '/staff/invite';

/** Shows the form for a new person or program. */
export const getConsoleStaffInvite = consoleHandler(async (app, visit) => {
  const kept = keptForm(visit);
  const asked = requireProof(app, visit, formPath(visit, PATH, kept));
  if (asked !== null) return asked;
  const fault = { said: '' };
  if (kept === null) return sendForm(visit, { status: 200, fault, email: '', rights: NEWCOMER });
  const { rights } = await readRights(app, visit.language, kept);
  return sendForm(visit, { status: 200, fault, ...newcomerOf(kept), rights });
});

const NEWCOMER: Rights = { role: 'support', granted: [], services: 'all', limits: {} };

/** Creates the person or program, and shows the invitation link or the token once. */
export const postConsoleStaffInvite = consoleHandler(async (app, visit) => {
  const { language, user, by } = visit;
  const fields = ticked(visit);
  const asked = requireProof(app, visit, formPath(visit, PATH, fields));
  if (asked !== null) return asked;
  const { email, valid } = newcomerOf(fields);
  const { rights, fault } = await readRights(app, language, fields);
  const refuse = (status: number, why: Fault) => sendForm(visit, { status, fault: why, email, rights, valid });
  if (fault !== null) return refuse(400, fault);
  const refusal = await refusalFor(visit, { id: null, ...heldWith(rights) });
  if (refusal !== null) return refuse(403, { said: refusal });
  const validMs = isChoice(valid) ? LINK_VALID_MS[valid] : LINK_VALID_MS['3d'];
  const { role, granted: may, services: paymentServices, limits: refundLimits } = rights;
  try {
    const wish = { email, role, may, paymentServices, refundLimits };
    if (kindOfRole(role) === 'program')
      return await sendProgram(visit, await createUser(app, wish, by, { managerId: user.id }));
    const made = await inviteUser(app, wish, validMs, by, user.id);
    return await sendInvitationLink(visit, made, made.ended);
  } catch (error) {
    const refused = error instanceof Problem ? REFUSALS[error.code] : undefined;
    if (refused === undefined) throw error;
    return refuse(refused.status, { said: tell(language, refused.said), field: refused.field });
  }
});

function newcomerOf(fields: FormFields): { email: string; valid: string } {
  const textOf = (name: string) => fields.findLast((field) => field.name === name)?.text ?? '';
  return { email: textOf('email').trim(), valid: textOf('valid') };
}

const REFUSALS: Partial<Record<Problem['code'], { status: number; said: ConsoleText; field?: string }>> = {
  INVALID_EMAIL: { status: 400, said: 'new.bad_email', field: 'email' },
  USER_EXISTS: { status: 409, said: 'new.exists', field: 'email' },
  MORE_THAN_YOURS: { status: 403, said: 'people.more' },
};

/** Shows the token and the password of a new program, once. */
function sendProgram({ app, language, send }: ConsoleVisit, made: NewUser): FastifyReply {
  const title = tell(language, 'new.program_title', { email: made.email });
  const main = html`<h1>${title}</h1>
<p class="notice">${tell(language, 'new.program')}</p>
<h2>${tell(language, 'new.token')}</h2>${tokenText(made.api_token)}
<h2>${tell(language, 'new.password')}</h2>${tokenText(made.password)}
<p class="actions"><a class="button" href="${publicPath(app)}/console/staff/${made.id}">${made.email}</a></p>`;
  return send(200, { title, main });
}

/** Shows the link, once. `ended`: how many earlier links it replaces. */
export function sendInvitationLink(
  { app, language, send }: ConsoleVisit,
  made: NewInvitation,
  ended = 0,
): FastifyReply {
  const title = tell(language, 'new.made_title', { email: made.email });
  const at = `${publicPath(app)}/console/staff`;
  const main = html`<h1>${title}</h1>
<p class="notice">${tell(language, 'new.made', { time: minuteOf(made.expires_at) })}${ended > 0 && html` ${tell(language, 'new.replaces')}`}</p>
<pre>${publicBase(app)}/console/invitation/${made.token}</pre>
<p class="actions"><a class="button" href="${at}/${made.user}">${made.email}</a> <a class="button" href="${at}">${tell(language, 'new.back')}</a></p>`;
  return send(200, { title, main });
}

function isChoice(text: string): text is keyof typeof LINK_VALID_MS {
  return Object.hasOwn(LINK_VALID_MS, text);
}

type Shown = { status: number; fault: Fault; email: string; rights: Rights; valid?: string };

async function sendForm({ app, language, send }: ConsoleVisit, shown: Shown) {
  const { status, fault, email, rights, valid = '3d' } = shown;
  const at = `${publicPath(app)}/console/staff`;
  const title = tell(language, 'new.title');
  const choices = (['1d', '3d', '7d'] as const).map(
    (choice) =>
      html`<option value="${choice}"${choice === valid && html` selected`}>${tell(language, `new.valid_${choice}`)}</option>`,
  );
  const main = html`${alertNotice(fault)}
<h1>${title}</h1>
<p class="quiet">${tell(language, 'new.text')}</p>
<form class="card pad" method="post" action="${at}/invite">
${formField(fault, 'email', (attributes) => html`<label>${tell(language, 'people.email')}<input type="email" name="email" value="${email}" maxlength="254" required autocomplete="off"${attributes}></label>`)}
${await rightsFields(app, language, rights, fault)}
<label>${tell(language, 'new.valid')}<select name="valid">${choices}</select></label>
<p class="actions"><button class="primary">${tell(language, 'new.button')}</button> <a class="button" href="${at}">${tell(language, 'staff_ask.no')}</a></p>
</form>`;
  return send(status, { title, main });
}
