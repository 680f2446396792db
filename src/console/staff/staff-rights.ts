import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import { limitsOf } from '../../auth/describe-rights.ts';
import type { ListedUser } from '../../auth/list-users.ts';
import { isPermission, permissionsOf } from '../../auth/permission.ts';
import { selectRefundLimits } from '../../auth/refund-limit-queries.ts';
import { setRights } from '../../auth/set-rights.ts';
import { selectPermissions } from '../../auth/user-right-queries.ts';
import { publicPath } from '../../http/assets.ts';
import { html } from '../../http/html.ts';
import { tableOf } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, messagePage, notFoundPage, requireProof } from '../console-visit.ts';
import { alertNotice, type Fault } from '../notice.ts';
import { nameOfRole } from '../permission-texts.ts';
import { limitText, merchantNames, personOf, refusalFor, seenBy } from './managed-person.ts';
import {
  changesOf,
  type FormFields,
  formPath,
  heldWith,
  keptForm,
  type Rights,
  readRights,
  rightsFields,
  ticked,
  withoutOld,
} from './rights-form.ts';

/** Shows the form that changes a person's role, permissions, merchants and limit. */
export const getConsoleStaffRights = consoleHandler(async (app, visit) => {
  const kept = keptForm(visit);
  const found = await changeable(app, visit, kept);
  if ('sent' in found) return found.sent;
  const now = await rightsNow(app, found.person);
  const rights = kept === null ? now : (await readRights(app, visit.language, kept)).rights;
  const shown = textIn(kept ?? [], 'shown') ?? JSON.stringify(now);
  return sendForm(visit, found.person, { rights, shown, status: 200, fault: { said: '' } });
});

/**
 * Shows what would change, and changes it after the confirmation. If the rights have changed since they were shown, it
 * asks again: otherwise it would restore what somebody has just revoked.
 */
export const postConsoleStaffRights = consoleHandler(async (app, visit) => {
  const { language, by, user, goTo } = visit;
  const fields = ticked(visit);
  const found = await changeable(app, visit, fields);
  if ('sent' in found) return found.sent;
  const { person } = found;
  const now = await rightsNow(app, person);
  const [shown = '', seen, confirmed] = ['shown', 'seen', 'confirmed'].map((name) => textIn(fields, name));
  const { rights: wanted, fault } = await readRights(app, language, fields);
  const rights = fault === null ? withoutOld(wanted, shown, now) : wanted;
  const refuse = (status: number, why: Fault) => sendForm(visit, person, { rights: wanted, shown, status, fault: why });
  if (fault !== null) return refuse(400, fault);
  const refusal = await refusalFor(visit, { id: person.id, ...heldWith(rights) });
  if (refusal !== null) return refuse(403, { said: refusal });
  const wish = changesOf(now, rights);
  if (wish === null) return refuse(400, { said: tell(language, 'rights.same') });
  if (confirmed === undefined) return sendQuestion(visit, person, { now, rights, fields });
  if (seen !== undefined && seen !== seenOf(now)) return sendQuestion(visit, person, { now, rights, fields }, 409);
  await setRights(app, person.id, wish, by, user.id);
  return goTo(`/staff/${person.id}?done=changed`);
});

function textIn(fields: FormFields, name: string): string | undefined {
  return fields.find((field) => field.name === name)?.text;
}

/**
 * Returns the person in the path if the visitor may change them and has proved their identity; otherwise sends the
 * refusal and returns it as `sent`. `fields`: the form as it is filled in, for the way back from the proof.
 */
async function changeable(
  app: App,
  visit: ConsoleVisit,
  fields: FormFields | null,
): Promise<{ person: ListedUser } | { sent: FastifyReply }> {
  const person = await personOf(app, visit);
  if (person === null) return { sent: visit.send(404, notFoundPage(visit.language)) };
  const refusal = await refusalFor(visit, person);
  if (refusal !== null) return { sent: visit.send(403, messagePage(refusal)) };
  const proof = requireProof(app, visit, formPath(visit, `/staff/${person.id}/rights`, fields));
  return proof === null ? { person } : { sent: proof };
}

async function rightsNow(app: App, { id, role, payment_services: services }: ListedUser): Promise<Rights> {
  const [granted, limits] = await Promise.all([selectPermissions(app.db, id), selectRefundLimits(app.db, id)]);
  return {
    role,
    granted: granted.map(({ permission }) => permission).filter(isPermission),
    services: services ?? 'all',
    limits: limitsOf(limits),
  };
}

/** Returns a short name of these rights, so that a form says which ones it was made for. */
function seenOf(rights: Rights): string {
  return hash('sha256', JSON.stringify(rights), 'base64url');
}

/** `shown`: the rights as JSON that the form was first filled with. */
type Shown = { rights: Rights; shown: string; status: number; fault: Fault };

async function sendForm({ app, language, send }: ConsoleVisit, person: ListedUser, shown: Shown) {
  const { rights, status, fault } = shown;
  const at = `${publicPath(app)}/console/staff/${person.id}`;
  const title = tell(language, 'rights.title', { email: person.email });
  const main = html`${alertNotice(fault)}
<h1>${title}</h1>
<form class="card pad" method="post" action="${at}/rights">
<input type="hidden" name="shown" value="${shown.shown}">
${await rightsFields(app, language, rights, fault)}
<p class="actions"><button class="primary">${tell(language, 'rights.review')}</button> <a class="button" href="${at}">${tell(language, 'staff_ask.no')}</a></p>
</form>`;
  return send(status, { title, main });
}

type Change = { now: Rights; rights: Rights; fields: FormFields };

/** Shows the rights before and after, and the form again for confirmation. */
async function sendQuestion(
  { app, language, send }: ConsoleVisit,
  person: ListedUser,
  { now, rights, fields }: Change,
  status: 200 | 409 = 200,
) {
  const at = `${publicPath(app)}/console/staff/${person.id}`;
  const title = tell(language, 'rights.question', { email: person.email });
  const own = ({ limits }: Rights) => limitText(language, Object.keys(limits).length === 0 ? null : limits);
  const may = ({ role, granted }: Rights) => [...permissionsOf(role, granted)].sort().join(' ');
  const names = await merchantNames(app);
  const seen = ({ services }: Rights) => seenBy(language, services === 'all' ? null : services, names);
  const lines = (
    [
      ['people.role', ({ role }: Rights) => nameOfRole(language, role)],
      ['people.may', may],
      ['people.sees', seen],
      ['people.limit', own],
    ] as const
  ).filter(([, text]) => text(now) !== text(rights));
  const typed = fields.filter(({ name }) => !['seen', 'confirmed'].includes(name));
  const head = [tell(language, 'column.kind'), tell(language, 'rights.before'), tell(language, 'rights.after')];
  const main = html`${status === 409 && alertNotice(tell(language, 'rights.changed'))}
<h1>${title}</h1>
<p>${tell(language, 'rights.text')}</p>
${tableOf(
  head,
  lines.map(([name, text]) => [tell(language, name), text(now), text(rights)]),
)}
<form class="actions" method="post" action="${at}/rights">
${[...typed, { name: 'seen', text: seenOf(now) }].map(({ name, text }) => html`<input type="hidden" name="${name}" value="${text}">`)}
<button class="primary" name="confirmed" value="yes">${tell(language, 'rights.confirm')}</button>
<a class="button" href="${at}/rights">${tell(language, 'staff_ask.no')}</a>
</form>`;
  return send(status, { title, main });
}
