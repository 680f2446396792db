import { meansTaken } from '../outbox/retry-schedule.ts';
import type { ChaosClass } from './chaos-class.ts';
import type { OrderState } from './order-state.ts';

/** The receiver's response to one request. `lost`: the run itself closed the connection before reading the response. */
export type ChaosAnswer = { status: number | null; failure: string | null; ms: number; lost: boolean };

/** `unclear`: the responses alone are not enough, and the shop does not report the state of its orders. */
export type ChaosVerdict = 'passed' | 'failed' | 'unclear';

/** `order` is null if the shop does not report it. `paid` is its report about an order after one ordinary callback. */
export type ChaosEvidence = {
  answers: readonly ChaosAnswer[];
  order: { before: OrderState; after: OrderState; paid: OrderState } | null;
};

/** Judges whether the shop behaved correctly, and describes what it did. */
export function judgeChaos(of: ChaosClass, evidence: ChaosEvidence): { verdict: ChaosVerdict; did: string } {
  const { verdict, why } = of.must === 'once' ? judgeOnce(of, evidence) : judgeNever(evidence);
  return { verdict, did: `It answered ${answersText(evidence.answers)}; ${why}.` };
}

type Judgement = { verdict: ChaosVerdict; why: string };

function judgeOnce({ name }: ChaosClass, { answers, order }: ChaosEvidence): Judgement {
  const wrong = order === null ? null : whyNotOnce(order.after, order.paid);
  if (wrong !== null) return { verdict: 'failed', why: wrong };
  const heard = answers.filter(({ lost }) => !lost);
  if (order === null && !heard.some(isTaken)) return { verdict: 'failed', why: 'it took none of them' };
  if (heard.some(({ status }) => status === 410))
    return { verdict: 'failed', why: 'after 410 this address gets no more callbacks' };
  if (heard.some(isBroken))
    return { verdict: 'failed', why: 'so the service would send it again for three days, and then give it up' };
  if (order !== null) return { verdict: 'passed', why: `the order is ${order.after.text}, once` };
  if (name === 'delay') return { verdict: 'passed', why: 'it took it' };
  return { verdict: 'unclear', why: 'whether it carried the order out once, the answers do not say' };
}

/** Returns why an order differs from an order after one ordinary callback. */
function whyNotOnce(after: OrderState, paid: OrderState): string | null {
  if (after.text !== paid.text) return `the order is ${after.text}, not ${paid.text}`;
  const [more] = Object.entries(after.counts).filter(([name, count]) => count > (paid.counts[name] ?? 0));
  if (more === undefined) return null;
  const [name, count] = more;
  return `the order was carried out more than once: ${name} is ${count}, after one callback it is ${paid.counts[name] ?? 0}`;
}

function judgeNever({ answers, order }: ChaosEvidence): Judgement {
  if (order !== null) {
    const { before, after, paid } = order;
    const grown = Object.keys(after.counts).some(
      (name) => (after.counts[name] ?? 0) > (before.counts[name] ?? 0) && (paid.counts[name] ?? 0) > 0,
    );
    if (after.text === paid.text || grown) return { verdict: 'failed', why: `the order became ${after.text}` };
    return { verdict: 'passed', why: `the order is ${after.text}` };
  }
  if (answers.some(isTaken)) return { verdict: 'failed', why: 'it took what it must refuse' };
  if (answers.some(isBroken)) return { verdict: 'unclear', why: 'that is neither yes nor no' };
  return { verdict: 'passed', why: 'it refused' };
}

/** Returns whether the shop took the post. */
export function isTaken({ status }: ChaosAnswer): boolean {
  return status !== null && meansTaken(status);
}

function isBroken({ status }: ChaosAnswer): boolean {
  return status === null || status >= 500;
}

/** Formats status codes as `200, 200 and 409`. */
export function answersText(answers: readonly ChaosAnswer[]): string {
  const words = answers.map(({ status, failure, lost }) =>
    lost ? '(not read)' : status === null ? `nothing (${failure})` : String(status),
  );
  const last = words.pop() ?? 'nothing';
  return words.length === 0 ? last : `${words.join(', ')} and ${last}`;
}
