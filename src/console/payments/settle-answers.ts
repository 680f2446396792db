import type { App } from '../../app.ts';
import type { Evidence } from '../../lib/evidence-file.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import { type ConsoleVisit, notFoundPage } from '../console-visit.ts';
import { paymentOf, sendPayment } from './get-payment.ts';

/** The decision about a payment attempt or a refund, named as in the timeline. */
type Decided = { kind: 'payment_attempt' | 'refund'; id: string; outcome: string; evidence: Evidence | null };

/** Whether the last decision about the attempt or the refund is this one: a second click is no error. */
export async function isRepeated(app: App, visit: ConsoleVisit, { kind, id, outcome, evidence }: Decided) {
  const timeline = (await paymentOf(app, visit))?.timeline ?? [];
  const last = timeline.findLast((line) => line.kind === 'decision' && line.facts[kind] === id);
  return last?.what === outcome && last.by === visit.by.name && last.facts['sha256'] === evidence?.sha256;
}

/** Sends the page of the payment as it is now, with this text at the top. */
export async function sendSaid(app: App, visit: ConsoleVisit, text: ConsoleText) {
  const shown = await paymentOf(app, visit);
  if (shown === null) return visit.send(404, notFoundPage(visit.language));
  return sendPayment(app, visit, shown, 409, tell(visit.language, text));
}
