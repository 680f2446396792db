import type { App } from '../../app.ts';
import type { Evidence } from '../../lib/evidence-file.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import { type ConsoleVisit, notFoundPage } from '../console-visit.ts';
import { paymentOf, sendPayment } from './get-payment.ts';

/**
 * The decision about a payment attempt or a refund, named as in the timeline. `amount`: what was taken, in minor units.
 */
type Decided = {
  kind: 'payment_attempt' | 'refund';
  id: string;
  outcome: string;
  reason: string;
  evidence: Evidence | null;
  amount?: number;
};

/** Whether the last decision about the attempt or the refund is this one: a second click is no error. */
export async function isRepeated(app: App, visit: ConsoleVisit, decided: Decided) {
  const { kind, id, outcome, reason, evidence, amount } = decided;
  const timeline = (await paymentOf(app, visit))?.timeline ?? [];
  const last = timeline.findLast((line) => line.kind === 'decision' && line.facts[kind] === id);
  if (last === undefined || last.what !== outcome || last.by !== visit.by.name) return false;
  const { reason: before, sha256 = null } = last.facts;
  const isSameAmount = last.amount === null || last.amount === amount;
  return isSameAmount && before === reason && sha256 === (evidence?.sha256 ?? null);
}

/** Sends the page of the payment as it is now, with this text at the top. */
export async function sendSaid(app: App, visit: ConsoleVisit, text: ConsoleText) {
  const shown = await paymentOf(app, visit);
  if (shown === null) return visit.send(404, notFoundPage(visit.language));
  return sendPayment(app, visit, shown, 409, tell(visit.language, text));
}
