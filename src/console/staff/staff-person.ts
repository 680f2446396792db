import type { App } from '../../app.ts';
import { whoSetWebhooks } from '../../audit/who-set-webhooks.ts';
import { listFactors } from '../../auth/factors/list-factors.ts';
import { listInvitations } from '../../auth/invitations/invite-user.ts';
import type { ListedUser } from '../../auth/list-users.ts';
import { kindOfRole } from '../../auth/permission.ts';
import { listSessions } from '../../auth/sign-in/list-sessions.ts';
import { apiTokenState, listApiTokens } from '../../auth/tokens/list-api-tokens.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { endpointAddress } from '../../outbox/endpoints/endpoint-address.ts';
import { selectSubscriptions } from '../../outbox/webhooks/webhook-subscription-queries.ts';
import { actorText, badge, tableOf, timeCell } from '../console-format.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage } from '../console-visit.ts';
import { resultNotice } from '../notice.ts';
import { meaningOfPermission, meaningOfRole, nameOfRole } from '../permission-texts.ts';
import {
  limitText,
  type MerchantNames,
  merchantNames,
  personOf,
  refusalFor,
  type StaffAct,
  seenBy,
} from './managed-person.ts';
import { sessionTable } from './session-table.ts';
import { tokenBadge } from './token-list.ts';

const DONE: Readonly<Record<string, ConsoleText>> = { changed: 'staff_done.changed', already: 'staff_done.already' };

/** Shows one person or program: their rights, their credentials and sessions, and the possible actions. */
export const getConsoleStaffPerson = consoleHandler(async (app, visit) => {
  const person = await personOf(app, visit);
  if (person === null) return visit.send(404, notFoundPage(visit.language));
  const manages = visit.user.may.has('users:manage');
  const refusal = manages ? await refusalFor(visit, person) : null;
  const may = manages && refusal === null;
  const main = html`${resultNotice(visit, DONE)}
<h1>${person.email}</h1>
<p class="quiet"><span class="code">${person.id}</span> ${stateBadge(visit.language, person)}</p>
${visit.user.may.has('audit:read') && html`<p class="actions"><a class="button" href="${publicPath(app)}/console/audit?who=${person.id}">${tell(visit.language, 'people.acts')}</a></p>`}
${refusal !== null && html`<p class="notice">${refusal}</p>`}
${factsCard(visit, person, may, await merchantNames(app))}
${await entrances(app, visit, person, may)}`;
  return visit.send(200, { title: person.email, main });
});

function stateBadge(language: Language, { disabled_at }: ListedUser): Html {
  return disabled_at === null
    ? badge('good', tell(language, 'people.enabled'))
    : badge('bad', tell(language, 'people.disabled'));
}

function factsCard({ app, language }: ConsoleVisit, person: ListedUser, may: boolean, names: MerchantNames): Html {
  const { role, permissions, second_factor: factor } = person;
  const facts: [ConsoleText, Html | string][] = [
    ['people.role', html`${nameOfRole(language, role)} <span class="quiet">${meaningOfRole(language, role)}</span>`],
    ['people.sees', seenBy(language, person.payment_services, names)],
    [
      'people.may',
      html`${permissions.map((one) => html`<span class="code" title="${meaningOfPermission(language, one)}">${one}</span> `)}`,
    ],
    ...(permissions.includes('refunds:create')
      ? [['people.limit', limitText(language, person.refund_limits)] as [ConsoleText, string]]
      : []),
    ['people.factor', tell(language, factor ? 'people.yes' : 'people.no')],
    ['people.last', timeCell(person.last_log_in_at)],
    ['people.since', timeCell(person.created_at)],
  ];
  const at = `${publicPath(app)}/console/staff/${person.id}`;
  const acts: readonly StaffAct[] = [
    person.disabled_at === null ? 'disable' : 'enable',
    ...(factor ? (['reset-factors'] as const) : []),
    ...(kindOfRole(role) === 'person' && person.disabled_at === null ? (['new-password'] as const) : []),
  ];
  return html`<div class="card pad"><dl class="facts">${facts.map(([name, value]) => html`<dt>${tell(language, name)}</dt><dd>${value}</dd>`)}</dl>
${
  may &&
  html`<div class="actions"><a class="button" href="${at}/rights">${tell(language, 'people.change')}</a>
${acts.map((act) => actButton(at, act, '', tell(language, `staff_act.${act}`)))}</div>`
}</div>`;
}

