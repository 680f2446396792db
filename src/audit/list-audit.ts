import { currencyExponent } from '../../protocol/currency-exponents.ts';
import type { App } from '../app.ts';
import { pageOf } from '../db/newest-page.ts';
import { formatMoney } from '../lib/money.ts';
import { type AuditFilter, selectAudit } from './audit-queries.ts';
import type { AuditRow } from './audit-row.ts';

/** An act for people and programs. `id` is its link in the chain; `at` is UTC milliseconds. */
export type ListedAct = {
  id: number;
  at: number;
  who: { kind: AuditRow['actor_kind']; name: string; user: string | null; from: string | null };
  action: string;
  subject: { kind: string; id: string };
  before: unknown;
  after: unknown;
  reason: string | null;
  hash: string;
};

/** Lists the newest acts that match `filter`. `next`: the `before` of the next page; null if there are no more. */
export async function listAudit(
  app: App,
  filter: AuditFilter,
  limit: number,
): Promise<{ acts: ListedAct[]; next: number | null }> {
  const rows = await selectAudit(app.db, filter, limit + 1);
  const { page, next } = pageOf(rows, limit, ({ link }) => link);
  return { acts: page.map(actOf), next };
}

function actOf(row: AuditRow): ListedAct {
  return {
    id: row.link,
    at: row.created_at,
    who: { kind: row.actor_kind, name: row.actor, user: row.user_id, from: row.origin },
    action: row.action,
    subject: { kind: row.subject_kind, id: row.subject },
    before: valuesOf(row.said_before),
    after: valuesOf(row.said_after),
    reason: row.reason,
    hash: row.hash,
  };
}

/** Parses the values as JSON. Other text was written outside this service; `audit verify` reports it. */
function valuesOf(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Recorded in minor units; their currency is another value of the same act. */
const AMOUNTS = new Set([
  'amount',
  'commission',
  'fixed',
  'kept_back',
  'overdraft',
  'refunded_that_day',
  'taken',
  'total',
]);

/** Formats a recorded value that is an amount; null for any other, or without a known currency. */
export function moneyOf(name: string, value: number, currency: unknown): string | null {
  const isMoney = AMOUNTS.has(name) && typeof currency === 'string' && currencyExponent(currency) !== undefined;
  return isMoney ? formatMoney(value, currency) : null;
}
