import type { App } from '../../app.ts';
import { selectOwedAtEach } from '../../books/statement-queries.ts';
import { boundsOfDay } from '../../lib/calendar-day.ts';
import { lastDayOf, type MonthOwed } from '../../movements/close-month.ts';
import type { ClosedMonth } from '../../movements/settlement-queries.ts';
import { listEnvironmentIds } from '../../payment-services/list-environments.ts';
import type { Environment } from '../../payment-services/payment-service.ts';
import { type Findings, GONE } from '../proof-finding.ts';
import { selectMonthsSaid, selectObjectsGone } from './act-check-queries.ts';
import { compareSaid } from './compare-said.ts';
import { readAct } from './read-acts.ts';

/**
 * Compares each closed month with the act that closed it, and what merchants were owed at its end with their entries.
 * `arrivals`: when payment services arrived from another database; months that were closed before are without them.
 */
export async function verifyMonths(app: App, findings: Findings, arrivals: ReadonlyMap<string, number>): Promise<void> {
  const months = await selectMonthsSaid(app.db);
  for (const month of months) {
    const { said, said_at, said_by, closed_at, closed_by } = month;
    const act = said === null ? null : JSON.stringify({ ...readAct(said), closed_at: said_at, closed_by: said_by });
    const stored = { closed_at, closed_by, accounts: owedIn(month)?.length ?? null };
    compareSaid(findings, 'month_changed', null, nameOf(month), { said: act, said_at }, stored);
  }
  for (const { subject, said_at } of await selectObjectsGone(app.db, 'month.closed', GONE)) {
    const says = `month ${subject} was closed, and that was deleted`;
    findings.add({ finding: 'month_changed', environment_id: null, subject: `month ${subject}`, since: said_at, says });
  }
  // Entries from before such a clock's return to real time have later times than new ones.
  const comparable = months.filter((one) => one.went_back === 0 && isMonth(one.month));
  for (const [environment, some] of Map.groupBy(comparable, (one) => one.environment as Environment)) {
    await verifyOwed(app, findings, { environment, months: some, arrivals });
  }
}

function nameOf({ month, environment }: ClosedMonth): string {
  return `month ${month} ${environment}`;
}

function isMonth(text: string): boolean {
  return /^\d{4}-(0[1-9]|1[0-2])$/.test(text);
}

/** Returns what a month says was owed; null if somebody left another text there. */
function owedIn({ owed }: ClosedMonth): MonthOwed[] | null {
  try {
    const list = JSON.parse(owed) as MonthOwed[];
    return list.every((one) => typeof one.environment_id === 'number') ? list : null;
  } catch {
    return null;
  }
}

type Closed = { environment: Environment; months: readonly ClosedMonth[]; arrivals: ReadonlyMap<string, number> };

async function verifyOwed(app: App, findings: Findings, { environment, months, arrivals }: Closed): Promise<void> {
  const environmentIds = await listEnvironmentIds(app, environment, null, null);
  const arrived = new Map<number, number>();
  for (const [paymentServiceId, at] of arrivals) {
    for (const id of await listEnvironmentIds(app, environment, paymentServiceId, null)) arrived.set(id, at);
  }
  const ends = months.map(({ month }) => boundsOfDay(lastDayOf(`${month}-01`)).to);
  const given = await selectOwedAtEach(app.db, environmentIds, ends);
  for (const [at, month] of months.entries()) {
    const closed = sumsOf(owedIn(month) ?? []);
    const entries = sumsOf(given[at] ?? []);
    for (const account of new Set([...closed.keys(), ...entries.keys()])) {
      const [id = '', currency] = account.split(' ');
      const [was = '0', is = '0'] = [closed.get(account), entries.get(account)];
      if (was === is || (arrived.get(Number(id)) ?? Number.NEGATIVE_INFINITY) > month.closed_at) continue;
      findings.add({
        finding: 'month_changed',
        environment_id: Number(id),
        subject: nameOf(month),
        since: month.closed_at,
        says: `${nameOf(month)} was closed with ${was} owed to environment ${id} in ${currency} (minor units), and the entries give ${is}`,
      });
    }
  }
}

function sumsOf(owed: readonly { environment_id: number; currency: string; owed: unknown }[]): Map<string, string> {
  return new Map(owed.map((one) => [`${one.environment_id} ${one.currency}`, String(one.owed)]));
}
