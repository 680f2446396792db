import type { App } from '../app.ts';
import { GENESIS } from '../lib/hash-chain.ts';
import { type ChainPlace, freshWalks, type IdPlace, type OpenWalk, partOf, type Walk } from '../lib/walk.ts';
import { isExplained, problemOf, type ReconciliationProblem } from './booked-line.ts';
import { selectBookedEnvironments, selectHead, selectOwnerOf } from './journal-queries.ts';
import { linkHash } from './link-hash.ts';
import {
  type BookedLine,
  selectAllUnbooked,
  selectBookedLinesAfter,
  selectPaymentSpan,
  selectPaymentsAfter,
} from './reconciliation-queries.ts';
import { ownerHash } from './record-hash.ts';
import { findWrongBalances, type WrongBalance } from './verify-sums.ts';

/** The end of a chain as it was exported earlier, to compare with the books. */
export type ExportedHead = { environment_id: number; link: number; hash: string };

/**
 * The links from `link` to `until` have a problem. `changed`: the entries of the link, or the previous hash, are not
 * those that were hashed. `missing`: the links are gone. `surplus`: the link was never posted. `cut`: the books once
 * continued to `until`. `rewritten`: the chain is consistent, but its hash differs from an exported one.
 */
export type BooksProblem = {
  environment_id: number;
  link: number;
  until: number;
  problem: 'changed' | 'missing' | 'surplus' | 'cut' | 'rewritten';
};

/**
 * The links from `link` to `until` were posted for another owner than the environment's current one; `since` is in UTC
 * milliseconds.
 */
export type ForeignLinks = { environment_id: number; link: number; until: number; since: number };

/**
 * `records`: payments, refunds and movements that differ from their entries, or that no entry explains. `balances`: the
 * accounts whose stored sums differ from the sums of their entries. `owners`: the links of environments whose owner was
 * changed. `covered_from`: the first link of each environment whose entries are hashed with their owner, references and
 * codes.
 */
export type BooksVerification = {
  environments: number;
  entries: number;
  problems: BooksProblem[];
  records: ReconciliationProblem[];
  balances: WrongBalance[];
  owners: ForeignLinks[];
  covered_from: { environment_id: number; link: number }[];
};

/**
 * Recomputes every hash and every sum of the books, compares the entries with the records that they explain in both
 * directions, and returns the differences. Only reads; the service can keep posting meanwhile. `walks` can resume an
 * interrupted run; `exported` heads are only compared with links that are read.
 *
 * A person who can rewrite the whole store can also rewrite the whole chain. The heads that were exported earlier and
 * stored elsewhere reveal that.
 */
export async function verifyBooks(
  app: App,
  exported: readonly ExportedHead[] = [],
  walks: OpenWalk = freshWalks(),
): Promise<BooksVerification> {
  const booked = await selectBookedEnvironments(app.db);
  const environments = new Set([...booked, ...exported.map((head) => head.environment_id)]);
  const balances = await findWrongBalances(app, booked, walks);
  const verification: BooksVerification = {
    environments: environments.size,
    entries: 0,
    problems: [],
    records: [],
    balances,
    owners: [],
    covered_from: [],
  };
  for (const environmentId of environments) {
    const heads = exported.filter((head) => head.environment_id === environmentId);
    await verifyChain(app, environmentId, heads, verification, walks(`books ${environmentId}`, 'entries'));
  }
  const unbooked = await findUnbooked(app, walks('payments', 'payments beside the books'));
  return { ...verification, records: [...verification.records, ...unbooked] };
}

/** `first`: the first link whose entries are hashed with their owner. */
type BooksPlace = ChainPlace & { first: number | null };

async function verifyChain(
  app: App,
  environmentId: number,
  exported: readonly ExportedHead[],
  verification: BooksVerification,
  walk: Walk<BooksPlace>,
): Promise<void> {
  const report = (problem: BooksProblem['problem'], link: number, until = link) => {
    walk.found();
    verification.problems.push({ environment_id: environmentId, link, until, problem });
  };
  const from = await placeToGoOn(app, environmentId, walk);
  // Read before the entries: links that are posted meanwhile come after this head.
  const head = await readHead(app, environmentId);
  const seen = from === null && walk.from !== null ? [walk.from] : [];
  const anchors = [...exported, ...seen, ...(head === null ? [] : [head])];
  let end = head?.link ?? 0;
  let { rows, ...last }: BooksPlace = from ?? { rows: 0, link: 0, hash: GENESIS, first: null };
  let previous: string | null = last.hash;
  let kept = rows;
  const owner = await ownerWatch(app, environmentId, verification, last.first, walk.found);
  for await (const entries of readLinks(app, environmentId, from?.link ?? null, walk.page)) {
    const [{ link, hash }] = entries;
    rows += entries.length;
    owner.note(entries[0]);
    const unexplained = entries.filter((entry) => !isExplained(entry));
    if (unexplained.length > 0) walk.found();
    verification.records.push(...unexplained.map((entry) => problemOf(entry, 'unexplained')));
    if (link > end) end = (await readHead(app, environmentId))?.link ?? 0;
    if (link <= last.link || link > end) {
      report('surplus', link);
      continue;
    }
    if (link > last.link + 1) {
      report('missing', last.link + 1, link - 1);
      // The link after a missing one cannot be checked, because the previous hash is unknown.
      previous = null;
    }
    if (!isWhole(entries) || (previous !== null && linkHash(previous, entries) !== hash)) report('changed', link);
    else if (anchors.some((anchor) => anchor.link === link && anchor.hash !== hash)) report('rewritten', link);
    last = { link, hash, first: owner.first() };
    previous = hash;
    if (rows - kept < walk.page) continue;
    kept = rows;
    await walk.reached({ rows, ...last }, link / end);
  }
  const longest = Math.max(0, ...anchors.map((anchor) => anchor.link));
  if (longest > last.link) report('cut', last.link + 1, longest);
  verification.entries += rows;
  await walk.reached({ rows, ...last }, 1);
}

