import type { App } from '../app.ts';
import { withoutQuery } from '../payment-services/set-events-url.ts';
import { selectAuditedSince } from './act-check-queries.ts';
import { changesIn } from './compare-said.ts';
import {
  type DisabledSaid,
  type EventsUrlSaid,
  selectDisabledSaid,
  selectEventsUrlsSaid,
} from './merchant-check-queries.ts';
import type { Findings } from './proof-finding.ts';
import { pagesById, readAct } from './read-acts.ts';

const PAGE = 500;

/**
 * Compares where events of refunds go, and whether payment services are disabled, with the acts that set it. What was
 * set before a payment service arrived from another database has its act there. A payment service from before the audit
 * log is compared from its first act.
 */
export async function verifyPaymentServices(
  app: App,
  findings: Findings,
  arrivals: ReadonlyMap<string, number>,
): Promise<void> {
  const since = await selectAuditedSince(app.db);
  const add = (subject: string, environmentId: number | null, at: number | null, changes: readonly string[]) => {
    if (changes.length === 0) return;
    const says = `${subject}: ${changes.join('; ')}`;
    findings.add({ finding: 'payment_service_changed', environment_id: environmentId, subject, since: at, says });
  };
  const isKnown = (id: string, createdAt: number, saidAt: number | null) =>
    saidAt === null ? createdAt >= since && !arrivals.has(id) : saidAt > (arrivals.get(id) ?? -1);
  for await (const rows of pagesOfEnvironments(app)) {
    for (const row of rows) {
      if (!isKnown(row.payment_service_id, row.created_at, row.said_at)) continue;
      const subject = `payment service ${row.payment_service_id} in ${row.environment}`;
      add(subject, row.id, row.said_at ?? row.created_at, changedUrl(row));
    }
  }
  for await (const rows of pagesById(PAGE, (after, limit) => selectDisabledSaid(app.db, after, limit))) {
    for (const row of rows) {
      if (!isKnown(row.id, row.created_at, row.turned_at)) continue;
      add(`payment service ${row.id}`, row.environment_id, row.turned_at ?? row.created_at, changedState(row));
    }
  }
}

async function* pagesOfEnvironments(app: App): AsyncGenerator<EventsUrlSaid[]> {
  let last = 0;
  for (let page = PAGE; page === PAGE; ) {
    const rows = await selectEventsUrlsSaid(app.db, last, PAGE);
    yield rows;
    last = rows.at(-1)?.id ?? last;
    page = rows.length;
  }
}

function changedUrl({ said, events_url }: EventsUrlSaid): string[] {
  const was = said === null ? null : (readAct(said)['url'] ?? null);
  return changesIn([['events_url', was, withoutQuery(events_url)]]);
}

function changedState({ turned, turned_at, disabled_at }: DisabledSaid): string[] {
  return changesIn([['disabled_at', turned === 'payment_service.disabled' ? turned_at : null, disabled_at]]);
}
