import type { App } from '../../app.ts';
import { publicPath } from '../../http/assets.ts';
import type { Screen } from '../../http/endpoint.ts';
import { html } from '../../http/html.ts';
import { addUp } from '../../lib/exact-sum.ts';
import { formatMoney } from '../../lib/money.ts';
import type { AccountType } from '../../payout-senders/payout-sender.ts';
import {
  approvePayouts,
  cancelPayouts,
  findApprovalRefusal,
  hashOfShown,
  type PayoutDecision,
  rejectPayouts,
  submitPayouts,
} from '../../payouts/approval/decide-payouts.ts';
import { setAccountType } from '../../payouts/files/set-account-type.ts';
import { findBatch, findPayout, listPayouts } from '../../payouts/find-payout.ts';
import type { Payout } from '../../payouts/payout.ts';
import { PAYOUT_CURRENCY } from '../../payouts/payout.ts';
import { payableBalance } from '../../payouts/payout-balance.ts';
import { MOST_IN_BATCH } from '../../payouts/payout-wish.ts';
import { tableOf } from '../console-format.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, requireProof } from '../console-visit.ts';
import { formRefusal } from '../form-refusal.ts';
import { keptPath, sealedOf } from '../kept-typing.ts';
import { alertNotice, type Fault, reasonField } from '../notice.ts';
import { fieldsOf } from '../sign-in.ts';
import { payoutTable, sendBatch } from './batch-page.ts';
import { reasonFor, reasonOf } from './decision-forms.ts';
import { seePayouts, warningNotices } from './payout-cells.ts';
import { sendPayout } from './payout-page.ts';

/** The subject of the decision: one payout or a batch. `path` is below `/console`. */
type Subject = Pick<PayoutDecision, 'owner' | 'named'> & { path: string; name: string; payouts: Payout[] };

/** The difference between payouts and batches: how the subject is found, and the page that follows. */
type Kind = {
  find(app: App, visit: ConsoleVisit): Promise<Subject>;
  send(app: App, visit: ConsoleVisit, status: number, refused: string | Fault): ReturnType<typeof sendPayout>;
};

const PAYOUT: Kind = {
  find: async (app, { user, request }) => {
    const { id } = request.params as { id: string };
    const { owner, payout } = await findPayout(app, user.environmentIds, id);
    return { owner, named: { ids: [id] }, path: `/payouts/${id}`, name: payout.reference, payouts: [payout] };
  },
  send: sendPayout,
};

const BATCH: Kind = {
  find: async (app, { user, request }) => {
    const { id } = request.params as { id: string };
    const { owner, batch } = await findBatch(app, user.environmentIds, id);
    const payouts = await listPayouts(app, new Set([owner.id]), { batchId: id }, { limit: MOST_IN_BATCH });
    return { owner, named: { batchId: id }, path: `/batches/${id}`, name: batch.name || id, payouts };
  },
  send: sendBatch,
};

export const getConsoleApprovePayout = question(PAYOUT);
export const postConsoleApprovePayout = approval(PAYOUT);
export const postConsoleRejectPayout = decision(PAYOUT, rejectPayouts, 'reject');
export const postConsoleCancelPayout = decision(PAYOUT, cancelPayouts, 'cancel');

export const getConsoleApproveBatch = question(BATCH);
export const postConsoleApproveBatch = approval(BATCH);
export const postConsoleRejectBatch = decision(BATCH, rejectPayouts, 'reject');
export const postConsoleCancelBatch = decision(BATCH, cancelPayouts, 'cancel');

/** Submits the drafts of a batch for approval. */
export const postConsoleSubmitBatch = consoleHandler(async (app, visit) =>
  carryOut(app, visit, BATCH, await BATCH.find(app, visit), {
    decide: submitPayouts,
    done: 'submitted',
    reason: null,
  }),
);

/** Sets the type of an account, for banks whose file needs it. It applies to every payout to that account. */
export const postConsoleAccountType = consoleHandler(async (app, visit) => {
  const { user, by, request, language, goTo } = visit;
  const { id } = request.params as { id: string };
  const { payout } = await findPayout(app, user.environmentIds, id);
  try {
    await setAccountType(app, payout, fieldsOf(request)['type'] as AccountType, by);
    return await goTo(`/payouts/${id}?done=account_type`);
  } catch (error) {
    const { status, said } = formRefusal(language, error);
    return sendPayout(app, visit, status, said);
  }
});

/**
 * Asks for confirmation, with the amount, the recipients and their accounts, the entries that the payouts add to the
 * books, the merchant's money afterwards, and the warnings.
 */
function question(kind: Kind): Screen {
  return consoleHandler(async (app, visit) => {
    const subject = await kind.find(app, visit);
    const { reason = '' } = sealedOf(visit);
    const asked = requireProof(app, visit, keptPath(visit, `${subject.path}/approve`, { reason }));
    if (asked !== null) return asked;
    return sendQuestion(app, visit, kind, subject, { reason });
  });
}

