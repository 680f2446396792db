import { notePolicyReport } from '../../health/policy-reports.ts';
import type { Operation } from '../../http/endpoint.ts';

/** One violation from a browser's report: the directive of the page's policy, and the resource that it blocked. */
type Violation = { directive: string; blocked: string };

/**
 * Takes reports of browsers that a page's policy blocked something: an injection, or a fault of ours. The reported page
 * address holds a payer's secret link, and anybody can post here. So only the directive and the blocked origin are
 * recorded.
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

/**
 * Reads both formats: a single `report-uri` report, and the list of the Reporting API. Returns an empty list for
 * anything else.
 */
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

/** A host name has at most 253 characters. */
const LONGEST_ORIGIN = 300;

const WORD = /^[a-z-]{1,40}$/;
