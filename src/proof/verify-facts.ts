import type { App } from '../app.ts';
import {
  type BookFact,
  type FactContent,
  factHash,
  feeContent,
  feeSubject,
  ownerContent,
  refundContent,
} from '../books/book-fact.ts';
import { selectEnvironmentsWithFacts, selectFactsAfter, selectFactsBegun } from '../books/fact-queries.ts';
import { selectHead } from '../books/journal-queries.ts';
import { decisionContent } from '../checkout/payment-decision.ts';
import { type ChainProblem, verifyChain } from '../lib/hash-chain.ts';
import type { ChainPlace, IdPlace, OpenWalk, Walk } from '../lib/walk.ts';
import { importContent } from '../movements/imported-payment.ts';
import { compareSaid } from './acts/compare-said.ts';
import {
  type RefundSaid,
  type Said,
  selectDecisionsSaid,
  selectFeesSaid,
  selectGone,
  selectImportsSaid,
  selectOwnersSaid,
  selectRefundDecisionsSaid,
  selectRefundsSaid,
  selectRestoresSaid,
} from './fact-check-queries.ts';
import { type FindingKind, type Findings, GONE, stopping } from './proof-finding.ts';
import { restoreContent } from './restores/restore.ts';

/**
 * Verifies the chains of facts, and compares the owners of the books, the fees, the refunds, people's decisions and
 * accepted restores with the last fact about each. Returns the number of facts. Reads only, in pages.
 */
export async function verifyFacts(app: App, findings: Findings, walks: OpenWalk): Promise<number> {
  let facts = 0;
  for (const environmentId of await selectEnvironmentsWithFacts(app.db)) {
    facts += await verifyFactsOf(app, environmentId, findings, walks(`facts ${environmentId}`, 'facts'));
  }
  // Each check is one statement, so it sees a concurrent change completely or not at all.
  for (const owner of await selectOwnersSaid(app.db)) {
    compareSaid(findings, 'owner_changed', owner.id, `environment ${owner.id}`, owner, ownerContent(owner));
  }
  for (const fee of await selectFeesSaid(app.db)) {
    compareSaid(findings, 'fee_changed', fee.environment_id, `fee of ${feeSubject(fee)}`, fee, feeContent(fee));
  }
  for (const epoch of await selectRestoresSaid(app.db)) {
    compareSaid(findings, 'restore_changed', null, `restore of epoch ${epoch.epoch}`, epoch, restoreContent(epoch));
  }
  await verifyRefunds(app, findings, walks('refunds', 'refunds'));
  await verifyDecisions(app, findings, walks);
  for (const gone of await selectGone(app.db, GONE)) {
    const { environment_id, kind, subject, said, said_at } = gone;
    const name = kind === 'owner' ? `environment ${environment_id}` : kind === 'fee' ? `fee of ${subject}` : subject;
    const says = `${name} was deleted; it was ${said}`;
    findings.add({ finding: KINDS[kind] ?? 'fact_changed', environment_id, subject: name, since: said_at, says });
  }
  return facts;
}

const KINDS: Record<string, FindingKind> = {
  owner: 'owner_changed',
  fee: 'fee_changed',
  refund: 'refund_changed',
  decision: 'decision_changed',
  restore: 'restore_changed',
  import: 'decision_changed',
};

async function verifyFactsOf(
  app: App,
  environmentId: number,
  findings: Findings,
  walk: Walk<ChainPlace>,
): Promise<number> {
  const { links } = await verifyChain<BookFact>({
    read: (after, limit) => selectFactsAfter(app.db, environmentId, after, limit),
    readEnd: () => selectHead(app.db, 'book_fact_heads', environmentId),
    hashOf: factHash,
    found: (problem, from, until, fact) =>
      findings.add({
        finding:
          problem === 'changed' || problem === 'rewritten' || problem === 'surplus' ? 'fact_changed' : 'fact_missing',
        environment_id: environmentId,
        subject: `fact ${from}`,
        since: fact?.created_at ?? null,
        says: CHAIN_SAYS[problem](from, until, fact),
      }),
    walk,
  });
  return links;
}

const CHAIN_SAYS: Record<ChainProblem, (from: number, until: number, fact: BookFact | null) => string> = {
  changed: (from, _, fact) => `fact ${from} (${fact?.kind} ${fact?.subject}), or the hash before it, was changed`,
  missing: (from, until) => `facts ${from} to ${until} were deleted`,
  surplus: (from, _, fact) => `fact ${from} (${fact?.kind} ${fact?.subject}) was never written by this service`,
  cut: (from, until) => `facts ${from} to ${until} were cut off`,
  rewritten: (from) => `fact ${from} is not the one that the chain ended with`,
  headless: () => 'the end of the facts was deleted',
};

/** Refunds that ended before facts existed have no fact: the books show what they moved. */
async function verifyRefunds(app: App, findings: Findings, walk: Walk<IdPlace<string>>): Promise<void> {
  const begun = await selectFactsBegun(app.db);
  const stopped = stopping(findings, walk);
  for await (const refund of rowsOf(walk, (after, limit) => selectRefundsSaid(app.db, after, limit))) {
    if (!isOlder(refund, begun)) compareRefund(stopped, refund);
  }
}

async function verifyDecisions(app: App, findings: Findings, walks: OpenWalk): Promise<void> {
  const begin = (name: string) => {
    const walk: Walk<IdPlace<string>> = walks(name, 'decisions');
    const stopped = stopping(findings, walk);
    const add = (environmentId: number | null, subject: string, said: Said, stored: FactContent) =>
      compareSaid(stopped, 'decision_changed', environmentId, subject, said, stored);
    return { walk, add };
  };
  const payments = begin('decisions');
  for await (const row of rowsOf(payments.walk, (after, limit) => selectDecisionsSaid(app.db, after, limit))) {
    const { environment_id, said, said_at, ...decision } = row;
    payments.add(environment_id, `decision ${row.id}`, { said, said_at }, decisionContent(decision));
  }
  const refunds = begin('refund decisions');
  for await (const row of rowsOf(refunds.walk, (after, limit) => selectRefundDecisionsSaid(app.db, after, limit))) {
    const { environment_id, said, said_at, ...decision } = row;
    refunds.add(environment_id, `decision ${row.id}`, { said, said_at }, { ...decision });
  }
  const imports = begin('imports');
  for await (const row of rowsOf(imports.walk, (after, limit) => selectImportsSaid(app.db, after, limit))) {
    const { said, said_at, ...imported } = row;
    imports.add(row.environment_id, `import ${row.id}`, { said, said_at }, importContent(imported));
  }
}

/** Yields the rows of a walk, read in pages by id. */
async function* rowsOf<Row extends { id: string }>(
  walk: Walk<IdPlace<string>>,
  select: (afterId: string, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row> {
  let place = walk.from ?? { rows: 0, id: '' };
  for (let page = walk.page; page === walk.page; ) {
    const rows = await select(place.id, walk.page);
    yield* rows;
    page = rows.length;
    place = { rows: place.rows + page, id: rows.at(-1)?.id ?? place.id };
    await walk.reached(place);
  }
}

function isOlder({ said, state, created_at }: RefundSaid, begun: number | null): boolean {
  return said === null && state !== 'processing' && begun !== null && created_at <= begun;
}

function compareRefund(findings: Findings, refund: RefundSaid): void {
  const subject = `refund ${refund.id} of transaction ${refund.transaction_id}`;
  compareSaid(findings, 'refund_changed', refund.environment_id, subject, refund, refundContent(refund));
}
