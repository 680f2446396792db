import { currencyExponent } from '../../../protocol/currency-exponents.ts';
import type { App } from '../../app.ts';
import { selectAvailable, selectBalance } from '../../books/balance-queries.ts';
import { methodReceivable } from '../../books/journal-entry.ts';
import { methodName } from '../../checkout/texts.ts';
import { publicPath } from '../../http/assets.ts';
import type { Screen } from '../../http/endpoint.ts';
import { type Html, html } from '../../http/html.ts';
import { addUp } from '../../lib/exact-sum.ts';
import type { Language } from '../../lib/language.ts';
import { formatMoney, parseTyped } from '../../lib/money.ts';
import { isBankReference, type Movement, movementEntries } from '../../movements/movement.ts';
import { type MovementWish, previewMovement, type Recording, recordMovement } from '../../movements/record-movement.ts';
import type { ServiceEnvironment } from '../../payment-services/payment-service.ts';
import { entriesTable, type Refused, refusedField } from '../attention/settle-form.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, requireProof } from '../console-visit.ts';
import { keptPath, sealedOf } from '../kept-typing.ts';
import { alertNotice, type Fault, formField } from '../notice.ts';
import { listSeenOwners, noOwnerFault, ownerField, ownerNamed, ownerText } from '../payouts/owner-choice.ts';
import { fieldsOf } from '../sign-in.ts';

/** A person records a deposit that came, or money that was sent to the merchant. */
type Kind = MovementWish['kind'];

const PATHS: Readonly<Record<Kind, string>> = { deposit: '/movements/deposit', payout: '/movements/payout' };
const FIELDS = ['of', 'from', 'amount', 'commission', 'currency', 'reference'] as const;
const NOTHING: Fault = { said: '' };

/** The fields as they were typed. */
type Typed = Readonly<Record<string, string>>;

/** `owner`: whose books get it. */
type Asked = { owner: ServiceEnvironment; wish: MovementWish };

export const getConsoleDeposit = asking('deposit');
export const postConsoleDeposit = recording('deposit');
export const getConsolePaidOut = asking('payout');
export const postConsolePaidOut = recording('payout');

/** Asks for money that no bank statement shows as a line of its own. */
function asking(kind: Kind): Screen {
  return consoleHandler(async (app, visit) => {
    const typed = sealedOf(visit, ['of']);
    return requireProof(app, visit, addressOf(visit, kind, typed)) ?? sendForm(app, visit, kind, typed);
  });
}

/** Shows what the books will say; with `confirm` records it, as `deposit create` and `payout create` do. */
function recording(kind: Kind): Screen {
  return consoleHandler(async (app, visit) => {
    const fields = fieldsOf(visit.request);
    const proof = requireProof(app, visit, addressOf(visit, kind, fields));
    if (proof !== null) return proof;
    const refuse = (status: number, fault: Fault) => sendForm(app, visit, kind, fields, { status, fault });
    const asked = await readAsked(app, visit, kind, fields);
    if ('refusal' in asked) return refuse(400, asked.refusal);
    const { owner, wish } = asked;
    const isConfirmed = fields['confirm'] !== undefined;
    const done = await (isConfirmed ? recordMovement : previewMovement)(app, owner, wish);
    if (done.kind === 'recorded' && !isConfirmed) return sendQuestion(app, visit, asked, fields, done.movement);
    if (done.kind === 'recorded' || done.kind === 'replayed')
      return visit.goTo(`/movements/${done.movement.id}?done=${done.kind}`);
    return refuse(409, faultOf(visit.language, wish, done));
  });
}

function addressOf(visit: ConsoleVisit, kind: Kind, typed: Typed): string {
  return keptPath(visit, PATHS[kind], Object.fromEntries(FIELDS.map((name) => [name, typed[name] ?? ''])));
}

