import { notePolicyReport } from '../../health/policy-reports.ts';
import type { Operation } from '../../http/endpoint.ts';

/** A browser's report: the policy of one of our pages kept it from doing this. */
type Violation = { directive: string; blocked: string };

/**
 * Where browsers report that a page's policy stopped something: an injection, or a fault of ours. The report's address of
 * the page holds a payer's secret link, and anybody can post here, so only two known words of each report are written down.
 */
export const postCspReports: Operation = {
  handle: async (app, request, reply) => {
    for (const violation of readViolations(request.body).slice(0, MOST_AT_ONCE)) {
      app.metrics.policyViolations.inc();
      notePolicyReport(app, violation);
    }
    return reply.code(204).send();
  },
};

const MOST_AT_ONCE = 10;

/** Reads both forms: one report of `report-uri`, and the list of the Reporting API. What is neither is nothing. */
function readViolations(body: unknown): Violation[] {
  try {
    const sent: unknown = JSON.parse(String(body));
    const reports = Array.isArray(sent) ? sent : [sent];
    return reports.flatMap((report: { 'csp-report'?: Report; body?: Report } | null) =>
      violationOf(report?.['csp-report'] ?? report?.body),
    );
  } catch {
    return [];
  }
}

type Report = Partial<Record<'effective-directive' | 'effectiveDirective' | 'blocked-uri' | 'blockedURL', unknown>>;

function violationOf(report: Report | undefined): Violation[] {
  const directive = report?.['effective-directive'] ?? report?.effectiveDirective;
  const blocked = report?.['blocked-uri'] ?? report?.blockedURL;
  if (typeof directive !== 'string' || typeof blocked !== 'string' || !WORD.test(directive)) return [];
  const origin = (URL.parse(blocked)?.origin ?? 'other').slice(0, LONGEST_ORIGIN);
  return [{ directive, blocked: WORD.test(blocked) ? blocked : origin }];
}

/** A name of a host has 253 characters at most. */
const LONGEST_ORIGIN = 300;

const WORD = /^[a-z-]{1,40}$/;
