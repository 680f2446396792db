import type { App } from '../../app.ts';
import { selectAudit } from '../../audit/audit-queries.ts';
import { Problem } from '../../error-catalogue.ts';
import { type Html, html } from '../../http/html.ts';
import { formatMoney } from '../../lib/money.ts';
import { findPayout } from '../../payouts/find-payout.ts';
import { mayBeSettled, PAYOUT_STATES, type Payout, standingOfPayout } from '../../payouts/payout.ts';
import type { PayoutOutcome } from '../../payouts/settling/settle-outcomes.ts';
import { rehearseSettlement, settlePayouts } from '../../payouts/settling/settle-payouts.ts';
import { endContradiction } from '../../statements/end-contradiction.ts';
import { refuseUnbooked } from '../../statements/refuse-unbooked.ts';
import {
  type Choices,
  entriesTable,
  type Place,
  readSaid,
  type Said,
  type SettleQuestion,
  sendSettlePreview,
} from '../attention/settle-form.ts';
import { settleScreens } from '../attention/settle-screens.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { formRefusal } from '../form-refusal.ts';
import { sendPayout } from './payout-page.ts';
import { doubtOf, type Left, pathOf } from './settle-way.ts';

/** `clear`: the state is right, and what contradicts it is wrong or is booked apart. */
type Outcome = PayoutOutcome | 'clear';

const CHOICES = {
  confirmed: 'settle.confirmed',
  failed: 'settle.payout_failed',
  returned: 'settle.payout_returned',
  clear: 'settle.clear',
} as const satisfies Record<Outcome, ConsoleText>;

/**
 * Asks how a payout that has left ended, or whether a contradiction is wrong or booked. Shows what the outcome would
 * do; with `confirm` records it.
 */
export const { get: getConsoleSettlePayout, post: postConsoleSettlePayout } = settleScreens({
  find: findLeft,
  placeOf,
  isInDoubt: ({ payout }) => mayBeSettled(payout),
  sendNothing: (app, visit) => sendSaid(app, visit, 'settle.payout_nothing'),
  question: questionOf,
  // The second click of a confirmation names an outcome that the state no longer allows.
  read: (visit, { payout }, sent) => readSaid(visit, sent, sent.isConfirmed ? CHOICES : choicesFor(payout)),
  preview,
  decide,
});

/** Returns the payout in the path. Throws `Problem` NOT_FOUND if the person may not see it. */
function findLeft(app: App, { user, request }: ConsoleVisit): Promise<Left> {
  const { id } = request.params as { id: string };
  return findPayout(app, user.environmentIds, id);
}

function placeOf(left: Left): Place {
  return { at: pathOf(left), back: `/payouts/${left.payout.id}` };
}

/** The outcomes that the state allows. A payout comes back only after it arrived, and both are booked at once. */
function choicesFor({ state, contradicted_at }: Payout): Choices<Outcome> {
  const { confirmed, failed, returned, clear } = CHOICES;
  const next = PAYOUT_STATES[state];
  return {
    ...(next.includes('confirmed') && { confirmed, failed }),
    ...((next.includes('confirmed') || next.includes('returned')) && { returned }),
    ...(contradicted_at !== null && { clear }),
  };
}

function textOf(visit: ConsoleVisit, left: Left): Html {
  const { reference, id } = left.payout;
  return html`<p>${tell(visit.language, 'settle.payout_text', { reference, id })}</p>${doubtOf(visit.language, left)}`;
}

function questionOf(visit: ConsoleVisit, left: Left): SettleQuestion {
  const { payout } = left;
  const amount = formatMoney(payout.amount, payout.currency);
  return {
    title: tell(visit.language, 'settle.payout_title', { amount }),
    text: textOf(visit, left),
    choices: choicesFor(payout),
  };
}

async function preview(app: App, visit: ConsoleVisit, left: Left, said: Said<Outcome>) {
  const { language } = visit;
  const { payout } = left;
  try {
    const { state, entries } = await rehearse(app, visit, left, said);
    const means = `${tell(language, CHOICES[said.outcome])}: ${formatMoney(payout.amount, payout.currency)}`;
    const after = tell(language, 'settle.payout_will', { state: tell(language, `payout_state.${state}`) });
    return await sendSettlePreview(app, visit, {
      text: textOf(visit, left),
      ...placeOf(left),
      said,
      means,
      effect: html`<p>${after}</p>${entriesTable(language, entries)}`,
      kept: { effect: standingOfPayout(payout) },
    });
  } catch (error) {
    const { status, said: why } = formRefusal(language, error);
    return sendPayout(app, visit, status, why);
  }
}

/** The end of a contradiction moves no money and keeps the state. */
async function rehearse(app: App, visit: ConsoleVisit, { payout, owner }: Left, said: Said<Outcome>) {
  const { outcome, reason, evidence } = said;
  if (outcome === 'clear') {
    await refuseUnbooked(app.db, payout);
    return { state: payout.state, entries: [] };
  }
  const outcomes = [{ id: payout.id, outcome, reason }];
  return rehearseSettlement(app, payout, { owner, by: visit.by, outcomes, evidence });
}

async function decide(app: App, visit: ConsoleVisit, left: Left, said: Said<Outcome> & { effect: string }) {
  const { language, by, goTo } = visit;
  const { payout, owner } = left;
  // The effect follows from how the payout stands and from the outcome alone.
  const { outcome, reason, evidence, effect: seen } = said;
  const done = `/payouts/${payout.id}?done=settled`;
  try {
    if (outcome === 'clear') await endContradiction(app, { owner, payout, by, reason, evidence, seen });
    else {
      const outcomes = [{ id: payout.id, outcome, reason }];
      const { contradicted } = await settlePayouts(app, { owner, by, outcomes, evidence, seen });
      if (contradicted.length > 0) return await sendSaid(app, visit, 'settle.contradicted');
    }
    return await goTo(done);
  } catch (error) {
    const isState = error instanceof Problem && error.code === 'PAYOUT_STATE';
    if (isState && (await isRepeated(app, visit, await findLeft(app, visit), said))) return goTo(done);
    const { status, said: why } = formRefusal(language, error);
    return sendPayout(app, visit, status, why);
  }
}

/** Whether the last act on the payout is this one: a second click is no error. */
async function isRepeated(app: App, { by }: ConsoleVisit, { payout }: Left, said: Said<Outcome>) {
  const { outcome, reason, evidence } = said;
  const [last] = await selectAudit(app.db, { subject: payout.id }, 1);
  const action = outcome === 'clear' ? 'payout.contradiction_ended' : 'payout.settled';
  const isState = outcome === 'clear' || payout.state === outcome;
  if (!isState || last?.action !== action || last.actor !== by.name || last.reason !== reason) return false;
  return last.said_after?.includes(evidence.sha256);
}

/** Sends the page of the payout as it is now, with this text at the top. */
function sendSaid(app: App, visit: ConsoleVisit, text: ConsoleText) {
  return sendPayout(app, visit, 409, tell(visit.language, text));
}