async function readAsked(
  app: App,
  { language, user, by }: ConsoleVisit,
  kind: Kind,
  fields: Typed,
): Promise<Asked | Refused> {
  const text = (name: (typeof FIELDS)[number]) => (fields[name] ?? '').trim();
  const noOwner = noOwnerFault(language, text('of'));
  const owner = noOwner === null ? await ownerNamed(app, user, text('of')) : null;
  if (owner === null) return { refusal: noOwner ?? { said: tell(language, 'upload.choose_whose'), field: 'of' } };
  const isDeposit = kind === 'deposit';
  const method = isDeposit
    ? (app.paymentMethods.find(({ code }) => text('from') === `method ${code}`)?.code ?? null)
    : null;
  if (isDeposit && method === null && text('from') !== 'merchant')
    return refusedField('from', tell(language, 'deposit.no_source'));
  const currency = text('currency').toUpperCase();
  if (currencyExponent(currency) === undefined) return refusedField('currency', tell(language, 'deposit.bad_currency'));
  const amount = parseTyped(text('amount'), currency);
  if (amount === null || amount < 1) return refusedField('amount', tell(language, 'deposit.bad_amount'));
  const commission = text('commission') === '' ? 0 : parseTyped(text('commission'), currency);
  if (commission === null || (commission > 0 && method === null))
    return refusedField('commission', tell(language, 'deposit.bad_commission'));
  const reference = text('reference');
  if (!isBankReference(reference)) return refusedField('reference', tell(language, 'deposit.bad_reference'));
  return { owner, wish: { kind, reference, amount, commission, currency, paymentMethod: method, by } };
}

function faultOf(language: Language, { kind, currency, paymentMethod }: MovementWish, recording: Recording): Fault {
  if (recording.kind === 'refused') {
    const most = formatMoney(recording.most, currency);
    const method = methodName(language, { code: paymentMethod ?? '' });
    const said =
      kind === 'payout'
        ? tell(language, 'paid.too_much', { most })
        : tell(language, 'deposit.too_much', { method, most });
    return { said, field: 'amount' };
  }
  if (recording.kind === 'unknown') return { said: tell(language, 'upload.choose_whose'), field: 'of' };
  if (recording.kind === 'returned') return { said: tell(language, 'recorded.was_returned'), field: 'reference' };
  const amount = formatMoney(recording.movement.amount, recording.movement.currency);
  return { said: tell(language, 'recorded.different', { amount }), field: 'reference' };
}

async function sendForm(
  app: App,
  visit: ConsoleVisit,
  kind: Kind,
  typed: Typed,
  { status, fault }: { status: number; fault: Fault } = { status: 200, fault: NOTHING },
) {
  const { language, user, send } = visit;
  const isDeposit = kind === 'deposit';
  const title = tell(language, isDeposit ? 'deposit.title' : 'paid.title');
  const at = `${publicPath(app)}/console`;
  const value = (name: (typeof FIELDS)[number], otherwise = '') => typed[name] ?? otherwise;
  const sources = [
    ...app.paymentMethods.map((method) => {
      const text = tell(language, 'explain.method', { method: methodName(language, method) });
      return [`method ${method.code}`, text] as const;
    }),
    ['merchant', tell(language, 'explain.merchant')] as const,
  ];
  const main = html`${alertNotice(fault)}
<h1>${title}</h1>
<p>${tell(language, isDeposit ? 'deposit.text' : 'paid.text')}</p>
<form class="card pad narrow" method="post" action="${at}${PATHS[kind]}">
${ownerField(visit, await listSeenOwners(app, user), value('of'), fault)}
${isDeposit && formField(fault, 'from', (attributes) => html`<label>${tell(language, 'deposit.from')}<select name="from" required${attributes}><option value=""></option>${sources.map(([one, text]) => html`<option value="${one}"${one === value('from') && html` selected`}>${text}</option>`)}</select></label>`)}
${formField(fault, 'amount', (attributes) => html`<label>${tell(language, isDeposit ? 'deposit.amount' : 'paid.amount')}<input name="amount" required maxlength="15" inputmode="decimal" value="${value('amount')}" autocomplete="off"${attributes}></label>`)}
${formField(fault, 'currency', (attributes) => html`<label>${tell(language, 'column.currency')}<input name="currency" required maxlength="3" value="${value('currency', 'CLP')}" autocomplete="off"${attributes}></label>`)}
${isDeposit && formField(fault, 'commission', (attributes) => html`<label>${tell(language, 'deposit.commission')}<input name="commission" maxlength="15" inputmode="decimal" value="${value('commission')}" autocomplete="off"${attributes}></label>`)}
${formField(fault, 'reference', (attributes) => html`<label>${tell(language, 'deposit.reference')}<input name="reference" required maxlength="100" value="${value('reference')}" autocomplete="off"${attributes}></label>`, 'reference-hint')}
<p class="quiet" id="reference-hint">${tell(language, 'deposit.reference_hint')}</p>
<p class="actions"><button class="primary">${tell(language, 'settle.look')}</button></p></form>`;
  return send(status, { title, main, again: addressOf(visit, kind, typed) });
}

