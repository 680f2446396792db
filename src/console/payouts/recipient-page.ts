import type { App } from '../../app.ts';
import { selectNamedUsers } from '../../auth/user-queries.ts';
import { currentDirectory } from '../../bank-validation/directory/current-directory.ts';
import { validateBankAccount } from '../../bank-validation/validate-bank-account.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { parseTyped } from '../../lib/money.ts';
import { PAYOUT_CURRENCY } from '../../payouts/payout.ts';
import { proposePayouts } from '../../payouts/propose-payouts.ts';
import { recipientPayee } from '../../payouts/recipients/find-payees.ts';
import { findRecipient } from '../../payouts/recipients/find-recipient.ts';
import { keepRecipient } from '../../payouts/recipients/keep-recipient.ts';
import type { Recipient } from '../../payouts/recipients/recipient.ts';
import { actorText, tableOf, timeCell } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage } from '../console-visit.ts';
import { fieldAtFault, formRefusal } from '../form-refusal.ts';
import { type Fault, formField, resultNotice } from '../notice.ts';
import { whoMay } from '../permission-texts.ts';
import { fieldsOf } from '../sign-in.ts';
import {
  type AccountFields,
  accountFault,
  accountFields,
  accountForm,
  accountInputOf,
  holderFault,
  verdictSection,
} from './account-form.ts';
import { DONE_WITH_PAYOUTS } from './decision-forms.ts';
import { listSeenOwners, noOwnerFault, ownerField, ownerNamed } from './owner-choice.ts';
import { accountCell } from './payout-cells.ts';
import { verdictCell } from './recipient-list.ts';

/** `found`, `account` and `wrong`: the result of a validation, the account as typed, and what is wrong with it. */
type Answer = Fault & {
  status: number;
  found?: Html;
  account?: Partial<AccountFields>;
  wrong?: Fault;
  pay?: Record<string, string>;
};

/** Shows one recipient: the present account, all its versions, a form for another account, and a form for a payout. */
export const getConsoleRecipient = consoleHandler((app, visit) => sendRecipient(app, visit, { status: 200, said: '' }));

/**
 * Validates another account of the same holder, or the same account again; with the id of that validation stores it.
 */
export const postConsoleRecipient = consoleHandler(async (app, visit) => {
  const { language, user, by, request, goTo } = visit;
  const { id } = request.params as { id: string };
  await findRecipient(app, user, id);
  const posted = fieldsOf(request);
  const { fields, repairs } = await accountFields(app, posted);
  const action = `${publicPath(app)}/console/recipients/${id}`;
  try {
    const { validation: validationId } = posted;
    if (validationId === undefined) {
      const validation = await validateBankAccount(app, user, accountInputOf(fields));
      return await sendRecipient(app, visit, {
        status: 200,
        said: '',
        found: verdictSection(visit, { action, fields, repairs, validation }),
        account: fields,
        wrong: accountFault(language, validation),
      });
    }
    const { name, email } = fields;
    const input = {
      validationId,
      paymentServiceId: null,
      account: accountInputOf(fields),
      name,
      email: email || null,
    };
    await keepRecipient(app, user, id, input, by);
    return await goTo(`/recipients/${id}?done=kept`);
  } catch (error) {
    const fault = holderFault(language, error);
    return sendRecipient(app, visit, { ...fault, account: fields, wrong: fault });
  }
});

/** Proposes one payout, which another person approves. The same reference again is the same payout. */
export const postConsolePay = consoleHandler(async (app, visit) => {
  const { language, user, by, request, send, goTo } = visit;
  const { id } = request.params as { id: string };
  const [{ paymentServiceId }] = await findRecipient(app, user, id);
  const pay = fieldsOf(request);
  const noOwner = noOwnerFault(language, pay['of']);
  if (noOwner !== null) return sendRecipient(app, visit, { status: 400, ...noOwner, pay });
  const owner = await ownerNamed(app, user, pay['of']);
  if (owner === null || (paymentServiceId ?? owner.paymentServiceId) !== owner.paymentServiceId) {
    return send(404, notFoundPage(language));
  }
  const { amount: text = '', reference = '', message = '' } = pay;
  const amount = parseTyped(text.trim(), PAYOUT_CURRENCY);
  if (amount === null || amount < 1) {
    return sendRecipient(app, visit, {
      status: 400,
      said: tell(language, 'recipient.bad_amount'),
      field: 'amount',
      pay,
    });
  }
  const payee = await recipientPayee(app, id);
  const wishes = [{ reference: reference.trim(), amount, payee, message: message.trim(), callbackUrl: null }];
  try {
    const batch = { name: reference.trim(), fileSha256: null };
    const { kind, payouts } = await proposePayouts(app, { owner, by, wishes, batch });
    // Of an amount above the limit of one transfer, the page of one payout would show a part of what was typed.
    const [only, another] = payouts;
    const place = another === undefined ? `/payouts/${only?.id}` : `/batches/${only?.batch_id}`;
    return await goTo(`${place}?done=${kind}`);
  } catch (error) {
    return sendRecipient(app, visit, { ...formRefusal(language, error), field: fieldAtFault(error, PAY_FIELDS), pay });
  }
});