/**
 * Returns where to resume an interrupted walk if the books still have that link. Otherwise returns null, and the saved
 * place is checked like an exported head.
 */
async function placeToGoOn(app: App, environmentId: number, walk: Walk<BooksPlace>): Promise<BooksPlace | null> {
  if (walk.from === null) return null;
  const { link, hash } = walk.from;
  const [entry] = await selectBookedLinesAfter(app.db, environmentId, { link, line: -1 }, 1);
  if (link === 0 || (entry?.link === link && entry.hash === hash)) return walk.from;
  walk.contradicted();
  return null;
}

/**
 * Notes the first link that is hashed with its owner, and the links of another owner than the environment's current
 * one.
 */
async function ownerWatch(
  app: App,
  environmentId: number,
  { owners, covered_from }: BooksVerification,
  known: number | null,
  found: () => void,
): Promise<{ note: (entry: BookedLine) => void; first: () => number | null }> {
  const owner = await selectOwnerOf(app.db, environmentId);
  const expected = owner === null ? null : ownerHash(owner);
  let first = known;
  if (first !== null) covered_from.push({ environment_id: environmentId, link: first });
  let foreign: ForeignLinks | null = null;
  const note = ({ link, created_at, owner_hash }: BookedLine) => {
    if (owner_hash === null) return;
    if (first === null) covered_from.push({ environment_id: environmentId, link });
    first ??= link;
    if (owner_hash === expected) return;
    found();
    if (foreign === null) {
      foreign = { environment_id: environmentId, link, until: link, since: created_at };
      owners.push(foreign);
    }
    foreign.until = link;
  };
  return { note, first: () => first };
}

/** Returns the head of a chain; null if its link is not an integer, which SQLite allows. */
async function readHead(app: App, environmentId: number): Promise<ExportedHead | null> {
  const head = await selectHead(app.db, 'journal_heads', environmentId);
  return Number.isSafeInteger(head?.link) ? head : null;
}

/** Returns whether all lines of a link exist and have the same hash. */
function isWhole(entries: readonly BookedLine[]): boolean {
  return entries.every(({ line, hash }, index) => line === index && hash === entries[0]?.hash);
}

type Link = [BookedLine, ...BookedLine[]];

/** Yields the entries of a chain after a link (null: all), link by link. */
async function* readLinks(app: App, environmentId: number, after: number | null, limit: number): AsyncGenerator<Link> {
  let place = { link: after ?? Number.MIN_SAFE_INTEGER, line: after === null ? 0 : Number.MAX_SAFE_INTEGER };
  let link: BookedLine[] = [];
  for (let page = limit; page === limit; ) {
    const entries = await selectBookedLinesAfter(app.db, environmentId, place, limit);
    for (const entry of entries) {
      if (link.length > 0 && link[0]?.link !== entry.link) {
        yield link as Link;
        link = [];
      }
      link.push(entry);
      place = entry;
    }
    page = entries.length;
  }
  if (link.length > 0) yield link as Link;
}

/** Finds completed payments and refunds, and recorded movements, that no entry explains. */
async function findUnbooked(app: App, walk: Walk<IdPlace>): Promise<ReconciliationProblem[]> {
  const found = await selectAllUnbooked(app.db);
  const span = await selectPaymentSpan(app.db);
  let { rows, id: last } = walk.from ?? { rows: 0, id: 0 };
  for (let page = walk.page; page === walk.page; ) {
    const payments = await selectPaymentsAfter(app.db, last, walk.page);
    for (const { id, environment_id, payment_method, unbooked } of payments) {
      if (unbooked === 1) {
        walk.found();
        found.push({ environment_id, transaction_id: id, refund_id: null, movement_id: null, payment_method });
      }
      last = id;
    }
    page = payments.length;
    rows += page;
    await walk.reached({ rows, id: last }, partOf(span, last));
  }
  return found.map((missing) => ({ problem: 'unbooked', entry: null, payout_id: null, ...missing }));
}
