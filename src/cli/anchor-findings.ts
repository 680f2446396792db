import type { App } from '../app.ts';
import { selectFactsBegun } from '../books/fact-queries.ts';
import { lastAnchorIn } from '../proof/anchor-folder.ts';
import { type AnchorRow, selectLastAnchor, selectOldestUnposted } from '../proof/anchor-queries.ts';
import { placeAfter } from '../proof/keep-anchors.ts';
import { formatAge } from './attention-commands.ts';
import { type Finding, fine, problem } from './finding.ts';

const DAY_MS = 86_400_000;
const RUNNING = 'Is serve running? It seals the ends of the books every day; without it: bin/rubrica books anchor';

/** Whether the ends of the books were sealed within the last day, and are where they were to be brought. */
export async function anchorFindings(app: App): Promise<Finding[]> {
  const last = await selectLastAnchor(app.db);
  if (last === null) {
    const begun = await selectFactsBegun(app.db);
    if (begun === null || app.now() - begun <= DAY_MS) return [fine('anchors', 'the books were not sealed yet')];
    return [problem('anchors', 'the books were never sealed', RUNNING)];
  }
  const age = Math.max(0, app.now() - last.made_at);
  if (age > DAY_MS) return [problem('anchors', `the books were sealed ${formatAge(age)} ago, on ${last.day}`, RUNNING)];
  const { anchorDir, anchorUrl } = app.config;
  const findings: Finding[] = [];
  if (anchorDir !== null) findings.push(await folderFinding(app, anchorDir, last));
  if (anchorUrl !== null) findings.push(await postFinding(app));
  const place = findings.length > 0 ? '' : '; they are in the store alone: set ANCHOR_DIR';
  return [fine('anchors', `the books were sealed ${formatAge(age)} ago${place}`), ...findings];
}

async function folderFinding(app: App, folder: string, { number, mac }: AnchorRow): Promise<Finding> {
  const newest = lastAnchorIn(folder);
  if (newest?.mac === mac) return fine('anchors', `ANCHOR_DIR has all ${number}`);
  const there = newest === null ? 0 : await placeAfter(app, newest);
  if (there === null)
    return problem(
      'anchors',
      'ANCHOR_DIR has ones that the store has not: it was put back',
      'bin/rubrica books verify',
    );
  const fix = `See that ${folder} can be written, and that serve has this ANCHOR_DIR.`;
  return problem('anchors', `ANCHOR_DIR lacks the last ${number - there}`, fix);
}

async function postFinding(app: App): Promise<Finding> {
  const oldest = await selectOldestUnposted(app.db);
  const age = oldest === null ? 0 : app.now() - oldest;
  if (age <= DAY_MS) return fine('anchors', 'ANCHOR_URL takes them');
  return problem(
    'anchors',
    `ANCHOR_URL takes none for ${formatAge(age)}`,
    'See what it answers: the log of serve says it.',
  );
}