/** The fields of the form for a payout, by their names in requests. */
const PAY_FIELDS: Readonly<Record<string, string>> = {
  id: 'reference',
  amount: 'amount',
  messageToAddressee: 'message',
};

async function sendRecipient(app: App, visit: ConsoleVisit, answer: Answer) {
  const { status, found, account = {}, wrong, pay = {}, ...fault } = answer;
  const { language, user, request, send } = visit;
  const { id } = request.params as { id: string };
  const versions = await findRecipient(app, user, id);
  const [newest] = versions;
  const { banks } = await currentDirectory(app);
  const at = `${publicPath(app)}/console/recipients/${id}`;
  const users = await selectNamedUsers(app.db, [...new Set(versions.map(({ createdBy }) => createdBy))]);
  const keepers = new Map(users.map((one) => [one.id, one.email]));
  const title = newest.name;
  const head = (['version', 'kept', 'who', 'account', 'verdict', 'valid_until'] as const).map((name) =>
    tell(language, `column.${name}`),
  );
  const rows = versions.map((one) => [
    String(one.version),
    timeCell(one.createdAt),
    html`<span class="mail">${keepers.get(one.createdBy) ?? actorText(language, one.createdBy)}</span>`,
    accountCell(banks.get(one.bankCode)?.name ?? one.bankCode, one.maskedAccount),
    verdictCell(app, language, one),
    timeCell(one.validUntil),
  ]);
  const main = html`${resultNotice(visit, DONE_WITH_PAYOUTS, fault)}
<p class="quiet"><span class="code">${id}</span></p>
<h1>${title}</h1>
<p>${newest.rut}${newest.email !== null && html` · ${newest.email}`}</p>
${found ?? ''}
<h2>${tell(language, 'recipient.versions')}</h2>
${tableOf(head, rows)}
<p class="actions"><a class="button" href="${publicPath(app)}/console/payouts?text=${id}">${tell(language, 'recipient.payouts')}</a></p>
<div class="columns"><div>${user.may.has('payouts:create') && (await payForm(app, visit, newest, fault, pay))}</div>
<div>${
    user.may.has('accounts:validate') &&
    html`<h2>${tell(language, 'recipient.change')}</h2><p class="quiet">${tell(language, 'recipient.change_text')}</p>
${await accountForm(app, visit, { action: at, fields: { rut: newest.rut, bank: newest.bankCode, name: newest.name, email: newest.email ?? '', ...account }, owners: [], ...(wrong !== undefined && { fault: wrong }) })}`
  }</div></div>`;
  return send(status, { title, main });
}

async function payForm(
  app: App,
  visit: ConsoleVisit,
  { id, paymentServiceId }: Recipient,
  fault: Fault,
  pay: Record<string, string>,
) {
  const { language, user } = visit;
  const owners = (await listSeenOwners(app, user)).filter(
    ({ merchant }) => merchant === (paymentServiceId ?? merchant),
  );
  return html`<h2>${tell(language, 'recipient.pay')}</h2>
<form class="card pad narrow" method="post" action="${publicPath(app)}/console/recipients/${id}/pay">
${ownerField(visit, owners, pay['of'], fault)}
${formField(fault, 'amount', (attributes) => html`<label>${tell(language, 'recipient.amount')}<input name="amount" required inputmode="numeric" maxlength="15" value="${pay['amount'] ?? ''}"${attributes}></label>`)}
${formField(fault, 'reference', (attributes) => html`<label>${tell(language, 'recipient.reference')}<input name="reference" required maxlength="80" value="${pay['reference'] ?? ''}"${attributes}></label>`)}
${formField(fault, 'message', (attributes) => html`<label>${tell(language, 'recipient.message')}<input name="message" maxlength="200" value="${pay['message'] ?? ''}"${attributes}></label>`)}
<p class="quiet">${tell(language, 'decide.another', { who: whoMay(language, 'payouts:approve') })}</p>
<p class="actions"><button class="primary">${tell(language, 'recipient.propose')}</button></p></form>`;
}
