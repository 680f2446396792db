import type { App } from '../../app.ts';
import type { ChainPlace, Walk } from '../../lib/walk.ts';
import { type FeedCut, isGenuineCut } from '../../outbox/feed/feed-cut.ts';
import { selectLastCut } from '../../outbox/feed/feed-cut-queries.ts';
import { addEvents, beginLinkHash, FEED_GENESIS, type FeedLink } from '../../outbox/feed/feed-link.ts';
import { selectFeedLinksAfter, selectLastFeedLink } from '../../outbox/feed/feed-link-queries.ts';
import { type FeedRow, type PlaceInFeed, selectFeed } from '../../outbox/feed/feed-queries.ts';
import { readGenuineCut } from '../../outbox/feed/read-genuine-cut.ts';
import { type Findings, stopping } from '../proof-finding.ts';

/**
 * How many events the chain over the feed covers, how many came after its last link, and how many were deleted because
 * they were older than RETENTION_EVENTS, in links up to `cut`.
 */
export type FeedCoverage = { sealed: number; waiting: number; deleted: number; cut: number | null };

/** `cut`: the last link whose events were deleted for their age. */
export type FeedPlace = ChainPlace & { deleted: number; cut: number | null };

/**
 * Verifies the chain over the feed, and resumes an interrupted walk. A changed, deleted or inserted event is located to
 * one link, which covers about a second. Reads only, in pages.
 */
export async function verifyFeed(app: App, all: Findings, walk: Walk<FeedPlace>): Promise<FeedCoverage> {
  const findings = stopping(all, walk);
  const cut = await readCut(app, findings);
  const from = await placeToGoOn(app, cut, findings, walk);
  const events = readEvents(app, from?.until ?? placeOf(cut), walk.page);
  const end = (await selectLastFeedLink(app.db))?.link ?? 0;
  let previous: string | null = from?.hash ?? FEED_GENESIS;
  let [last, sealed, deleted, kept] = [from?.link ?? 0, from?.rows ?? 0, from?.deleted ?? 0, from?.rows ?? 0];
  for await (const link of readLinks(app, from?.link ?? Number.MIN_SAFE_INTEGER, walk.page)) {
    if (link.link !== last + 1) {
      const says = `links ${last + 1} to ${link.link - 1} of the feed were deleted`;
      findings.add({
        finding: 'event_missing',
        environment_id: null,
        subject: `feed link ${last + 1}`,
        since: link.made_at,
        says,
      });
      previous = null;
    }
    last = link.link;
    if (cut !== null && link.link <= cut.link) {
      // The events of these links were deleted for their age. Anchors have the hashes of the links, and the cut has the
      // hash of its last link.
      if (link.link === cut.link && link.hash !== cut.hash) report(findings, link, { count: link.events, first: null });
      deleted += link.events;
      previous = link.hash;
      continue;
    }
    const found = await hashUntil(events, link, previous ?? FEED_GENESIS);
    const differs = found.count !== link.events || (previous !== null && found.hash !== link.hash);
    // The events may have become too old since the walk began.
    if (differs && link.link > ((await readGenuineCut(app))?.link ?? 0)) report(findings, link, found);
    sealed += found.count;
    previous = link.hash;
    if (sealed - kept < walk.page && link.link !== end) continue;
    kept = sealed;
    const place = { rows: sealed, link: link.link, hash: link.hash, deleted, cut: cut?.link ?? null };
    await walk.reached(place, link.link / end);
  }
  let waiting = 0;
  while ((await events.next()) !== null) waiting++;
  return { sealed, waiting, deleted, cut: cut?.until ?? null };
}

/**
 * Returns the place of the interrupted walk, with its link, if the feed still has that link and the same number of
 * events before it.
 */
async function placeToGoOn(
  app: App,
  cut: FeedCut | null,
  findings: Findings,
  walk: Walk<FeedPlace>,
): Promise<(FeedPlace & { until: FeedLink }) | null> {
  if (walk.from === null) return null;
  const { link, hash } = walk.from;
  const [found] = await selectFeedLinksAfter(app.db, link - 1, 1);
  if (found?.link === link && found.hash === hash)
    return walk.from.cut === (cut?.link ?? null) ? { ...walk.from, until: found } : null;
  walk.contradicted();
  const says = `link ${link} of the feed is not what was verified before: it was deleted, or the feed was computed anew`;
  const subject = `feed link ${link}`;
  findings.add({ finding: 'event_changed', environment_id: null, subject, since: found?.made_at ?? null, says });
  return null;
}

function placeOf(cut: FeedCut | null): PlaceInFeed {
  return { commit_id: cut?.commit_id ?? 0, position: cut?.position ?? Number.MIN_SAFE_INTEGER };
}

/** Returns the last cut that this service made. */
async function readCut(app: App, findings: Findings): Promise<FeedCut | null> {
  const cut = await selectLastCut(app.db);
  if (cut === null || (await isGenuineCut(app, cut))) return cut;
  const says = `the feed is said to be deleted up to link ${cut.link}, and this service did not say so`;
  findings.add({
    finding: 'event_missing',
    environment_id: null,
    subject: `feed cut ${cut.number}`,
    since: cut.made_at,
    says,
  });
  return null;
}

type Found = { count: number; hash: string; first: FeedRow | null };

async function hashUntil(events: EventReader, link: FeedLink, previous: string): Promise<Found> {
  const hash = beginLinkHash(previous);
  let [count, first] = [0, null as FeedRow | null];
  for (;;) {
    const row = await events.next(link);
    if (row === null) return { count, hash: hash.digest('hex'), first };
    first ??= row;
    count++;
    addEvents(hash, [row]);
  }
}

function report(findings: Findings, link: FeedLink, { count, first }: Omit<Found, 'hash'>): void {
  const from = first === null ? '' : ` from position ${first.position}`;
  const place = `the feed${from} to position ${link.position}`;
  const difference = count - link.events;
  const [finding, what] =
    difference < 0
      ? (['event_missing', `${-difference} of ${link.events} events were deleted`] as const)
      : difference > 0
        ? (['event_added', `${difference} events were put between`] as const)
        : (['event_changed', `one of ${count} events, or the hash of their link, was changed`] as const);
  const says = `in ${place} ${what}`;
  findings.add({ finding, environment_id: null, subject: `feed link ${link.link}`, since: link.made_at, says });
}

type EventReader = {
  /** Returns the next event; null at the end, or if no event up to `until` is left. */
  next(until?: PlaceInFeed): Promise<FeedRow | null>;
};

function readEvents(app: App, after: PlaceInFeed, page: number): EventReader {
  let [rows, at, ended, place] = [[] as FeedRow[], 0, false, after];
  const peek = async () => {
    if (at === rows.length && !ended) {
      rows = await selectFeed(app.db, place, page);
      at = 0;
      ended = rows.length < page;
      place = rows.at(-1) ?? place;
    }
    return rows[at] ?? null;
  };
  return {
    next: async (until) => {
      const row = await peek();
      if (row === null || (until !== undefined && isAfter(row, until))) return null;
      at++;
      return row;
    },
  };
}

function isAfter(row: FeedRow, { commit_id, position }: PlaceInFeed): boolean {
  return row.commit_id === commit_id ? row.position > position : row.commit_id > commit_id;
}

async function* readLinks(app: App, after: number, limit: number): AsyncGenerator<FeedLink> {
  let last = after;
  for (let page = limit; page === limit; ) {
    const links = await selectFeedLinksAfter(app.db, last, limit);
    yield* links;
    last = links.at(-1)?.link ?? last;
    page = links.length;
  }
}