/** Approves the payouts after the confirmation and the second factor. */
function approval(kind: Kind): Screen {
  return consoleHandler(async (app, visit) => {
    const subject = await kind.find(app, visit);
    const { reason: text = '', shown } = fieldsOf(visit.request);
    const asked = requireProof(app, visit, keptPath(visit, `${subject.path}/approve`, { reason: text }));
    if (asked !== null) return asked;
    const reason = reasonOf(text);
    if (text.trim() !== '' && reason === null) {
      const refused = { said: tell(visit.language, 'refund.no_reason'), field: 'reason' };
      return sendQuestion(app, visit, kind, subject, { reason: text, refused });
    }
    return carryOut(app, visit, kind, subject, { decide: approvePayouts, done: 'approved', reason, shown });
  });
}

type Decide = (app: App, decision: PayoutDecision) => Promise<Payout[]>;

/** Rejects or cancels payouts, with a reason. */
function decision(kind: Kind, decide: Decide, act: 'reject' | 'cancel'): Screen {
  return consoleHandler(async (app, visit) => {
    const reason = reasonOf(fieldsOf(visit.request)['reason']);
    const subject = await kind.find(app, visit);
    const fault = { said: tell(visit.language, 'refund.no_reason'), field: reasonFor(act) };
    if (reason === null) return kind.send(app, visit, 400, fault);
    const done = act === 'reject' ? 'rejected' : 'cancelled';
    return carryOut(app, visit, kind, subject, { decide, done, reason });
  });
}

async function carryOut(
  app: App,
  visit: ConsoleVisit,
  kind: Kind,
  { owner, named, path }: Subject,
  { decide, done, reason, shown }: { decide: Decide; done: string; reason: string | null; shown?: string | undefined },
) {
  try {
    await decide(app, { owner, named, by: visit.by, reason, shown });
  } catch (error) {
    const { status, said } = formRefusal(visit.language, error);
    return kind.send(app, visit, status, said);
  }
  return visit.goTo(`${path}?done=${done}`);
}

type Typed = { reason: string; refused?: Fault };

async function sendQuestion(app: App, visit: ConsoleVisit, kind: Kind, subject: Subject, typed: Typed) {
  const { language, user, by, send } = visit;
  const { owner, named, path, name, payouts } = subject;
  const { reason, refused: fault = '' } = typed;
  const waiting = payouts.filter(({ state }) => state === 'awaiting_approval');
  const seen = await seePayouts(app, waiting);
  const own = seen.map(({ barred }) => barred.get(user.id)).find((why) => why !== undefined);
  if (waiting.length === 0) return kind.send(app, visit, 409, tell(language, 'decide.nothing_waits'));
  if (own !== undefined) return kind.send(app, visit, 409, tell(language, 'decide.not_yours', { why: own[language] }));
  const refusal = await findApprovalRefusal(app, { owner, named, by, reason: null });
  if (refusal !== null) {
    const { status, said } = formRefusal(language, refusal);
    return kind.send(app, visit, status, said);
  }
  const total = addUp(waiting.map(({ amount }) => amount));
  const money = formatMoney(total, PAYOUT_CURRENCY);
  const available = await payableBalance(app, owner.id);
  const left = addUp([available, -total]);
  const odd = seen.filter(({ warnings }) => warnings.length > 0);
  const title = tell(language, 'decide.title', { n: waiting.length, amount: money });
  const at = `${publicPath(app)}/console${path}`;
  const entries = [
    [tell(language, 'booked.merchant'), formatMoney(-total, PAYOUT_CURRENCY)],
    [tell(language, 'booked.reserved'), `+${money}`],
  ];
  const main = html`${alertNotice(fault)}
<p class="quiet">${seen[0]?.merchant ?? ''} · ${tell(language, `merchant.${owner.environment}`)} · <a href="${at}">${name}</a></p>
<h1>${title}</h1>
${odd.slice(0, MOST_ODD).map(({ payout, warnings }) => html`<h2 class="code">${payout.reference}</h2>${warningNotices(app, language, warnings)}`)}
${odd.length > MOST_ODD && html`<p class="notice">${tell(language, 'decide.more_odd', { n: odd.length - MOST_ODD })}</p>`}
<h2>${tell(language, 'decide.payees')}</h2>
${payoutTable(app, language, seen, 'decide.more')}
<p>${tell(language, 'decide.entries')}</p>
${tableOf([tell(language, 'refund.account'), tell(language, 'column.amount')], entries, [1])}
<p>${tell(language, 'decide.left', { amount: formatMoney(left, PAYOUT_CURRENCY) })}</p>
<form class="card pad" method="post" action="${at}/approve">
<input type="hidden" name="shown" value="${hashOfShown(seen)}">
${reasonField(language, fault, { value: reason, isOptional: true })}
<p class="actions"><button class="primary">${tell(language, 'decide.confirm', { amount: money })}</button>
<a class="button" href="${at}">${tell(language, 'refund.back')}</a></p></form>`;
  return send(fault === '' ? 200 : 400, { title, main });
}

/** The most payouts with warnings on this page; the page of the batch has all. */
const MOST_ODD = 50;
