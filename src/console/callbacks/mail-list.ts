import type { App } from '../../app.ts';
import { Problem } from '../../error-catalogue.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { type MailState, maskAddress } from '../../mail/mail.ts';
import type { ListedMail } from '../../mail/mail-queries.ts';
import { endMail, listMails, resendMail } from '../../mail/manage-mails.ts';
import { findElsewhere } from '../../payment-services/elsewhere.ts';
import { ageCell, badge, emptyState, testBadge, timeCell } from '../console-format.ts';
import { askedOf, type Column, keptList, pathOfList, readFirst, sendList } from '../console-list.ts';
import { tell, tellKind } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage } from '../console-visit.ts';
import { alertNotice, askFirst, doneNotice } from '../notice.ts';
import { fieldsOf } from '../sign-in.ts';

const SHOWN = 500;

/**
 * Lists the receipts that wait and those that were given up, with their age and the last failure: the newest, or, with
 * the oldest at the top, the oldest. Behind many newer ones a person who is asked to end the oldest finds it so.
 */
export const getConsoleMails = consoleHandler((app, visit) => sendMails(app, visit));

/** The states of a receipt that has not left. */
const OPEN = ['queued', 'dead'] as const satisfies readonly MailState[];

/** The result of a form, in the address of the list that follows. `changed`: nothing was done. */
const DONE = ['resent', 'ended', 'changed'] as const;

/**
 * Sends a receipt again, or ends it, as `mail resend` and `mail end` do. A page that was opened before the receipt
 * changed does nothing, so that no payer gets it twice.
 */
export const postConsoleMails = consoleHandler(async (app, visit) => {
  const { id = '', act = '', state = '', attempts = '', kept } = fieldsOf(visit.request);
  const run = act === 'resend' ? resendMail : act === 'end' ? endMail : null;
  const seen = OPEN.find((one) => one === state);
  if (run === null || seen === undefined || !/^\d{1,4}$/.test(attempts)) throw new Problem('INVALID_PARAMETER');
  const outcome = await run(app, id, visit.by, { state: seen, attempts: Number(attempts) });
  if (outcome === 'unknown') return visit.send(404, notFoundPage(visit.language));
  const done = outcome === 'no' ? 'changed' : act === 'resend' ? 'resent' : 'ended';
  return visit.goTo(pathOfList('/mails', kept, { done }));
});

async function sendMails(app: App, visit: ConsoleVisit) {
  const { language } = visit;
  const asked = askedOf(visit);
  const done = DONE.find((one) => one === asked['done']);
  const said = done === undefined ? '' : tell(language, `mails.${done}`);
  const state = OPEN.find((one) => one === asked['state']) ?? null;
  const { environments } = await findElsewhere(app);
  const first = asked['sort'] === 'since' ? 'oldest' : 'newest';
  return sendList<ListedMail>(visit, {
    title: tell(language, 'mails.title'),
    path: '/mails',
    columns: columnsFor(visit),
    ...(await readFirst(SHOWN, (limit) => listMails(app, state, limit, environments, first))),
    filters: [
      {
        name: 'state',
        text: 'column.state',
        type: OPEN.map((one) => [one, stateText(language, one)] as const),
      },
    ],
    above: html`${done === 'changed' ? alertNotice(said) : said !== '' && doneNotice(said)}
${app.mailer === null && html`<p class="notice">${tell(language, 'mails.no_server')}</p>`}`,
    empty: emptyState(visit, tell(language, 'mails.none'), 'bin/rubrica mail list'),
  });
}

function stateText(language: Language, state: MailState): string {
  return tellKind(language, 'mail_state', state);
}

function columnsFor(visit: ConsoleVisit): Column<ListedMail>[] {
  const { app, language, user } = visit;
  const at = `${publicPath(app)}/console`;
  const columns: Column<ListedMail>[] = [
    { name: 'id', text: 'column.id', value: ({ id }) => id, hidden: true },
    {
      name: 'since',
      text: 'people.since',
      value: ({ created_at }) => created_at,
      kind: 'time',
      cell: ({ created_at }) =>
        html`${timeCell(created_at)}<br><span class="quiet">${ageCell(language, Math.max(0, app.now() - created_at))}</span>`,
    },
    {
      name: 'transaction',
      text: 'column.transaction',
      value: ({ transaction_id }) => transaction_id,
      cell: ({ transaction_id: id }) =>
        user.may.has('payments:read') ? html`<a href="${at}/payments/${id}">${id}</a>` : id,
    },
    {
      name: 'merchant',
      text: 'column.merchant',
      value: ({ name }) => name,
      cell: ({ name, environment }) => html`${name}${testBadge(language, environment)}`,
    },
    {
      name: 'address',
      text: 'column.address',
      value: ({ address }) => maskAddress(address),
      cell: ({ address }) => html`<span class="mail">${maskAddress(address)}</span>`,
    },
    {
      name: 'state',
      text: 'column.state',
      value: ({ state }) => stateText(language, state),
      cell: ({ state }) => badge(state === 'dead' ? 'bad' : 'warn', stateText(language, state)),
    },
    { name: 'attempts', text: 'mails.attempts', kind: 'number', value: ({ attempts }) => attempts },
    { name: 'failure', text: 'mails.failure', value: ({ failure }) => failure },
  ];
  if (!user.may.has('callbacks:resend')) return columns;
  return [...columns, { name: 'act', text: 'mails.act', value: () => null, cell: (mail) => actCell(visit, mail) }];
}

/** Shows the forms for a receipt. They carry its state, as the person sees it. Its end asks first. */
function actCell(visit: ConsoleVisit, { id, state, attempts }: ListedMail): Html {
  const { app, language } = visit;
  const fields = Object.entries({ id, state, attempts: String(attempts) }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const form = (button: Html) =>
    html`<form method="post" action="${publicPath(app)}/console/mails">${fields}${keptList(visit)}${button}</form>`;
  return html`${form(html`<button class="link" name="act" value="resend">${tell(language, 'mails.resend')}</button>`)}
${askFirst(tell(language, 'mails.end'), tell(language, 'mails.end_text'), form(html`<button name="act" value="end">${tell(language, 'mails.end')}</button>`))}`;
}
