import type { App } from '../app.ts';
import { type BooksVerification, type ExportedHead, type ForeignLinks, verifyBooks } from '../books/verify-books.ts';
import { freshWalks, type OpenWalk } from '../lib/walk.ts';
import { verifyActs } from './acts/verify-acts.ts';
import type { RightsCoverage } from './acts/verify-rights.ts';
import { type AnchorSource, verifyAnchors } from './anchors/verify-anchors.ts';
import { verifyCallbacks } from './events/verify-callbacks.ts';
import { verifyEvents } from './events/verify-events.ts';
import { type FeedCoverage, verifyFeed } from './events/verify-feed.ts';
import { collectFindings, type Finding, type Findings } from './proof-finding.ts';
import { readMoveStates, readMoves } from './read-moves.ts';
import type { SeenRestore } from './restores/restore.ts';
import { verifyFacts } from './verify-facts.ts';
import { verifyPayouts } from './verify-payouts.ts';

/**
 * `findings`: the first findings of each kind; `found`: their number by kind. `facts`: the number of facts about owners
 * of books, fees and reserved amounts. `feed`: how many events its chain covers, and how many wait for the worker.
 * `rights`: how many users were compared, and how many are older than the audit log.
 * `restores`: when the store was restored, who accepted it, and how many lost anchors were found.
 */
export type StoreVerification = Omit<BooksVerification, 'owners'> & {
  ok: boolean;
  facts: number;
  callbacks: number;
  feed: FeedCoverage;
  rights: RightsCoverage;
  anchors: readonly AnchorSource[];
  restores: readonly SeenRestore[];
  findings: readonly Finding[];
  found: Findings['counts'];
};

/**
 * Compares all records of money with each other: the books, their facts, the state that their entries explain, events
 * and callbacks, and anchors. Reads only, in pages, while the service runs. `exported`: ends of the books' chains that
 * were stored elsewhere. `anchorFiles`: anchors in addition to the store and ANCHOR_DIR, which are always compared.
 * `walks` report progress, and may resume an interrupted run. Then only the rest is compared with `exported`. A run
 * with findings starts again if a payment service arrived, or its copy was removed, meanwhile.
 */
export async function verifyStore(
  app: App,
  exported: readonly ExportedHead[] = [],
  anchorFiles: readonly string[] = [],
  walks: OpenWalk = freshWalks(),
): Promise<StoreVerification> {
  for (;;) {
    const moves = await readMoveStates(app);
    const verification = await verifyOnce(app, exported, anchorFiles, walks);
    // The rows of a payment service that arrives meanwhile contradict what was read before them.
    if (verification.ok || (await readMoveStates(app)) === moves) return verification;
  }
}

async function verifyOnce(
  app: App,
  exported: readonly ExportedHead[],
  anchorFiles: readonly string[],
  walks: OpenWalk,
): Promise<StoreVerification> {
  const { wrong: moves, incomplete } = await readMoves(app);
  const findings = collectFindings(incomplete);
  for (const move of moves) findings.add(move);
  const { owners, ...books } = withoutIncomplete(await verifyBooks(app, exported, walks), incomplete);
  for (const links of owners) findings.add(foreignLinks(links));
  await verifyPayouts(app, findings);
  const facts = await verifyFacts(app, findings, walks);
  const feed = await verifyFeed(app, findings, walks('feed', 'events of the feed'));
  await verifyEvents(app, findings, walks('events', 'events of transactions'));
  const foreign = new Set(owners.map(({ environment_id }) => environment_id));
  const callbacks = await verifyCallbacks(app, foreign, findings, walks('callbacks', 'callbacks'));
  const rights = await verifyActs(app, findings, walks);
  const { anchors, restores } = await verifyAnchors(app, anchorFiles, findings);
  const wrong = books.problems.length + books.records.length + books.balances.length + findings.named.length;
  return {
    ok: wrong === 0,
    ...books,
    facts,
    callbacks,
    feed,
    rights,
    anchors,
    restores,
    findings: findings.named,
    found: findings.counts,
  };
}

/** Leaves out incomplete copies of a move: they contradict themselves, and the move compares them with their source. */
function withoutIncomplete(books: BooksVerification, incomplete: ReadonlySet<number>): BooksVerification {
  const isWhole = ({ environment_id }: { environment_id: number }) => !incomplete.has(environment_id);
  const { problems, records, balances } = books;
  return {
    ...books,
    problems: problems.filter(isWhole),
    records: records.filter(isWhole),
    balances: balances.filter(isWhole),
  };
}

function foreignLinks({ environment_id, link, until, since }: ForeignLinks): Finding {
  return {
    finding: 'owner_changed',
    environment_id,
    subject: `environment ${environment_id}`,
    since,
    says: `links ${link} to ${until} of environment ${environment_id} were posted for another payment service, environment or Service Token than it has now`,
  };
}
