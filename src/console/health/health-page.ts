import type { App } from '../../app.ts';
import { examineStore } from '../../health/examine-store.ts';
import { type Finding, sayFinding } from '../../health/finding.ts';
import { type ListedProcess, listProcesses } from '../../health/list-processes.ts';
import { policyReports } from '../../health/policy-reports.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { clockOf } from '../../lib/calendar-day.ts';
import { createExpiringCache } from '../../lib/expiring-cache.ts';
import type { Language } from '../../lib/language.ts';
import { perInstance } from '../../lib/per-instance.ts';
import { formatAge } from '../../lib/time-text.ts';
import { commandCell } from '../command-ways.ts';
import { badge, tableOf, timeCell } from '../console-format.ts';
import { tell, tellAll } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler } from '../console-visit.ts';
import { nameCheck } from './check-names.ts';

type Health = { store: Finding[]; processes: ListedProcess[] };

/** Counting sealed values scans whole tables, so requests within this time share one result. */
const SHARED_MS = 5000;

const healthOf = perInstance((app: App) =>
  createExpiringCache<Health>({ lifetimeMs: SHARED_MS, capacity: 1, now: app.now }),
);

/** Shows the findings of `doctor` about the store and every process that serves it, in the same words. */
export const getConsoleHealth = consoleHandler(async (app, visit) => {
  const { language, send } = visit;
  const { store, processes } = (await healthOf(app).get('all', () => examine(app))) ?? (await examine(app));
  const count = store.filter(({ fix }) => fix !== null).length;
  const title = tell(language, 'health.title');
  const main = html`<h1>${title}</h1>
<p class="notice${count === 0 && ' done'}" role="status">${count === 0 ? tell(language, 'health.well') : tell(language, 'health.problems', { count })}</p>
<h2>${tell(language, 'health.store')}</h2>
${findingsTable(visit, store)}
<p><a href="${publicPath(app)}/console/verification">${tell(language, 'verify.link')}</a></p>
${processes.length === 0 ? html`<p>${tell(language, 'health.no_process')}</p>` : processes.map((one) => processPart(visit, one))}
${policyPart(app, language)}
<p class="quiet">${tell(language, 'health.same', { command: 'bin/rubrica doctor' })}</p>`;
  return send(200, { title, main });
});

async function examine(app: App): Promise<Health> {
  return { store: await examineStore(app), processes: await listProcesses(app) };
}

function processPart(visit: ConsoleVisit, { host, pid, version, started_at, age, findings }: ListedProcess): Html {
  const { language } = visit;
  const facts = {
    version,
    since: clockOf(started_at),
    age: age < 120_000 ? `${Math.round(age / 1000)} s` : formatAge(age),
  };
  return html`<h2>${tell(language, 'health.process', { host, pid })}</h2>
<p class="quiet">${tell(language, 'health.process_facts', facts)}</p>
${findingsTable(visit, findings)}`;
}

/** Shows the policy reports of browsers that this process received, newest first. */
function policyPart(app: App, language: Language): Html {
  const { count, newest } = policyReports(app);
  const rows = newest.map(({ at, directive, blocked }) => [
    timeCell(at),
    html`<span class="code">${directive}</span>`,
    html`<span class="code">${blocked}</span>`,
  ]);
  const head = tellAll(language, ['column.when', 'health.directive', 'health.blocked']);
  return html`<h2>${tell(language, 'health.policy')}</h2>
<p class="quiet">${tell(language, count === 0 ? 'health.policy_none' : 'health.policy_some', { count })}</p>
${rows.length > 0 && tableOf(head, rows)}`;
}

/** Shows the findings; those that need a person come first. */
function findingsTable(visit: ConsoleVisit, findings: readonly Finding[]): Html {
  const { language } = visit;
  const said = findings.map((finding) => sayFinding(finding, language));
  const sorted = [...said.filter(({ fix }) => fix !== null), ...said.filter(({ fix }) => fix === null)];
  const rows = sorted.map(({ check, says, fix }) => [
    fix === null ? badge('good', tell(language, 'health.ok')) : badge('bad', tell(language, 'health.problem')),
    nameCheck(language, check),
    html`${says}${fix !== null && fixPart(visit, fix)}`,
  ]);
  return tableOf(
    [tell(language, 'column.state'), tell(language, 'column.check'), tell(language, 'column.finding')],
    rows,
  );
}

function fixPart(visit: ConsoleVisit, fix: string): Html {
  return fix.startsWith('bin/rubrica') ? html`<br>${commandCell(visit, fix)}` : html`<br><strong>${fix}</strong>`;
}