/** Links to the confirmation of an act. `of`: the id of the session, token or link, or the webhook. */
function actButton(at: string, act: StaffAct, of: string, text: string, kind = ''): Html {
  return html`<form action="${at}/confirm"><input type="hidden" name="act" value="${act}">${of !== '' && html`<input type="hidden" name="of" value="${of}">`}<button class="${kind}">${text}</button></form>`;
}

async function entrances(
  app: App,
  { language, session }: ConsoleVisit,
  { id, disabled_at }: ListedUser,
  may: boolean,
): Promise<Html> {
  const at = `${publicPath(app)}/console/staff/${id}`;
  const [found, sessions, tokens, links] = await Promise.all([
    listFactors(app, id),
    listSessions(app, id),
    listApiTokens(app, id),
    listInvitations(app),
  ]);
  const heads = (keys: readonly ConsoleText[]) => keys.map((key) => tell(language, key));
  const end = (act: StaffAct, of: string) =>
    may ? actButton(at, act, of, tell(language, `staff_act.${act}`), 'link') : '';
  const factors = (found?.factors ?? []).map(({ name, kind, created_at, last_used_at }) => [
    name,
    tell(language, `kind.${kind}`),
    timeCell(created_at),
    timeCell(last_used_at),
  ]);
  const open = links
    .filter(({ user }) => user === id)
    .map((link) => [
      actorText(language, link.created_by),
      timeCell(link.created_at),
      timeCell(link.expires_at),
      end('end-link', link.id),
    ]);
  const programs = (tokens ?? []).map((token) => [
    token.name,
    timeCell(token.created_at),
    actorText(language, token.created_by),
    timeCell(token.last_used_at),
    timeCell(token.expires_at),
    tokenBadge(language, apiTokenState({ ...token, disabled_at }, app.now())),
    token.ended_at === null ? end('end-token', token.id) : '',
  ]);
  const table = (title: ConsoleText, none: ConsoleText, keys: readonly ConsoleText[], rows: (Html | string)[][]) =>
    html`<h2>${tell(language, title)}</h2>${rows.length === 0 ? html`<p class="quiet">${tell(language, none)}</p>` : tableOf(heads(keys), rows)}`;
  const signedIn = sessions ?? [];
  const enabled = disabled_at === null;
  return html`${open.length > 0 && html`<h2>${tell(language, 'people.open_link')}</h2>${tableOf(heads(['people.made_by', 'staff.began', 'people.expires', 'staff.act']), open)}`}
${table('people.factors', 'people.no_factors', ['staff.name', 'staff.kind', 'staff.added', 'staff.last_use'], factors)}
<h2>${tell(language, 'people.sessions')}</h2>
${signedIn.length === 0 ? html`<p class="quiet">${tell(language, 'people.no_sessions')}</p>` : sessionTable(language, signedIn, (one) => (one.id === session.id ? tell(language, 'me.this_session') : end('end-session', one.id)))}
${may && signedIn.length > 1 && html`<div class="actions">${actButton(at, 'end-sessions', '', tell(language, 'staff_act.end-sessions'))}</div>`}
${table('people.tokens', 'people.no_tokens', ['staff.name', 'staff.added', 'people.made_by', 'staff.last_use', 'people.expires', 'column.state', 'staff.act'], programs)}
${may && enabled && html`<div class="actions"><a class="button" href="${at}/token">${tell(language, 'token.new')}</a></div>`}
${await webhooksPart(app, language, { id, enabled, may }, (webhook) => end('end-webhook', webhook))}`;
}

/**
 * Shows the webhooks, which no ended token or session ends. A disabled person's get no new event. Only who may change
 * the person sees the query of a URL, which can hold a credential of the receiver.
 */
async function webhooksPart(
  app: App,
  language: Language,
  { id, enabled, may }: { id: string; enabled: boolean; may: boolean },
  end: (webhook: string) => Html | string,
): Promise<Html | false> {
  const webhooks = await selectSubscriptions(app.db, id);
  if (webhooks.length === 0) return false;
  const names = webhooks.map(({ webhook }) => webhook);
  const setters = await whoSetWebhooks(app, id, names);
  const heads = (['staff.name', 'people.webhook_url', 'staff.began', 'people.made_by', 'staff.act'] as const).map(
    (key) => tell(language, key),
  );
  const rows = webhooks.map(({ webhook, url, created_at }) => [
    webhook,
    may ? url : endpointAddress(url),
    timeCell(created_at),
    actorText(language, setters.get(webhook) ?? null),
    end(webhook),
  ]);
  return html`<h2>${tell(language, 'people.webhooks')}</h2>
<p class="quiet">${tell(language, enabled ? 'people.webhooks_go_on' : 'people.webhooks_rest')}</p>
${tableOf(heads, rows)}`;
}
