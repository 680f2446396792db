import type { App } from '../../app.ts';
import { currentDirectory } from '../../bank-validation/directory/current-directory.ts';
import { identityHashes } from '../../bank-validation/identity-hash.ts';
import { readRut } from '../../bank-validation/rut.ts';
import { validateBankAccount } from '../../bank-validation/validate-bank-account.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { listRecipients } from '../../payouts/recipients/find-recipient.ts';
import { keepRecipient } from '../../payouts/recipients/keep-recipient.ts';
import type { Recipient } from '../../payouts/recipients/recipient.ts';
import { ageCell, badge, emptyState } from '../console-format.ts';
import { type Column, EXPORTED, sendList } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { formatOf } from '../export-in-turn.ts';
import { addressQuery, typedOf, unopenedNote } from '../kept-typing.ts';
import { alertNotice, type Fault } from '../notice.ts';
import { fieldsOf } from '../sign-in.ts';
import {
  type AccountFields,
  accountFault,
  accountFields,
  accountForm,
  accountInputOf,
  holderFault,
  noMerchantFault,
  verdictSection,
} from './account-form.ts';
import { listSeenOwners } from './owner-choice.ts';
import { accountCell } from './payout-cells.ts';

const SHOWN = 50;

type SeenRecipient = Recipient & { bank: string; merchant: string | null };

/** Lists the recipients with the verdict of their account and its age, and a form for a new one. */
export const getConsoleRecipients = consoleHandler(async (app, visit) => {
  const { language, user } = visit;
  const { after = '', ...asked } = typedOf(visit);
  const { rut = '' } = asked;
  const limit = formatOf(visit) === null ? SHOWN : EXPORTED;
  const { recipients, next } = await listRecipients(app, user, {
    after: after || null,
    limit,
    ...(rut !== '' && { rutHash: (await identityHashes(app)).ofRut(readRut(rut).canonical ?? rut) }),
  });
  const owners = await listSeenOwners(app, user);
  const names = new Map(owners.map(({ merchant, name }) => [merchant, name]));
  const { banks } = await currentDirectory(app);
  const more = next !== null && `${publicPath(app)}/console/recipients?${addressQuery(visit, { rut, after: next })}`;
  return sendList<SeenRecipient>(visit, {
    title: tell(language, 'recipients.title'),
    path: '/recipients',
    columns: columnsFor(app, language),
    rows: recipients.map((one) => ({
      ...one,
      bank: banks.get(one.bankCode)?.name ?? one.bankCode,
      merchant: names.get(one.paymentServiceId ?? '') ?? null,
    })),
    typed: asked,
    above: unopenedNote(visit),
    filters: [{ name: 'rut', text: 'column.rut', type: 'search' }],
    cut: next !== null && recipients.length,
    paged: next !== null || after !== '',
    empty: emptyState(
      visit,
      tell(language, user.may.has('accounts:validate') ? 'recipients.none_yet' : 'recipients.none'),
      'bin/rubrica recipient create FILE --as EMAIL',
    ),
    noneSuch: emptyState(visit, tell(language, 'recipients.none_such'), ''),
    below: html`${more !== false && html`<p class="actions"><a class="button" href="${more}">${tell(language, 'recipients.next')}</a></p>`}
${user.may.has('accounts:validate') && html`<h2 id="new">${tell(language, 'recipients.add')}</h2>${await accountForm(app, visit, { action: actionOf(app), fields: {}, owners })}`}`,
  });
});

/** Validates an account and shows the result; with the id of that validation stores the account. */
export const postConsoleRecipients = consoleHandler(async (app, visit) => {
  const { language, user, by, request, goTo } = visit;
  const posted = fieldsOf(request);
  const { fields, repairs } = await accountFields(app, posted);
  const noMerchant = noMerchantFault(language, await listSeenOwners(app, user), fields);
  if (noMerchant !== null)
    return sendAdding(app, visit, { status: 400, said: noMerchant.said, fields, found: false, fault: noMerchant });
  try {
    const { validation: validationId } = posted;
    if (validationId === undefined) {
      const validation = await validateBankAccount(app, user, accountInputOf(fields));
      return await sendAdding(app, visit, {
        status: 200,
        said: '',
        fields,
        found: verdictSection(visit, { action: actionOf(app), fields, repairs, validation }),
        fault: accountFault(language, validation),
      });
    }
    const { merchant, name, email } = fields;
    const input = {
      validationId,
      paymentServiceId: merchant || null,
      account: accountInputOf(fields),
      name,
      email: email || null,
    };
    const { id } = await keepRecipient(app, user, null, input, by);
    return await goTo(`/recipients/${id}?done=kept`);
  } catch (error) {
    const { status, ...fault } = holderFault(language, error);
    return sendAdding(app, visit, { status, said: fault.said, fields, found: false, fault });
  }
});

function actionOf(app: App): string {
  return `${publicPath(app)}/console/recipients`;
}

type Adding = {
  status: number;
  said: string;
  fields: AccountFields;
  found: Html | false;
  fault?: Fault;
};

async function sendAdding(app: App, visit: ConsoleVisit, { status, said, fields, found, fault }: Adding) {
  const { language, user, send } = visit;
  const title = tell(language, 'recipients.add');
  const form = await accountForm(app, visit, {
    action: actionOf(app),
    fields,
    owners: await listSeenOwners(app, user),
    ...(fault !== undefined && { fault }),
  });
  const main = html`${alertNotice({ said, field: fault?.field })}
<h1>${title}</h1>
${found}
<h2>${tell(language, 'recipient.write_again')}</h2>
${form}`;
  return send(status, { title, main });
}

/** Shows the present verdict, how long it counts, and its age. */
export function verdictCell(app: App, language: Language, { verdict, state, validatedAt }: Recipient): Html {
  const text = tell(language, verdict === 'confirmed' ? 'verdict.confirmed' : 'verdict.plausible');
  return html`<span>${badge(state === 'current' ? 'good' : 'warn', state === 'current' ? text : tell(language, 'recipient.stale'))}<br><span class="quiet">${ageCell(language, app.now() - validatedAt)}</span></span>`;
}

function columnsFor(app: App, language: Language): Column<SeenRecipient>[] {
  return [
    {
      name: 'name',
      text: 'column.recipient',
      value: ({ name }) => name,
      cell: ({ id, name }) => html`<a href="${publicPath(app)}/console/recipients/${id}">${name}</a>`,
    },
    { name: 'id', text: 'column.recipient_id', value: ({ id }) => id, hidden: true },
    {
      name: 'rut',
      text: 'column.rut',
      value: ({ rut }) => rut,
      cell: ({ rut }) => html`<span class="whole">${rut}</span>`,
    },
    {
      name: 'account',
      text: 'column.account',
      value: ({ bank, maskedAccount }) => `${bank} ${maskedAccount}`,
      cell: ({ bank, maskedAccount }) => accountCell(bank, maskedAccount),
    },
    {
      name: 'verdict',
      text: 'column.verdict',
      value: ({ verdict, state }) => (state === 'current' ? verdict : tell(language, 'recipient.stale')),
      cell: (one) => verdictCell(app, language, one),
    },
    {
      name: 'validated',
      text: 'column.validated',
      kind: 'time',
      value: ({ validatedAt }) => validatedAt,
      hidden: true,
    },
    { name: 'until', text: 'column.valid_until', kind: 'time', value: ({ validUntil }) => validUntil },
    { name: 'email', text: 'filter.email', value: ({ email }) => email, hidden: true },
    { name: 'merchant', text: 'column.merchant', value: ({ merchant }) => merchant },
  ];
}
