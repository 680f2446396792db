import type { App } from '../app.ts';
import { type FeedCut, isGenuineCut } from '../outbox/feed-cut.ts';
import { selectLastCut } from '../outbox/feed-cut-queries.ts';
import { addEvents, beginLinkHash, FEED_GENESIS, type FeedLink } from '../outbox/feed-link.ts';
import { selectFeedLinksAfter } from '../outbox/feed-link-queries.ts';
import { type FeedRow, selectFeed } from '../outbox/outbox-queries.ts';
import type { Findings } from './proof-finding.ts';

/**
 * How many events the chain over the feed covers, how many came after its last link, and how many were deleted because they were
 * older than RETENTION_EVENTS, in links that were made up to `cut`.
 */
export type FeedCoverage = { sealed: number; waiting: number; deleted: number; cut: number | null };

const PAGE = 1000;

type Place = { commitId: number; position: number };

/**
 * Computes the chain over the feed again. What was changed, deleted or put between is located to the events of one link,
 * which are those of about a second. Reads only, in pages.
 */
export async function verifyFeed(
  app: App,
  findings: Findings,
  onProgress: (events: number) => void = () => {},
): Promise<FeedCoverage> {
  const cut = await readCut(app, findings);
  const events = readEvents(app, cut);
  let previous: string | null = FEED_GENESIS;
  let [last, sealed, deleted] = [0, 0, 0];
  for await (const link of readLinks(app)) {
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
    if (cut !== null && link.link <= cut.link) {
      // The covered links are gone; anchors say their hashes, and the cut says the hash of the last link.
      if (link.link === cut.link && link.hash !== cut.hash) report(findings, link, { count: link.events, first: null });
      deleted += link.events;
      last = link.link;
      previous = link.hash;
      continue;
    }
    const found = await hashUntil(events, link, previous ?? FEED_GENESIS);
    if (found.count !== link.events || (previous !== null && found.hash !== link.hash)) report(findings, link, found);
    sealed += found.count;
    onProgress(sealed);
    last = link.link;
    previous = link.hash;
  }
  let waiting = 0;
  while ((await events.next()) !== null) waiting++;
  return { sealed, waiting, deleted, cut: cut?.until ?? null };
}

/** The last that this service made. */
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
    const row = await events.next({ commitId: link.commit_id, position: link.position });
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
  /** The next event; null at the end, or when none is left up to `until`. */
  next(until?: Place): Promise<FeedRow | null>;
};

function readEvents(app: App, cut: FeedCut | null): EventReader {
  let [rows, at, ended] = [[] as FeedRow[], 0, false];
  let place: Place = { commitId: cut?.commit_id ?? 0, position: cut?.position ?? Number.MIN_SAFE_INTEGER };
  const peek = async () => {
    if (at === rows.length && !ended) {
      rows = await selectFeed(app.db, place, PAGE);
      at = 0;
      ended = rows.length < PAGE;
      const end = rows.at(-1);
      if (end !== undefined) place = { commitId: end.commit_id, position: end.position };
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

function isAfter(row: FeedRow, { commitId, position }: Place): boolean {
  return row.commit_id === commitId ? row.position > position : row.commit_id > commitId;
}

async function* readLinks(app: App): AsyncGenerator<FeedLink> {
  let last = Number.MIN_SAFE_INTEGER;
  for (let page = PAGE; page === PAGE; ) {
    const links = await selectFeedLinksAfter(app.db, last, PAGE);
    yield* links;
    last = links.at(-1)?.link ?? last;
    page = links.length;
  }
}
