import type { App } from '../app.ts';
import { perInstance } from '../lib/per-instance.ts';

/** A thing that a browser was kept from doing by the policy of one of our pages: two known words of its report. */
export type PolicyReport = { directive: string; blocked: string; at: number };

/** Since this process started: how many, and the newest of them, the newest first. */
export type PolicyReports = { count: number; newest: readonly PolicyReport[] };

const KEPT = 20;

const reportsOf = perInstance((_app: App): { count: number; newest: PolicyReport[] } => ({ count: 0, newest: [] }));

/** Remembers a report, in memory: anybody can send one, so they take no room that has an end elsewhere. */
export function notePolicyReport(app: App, report: Omit<PolicyReport, 'at'>): void {
  const reports = reportsOf(app);
  reports.count += 1;
  reports.newest = [{ ...report, at: app.now() }, ...reports.newest].slice(0, KEPT);
}

/** The reports that browsers have sent to this process. */
export function policyReports(app: App): PolicyReports {
  return reportsOf(app);
}
