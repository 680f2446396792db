import type { App } from '../app.ts';
import { perInstance } from '../lib/per-instance.ts';

/** A violation of a page's security policy that a browser reported: two known words of the report. */
export type PolicyReport = { directive: string; blocked: string; at: number };

const KEPT = 20;
const LOGGED_A_MINUTE = 60;

type Noted = { count: number; newest: readonly PolicyReport[]; minute: number; logged: number };

/** The reports since the start of this process: their number, and the newest ones, the newest first. */
export const policyReports = perInstance((_app: App): Noted => ({ count: 0, newest: [], minute: 0, logged: 0 }));

/** Stores a report in memory only, with few log lines, because anybody can send one. */
export function notePolicyReport(app: App, report: Omit<PolicyReport, 'at'>): void {
  const reports = policyReports(app);
  const at = app.now();
  const minute = Math.floor(at / 60_000);
  reports.count += 1;
  reports.newest = [{ ...report, at }, ...reports.newest].slice(0, KEPT);
  if (minute !== reports.minute) Object.assign(reports, { minute, logged: 0 });
  if (++reports.logged <= LOGGED_A_MINUTE) app.log.warn(report, 'a browser blocked content on one of our pages');
}
