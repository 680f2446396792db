import { hash } from 'node:crypto';
import type { App } from '../../app.ts';
import { hashOfUrl, withoutQuery } from '../../audit/said-url.ts';
import { addWrong, type Findings } from '../proof-finding.ts';
import { selectAuditedSince } from './act-check-queries.ts';
import { changesIn } from './compare-said.ts';
import {
  type EventsUrlSaid,
  type ServiceSaid,
  selectEventsUrlsSaid,
  selectServicesSaid,
} from './merchant-check-queries.ts';
import { arrivalOf, pagesAfter, pagesById, readAct } from './read-acts.ts';

/** Logos have up to 64 KiB. */
const PAGE = 100;

/**
 * Compares where events of refunds go, whether payment services are disabled, and their settings and pages, with the
 * acts that set it. What was set before a payment service arrived from another database has its act there. A payment
 * service from before the audit log is compared from its first act.
 */
export async function verifyPaymentServices(
  app: App,
  findings: Findings,
  arrivals: ReadonlyMap<string, number>,
): Promise<void> {
  const since = await selectAuditedSince(app.db);
  const add = (subject: string, environment_id: number | null, at: number | null, changes: readonly string[]) =>
    addWrong(findings, { finding: 'payment_service_changed', environment_id, subject, since: at }, changes);
  const isKnown = (id: string, createdAt: number, saidAt: number | null) =>
    saidAt === null ? !(createdAt < since) && !arrivals.has(id) : saidAt > arrivalOf(arrivals, id);
  for await (const rows of pagesAfter({ id: 0 }, PAGE, ({ id }, limit) => selectEventsUrlsSaid(app.db, id, limit))) {
    for (const row of rows) {
      if (!isKnown(row.payment_service_id, row.created_at, row.said_at)) continue;
      const subject = `payment service ${row.payment_service_id} in ${row.environment}`;
      add(subject, row.id, row.said_at ?? row.created_at, changedUrl(row));
    }
  }
  for await (const rows of pagesById(PAGE, (after, limit) => selectServicesSaid(app.db, after, limit))) {
    for (const row of rows) {
      const isKnownAt = (saidAt: number | null) => isKnown(row.id, row.created_at, saidAt);
      add(`payment service ${row.id}`, row.environment_id, row.turned_at ?? row.created_at, [
        ...(isKnownAt(row.turned_at) ? changedState(row) : []),
        ...changedSettings(row, isKnownAt),
        ...changedLogo(row),
      ]);
    }
  }
}

/** Acts of earlier versions have the URL without its query alone. */
function changedUrl({ said, events_url }: EventsUrlSaid): string[] {
  const { url = null, url_sha256: whole } = readAct(said);
  const changes = changesIn([['events_url', url, withoutQuery(events_url)]]);
  if (changes.length > 0 || whole === undefined || whole === hashOfUrl(events_url)) return changes;
  return ['the query of events_url was changed'];
}

function changedState({ turned, turned_at, disabled_at }: ServiceSaid): string[] {
  return changesIn([['disabled_at', turned === 'payment_service.disabled' ? turned_at : null, disabled_at]]);
}

/** The columns of a payment service that an act sets, by the column of `ServiceSaid` with the act. */
const SETTINGS = {
  limit_said: ['per_minute'],
  attempts_said: ['payer_attempts'],
  receipts_said: ['receipts'],
  look_said: ['colour', 'site', 'contact', 'legal_name', 'rut', 'terms', 'logo_sha256'],
} as const;

/** The names of these columns in the act, where they differ. */
const NAMES: Readonly<Record<string, string>> = { legal_name: 'legalName', logo_sha256: 'logo' };

function changedSettings(row: ServiceSaid, isKnown: (saidAt: number | null) => boolean): string[] {
  return (Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]).flatMap((act) => {
    if (!isKnown(row[`${act}_at`])) return [];
    const said = readAct(row[act]);
    return changesIn(SETTINGS[act].map((column) => [column, said[NAMES[column] ?? column] ?? null, row[column]]));
  });
}

/** The file of a logo is named by its hash. */
function changedLogo({ logo, logo_sha256 }: ServiceSaid): string[] {
  const is = logo === null ? null : hash('sha256', Buffer.from(logo, 'base64'));
  return is === logo_sha256 ? [] : ['the bytes of its logo were changed'];
}
