import type { App } from '../app.ts';
import { perInstance } from '../lib/per-instance.ts';

/** A thing that a browser was kept from doing by the policy of one of our pages: two known words of its report. */
export type PolicyReport = { directive: string; blocked: string; at: number };

/** Since this process started: how many, and the newest of them, the newest first. */
export type PolicyReports = { count: number; newest: readonly PolicyReport[] };

const KEPT = 20;
const LOGGED_A_MINUTE = 60;

type Noted = { count: number; newest: PolicyReport[]; minute: number; logged: number };

const reportsOf = perInstance((_app: App): Noted => ({ count: 0, newest: [], minute: 0, logged: 0 }));

/** Remembers a report, in memory: anybody can send one, so they take no room that has an end elsewhere, and few lines of the log. */
export function notePolicyReport(app: App, report: Omit<PolicyReport, 'at'>): void {
  const reports = reportsOf(app);
  const at = app.now();
  const minute = Math.floor(at / 60_000);
  reports.count += 1;
  reports.newest = [{ ...report, at }, ...reports.newest].slice(0, KEPT);
  if (minute !== reports.minute) Object.assign(reports, { minute, logged: 0 });
  if (++reports.logged <= LOGGED_A_MINUTE) app.log.warn(report, 'a browser stopped something on a page of ours');
}

/** The reports that browsers have sent to this process. */
export function policyReports(app: App): PolicyReports {
  return reportsOf(app);
}