/** Asks for confirmation, with the entries and with what is owed or available afterwards. */
async function sendQuestion(app: App, visit: ConsoleVisit, { owner, wish }: Asked, typed: Typed, movement: Movement) {
  const { language, user, send } = visit;
  const { kind, amount, commission, currency, reference } = wish;
  const isDeposit = kind === 'deposit';
  const money = formatMoney(amount, currency);
  const title = tell(language, isDeposit ? 'deposit.question' : 'paid.question', { amount: money });
  const at = `${publicPath(app)}/console`;
  const name = (await listSeenOwners(app, user)).find(({ id }) => id === owner.id)?.name ?? '';
  const hidden = FIELDS.map((field) => html`<input type="hidden" name="${field}" value="${typed[field] ?? ''}">`);
  const main = html`<h1>${title}</h1>
<div class="card pad narrow"><dl class="facts">
<dt>${tell(language, 'column.merchant')}</dt><dd>${ownerText(language, name, owner.environment)}</dd>
${isDeposit && html`<dt>${tell(language, 'deposit.from')}</dt><dd>${sourceOf(language, wish)}</dd>`}
<dt>${tell(language, isDeposit ? 'deposit.amount' : 'paid.amount')}</dt><dd><strong>${money}</strong>${commission > 0 && html`<br>${tell(language, 'recorded.commission', { amount: formatMoney(commission, currency) })}`}</dd>
<dt>${tell(language, 'deposit.reference')}</dt><dd class="code">${reference}</dd>
</dl></div>
${entriesTable(language, movementEntries(movement))}
<p>${await afterwards(app, language, movement)}</p>
<p>${tell(language, 'deposit.stays')}</p>
<form class="actions" method="post" action="${at}${PATHS[kind]}">
${hidden}<input type="hidden" name="confirm" value="yes">
<button class="primary">${tell(language, 'deposit.confirm', { amount: money })}</button>
<a class="button" href="${at}${addressOf(visit, kind, typed)}">${tell(language, 'refund.back')}</a></form>`;
  return send(200, { title, main, again: addressOf(visit, kind, typed) });
}

function sourceOf(language: Language, { paymentMethod: code }: MovementWish): string {
  if (code === null) return tell(language, 'explain.merchant');
  return tell(language, 'explain.method', { method: methodName(language, { code }) });
}

/**
 * Says what the payment method owes, or the merchant has available, after a deposit or payout that is not recorded yet.
 */
export async function afterwards(app: App, language: Language, movement: Movement) {
  const { environment_id, kind, amount, commission, currency, payment_method: code } = movement;
  if (code !== null) {
    const account = methodReceivable(code);
    const owed = await selectBalance(app.db, { environmentId: environment_id, account, currency });
    const method = methodName(language, { code });
    const left = formatMoney(addUp([owed, -amount, -commission]), currency);
    return tell(language, 'deposit.owes_after', { method, left });
  }
  const available = await selectAvailable(app.db, [environment_id], currency);
  return tell(language, 'refund.merchant_left', {
    amount: formatMoney(addUp([available, kind === 'payout' ? -amount : amount]), currency),
  });
}

/** Leads people who record movements to the forms. `of`: the environment whose books get the entry, if it is known. */
export function recordingWays(app: App, { language, user }: ConsoleVisit, of?: number): Html | false {
  const query = of === undefined ? '' : `?of=${of}`;
  return (
    user.may.has('movements:record') &&
    html`<p class="actions"><a class="button" href="${publicPath(app)}/console${PATHS.deposit}${query}">${tell(language, 'deposit.way')}</a>
<a class="button" href="${publicPath(app)}/console${PATHS.payout}${query}">${tell(language, 'paid.way')}</a></p>`
  );
}
