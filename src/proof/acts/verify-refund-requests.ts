import type { App } from '../../app.ts';
import { accountOf } from '../../audit/actor.ts';
import { addWrong, type Findings, GONE } from '../proof-finding.ts';
import { selectObjectsGone } from './act-check-queries.ts';
import { changesIn } from './compare-said.ts';
import { arrivalOf, pagesById, readAct } from './read-acts.ts';
import { type RefundRequestSaid, selectRefundRequestsSaid } from './refund-request-check-queries.ts';

const PAGE = 500;

/**
 * Compares every request of a refund above a limit with the acts that made and decided it, and finds requests that one
 * person both made and approved. What was done before its payment service arrived from another database has its act
 * there.
 */
export async function verifyRefundRequests(
  app: App,
  findings: Findings,
  arrivals: ReadonlyMap<string, number>,
): Promise<void> {
  for await (const requests of pagesById(PAGE, (after, limit) => selectRefundRequestsSaid(app.db, after, limit))) {
    for (const request of requests) {
      const { id, environment_id, requested_at } = request;
      const arrived = arrivalOf(arrivals, request.payment_service_id);
      const wrong = [...wrongRequest(request, arrived), ...wrongDecision(request, arrived), ...wrongEyes(request)];
      const about = { finding: 'refund_changed' as const, environment_id, subject: id, since: requested_at };
      addWrong(findings, about, wrong, `refund request ${id}`);
    }
  }
  for (const { subject, said_at } of await selectObjectsGone(app.db, 'refund_request.made', GONE)) {
    const says = `refund request ${subject} was deleted`;
    findings.add({ finding: 'refund_changed', environment_id: null, subject, since: said_at, says });
  }
}

function wrongRequest(request: RefundRequestSaid, arrived: number): string[] {
  const { made, made_at, requested_at } = request;
  if (requested_at <= arrived) return [];
  if (made_at === null) return ['it was never made by this service'];
  const said = readAct(made);
  return changesIn([
    ['transaction_id', said['transaction'], request.transaction_id],
    ['amount', said['amount'], request.amount],
    ['type', said['type'], request.type],
    ['reason', request.made_reason, request.reason],
    ['requested_at', made_at, requested_at],
    ['requested_by', request.made_by, request.requested_by],
    ['requested_by_id', request.made_by_id, request.requested_by_id],
    ['requested_kind', request.made_kind, request.requested_kind],
  ]);
}

function wrongDecision(request: RefundRequestSaid, arrived: number): string[] {
  const { state, decided_at, ended_at, ended_action, requested_at } = request;
  if (Math.max(decided_at ?? 0, requested_at) <= arrived) return [];
  const known = ended_action === null ? 'waiting' : ended_action.replace('refund_request.', '');
  return changesIn([
    ['state', known, state],
    ['decided_at', ended_at, decided_at],
    ['decided_by', request.ended_by, request.decided_by],
    ['decided_by_id', request.ended_by_id, request.decided_by_id],
    ['decision_reason', request.ended_reason, request.decision_reason],
    ['refund_id', readAct(request.ended)['refund'] ?? null, request.refund_id],
  ]);
}

/** The database refuses this too, as long as nobody has removed its rule. */
function wrongEyes({ state, decided_by, decided_by_id, requested_by, requested_by_id }: RefundRequestSaid): string[] {
  if (state !== 'approved') return [];
  const isSame = decided_by_id === requested_by_id || accountOf(decided_by ?? '') === accountOf(requested_by);
  return isSame ? ['who made it approved it'] : [];
}
