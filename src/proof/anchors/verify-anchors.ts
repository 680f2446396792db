import type { App } from '../../app.ts';
import type { FindingKind, Findings } from '../proof-finding.ts';
import { describeRestore, type Restore, readRestores, restoreThatLost, type SeenRestore } from '../restores/restore.ts';
import {
  ANCHOR_KEY_NAME,
  type AnchorHead,
  anchorKeyUnlessChanged,
  isGenuine,
  type SealedAnchor,
  type SealedChain,
} from './anchor.ts';
import { anchorFiles, anchorFilesAt, readAnchorFile } from './anchor-folder.ts';
import { type AnchorsTold, selectAnchorsAfter, selectAnchorsTold, selectLinkHashes } from './anchor-queries.ts';
import { chainOf } from './make-anchor.ts';
import { verifyKeptKeys } from './verify-kept-keys.ts';

/** The compared anchors: their source, their number, and their days in Chile. */
export type AnchorSource = { source: string; anchors: number; first_day: string | null; last_day: string | null };

/** The chains that `books verify` compares with the anchors. */
const BOOKS_CHAINS: readonly SealedChain[] = ['books', 'facts', 'feed'];
/** The chains that `audit verify` compares with the anchors. */
export const AUDIT_CHAINS: readonly SealedChain[] = ['audit'];

/**
 * Compares the chains with every anchor in the store, in ANCHOR_DIR, and in the files and folders of `paths`. An anchor
 * that is missing, forged, or contradicts the store or another source is a finding with its day. The anchors that a
 * restore lost are one finding until a person accepts the restore; then only `restores` lists them. A changed key is a
 * finding; without the key of anchors none is compared.
 */
export async function verifyAnchors(
  app: App,
  paths: readonly string[],
  findings: Findings,
  chains = BOOKS_CHAINS,
): Promise<{ anchors: AnchorSource[]; restores: SeenRestore[] }> {
  await verifyKeptKeys(app, findings);
  const key = await anchorKeyUnlessChanged(app);
  if (key === null) return { anchors: [], restores: [] };
  const check = createCheck(key, findings, await readRestores(app), chains);
  // Read before the anchors, because a service beside this run makes new ones.
  const told = await selectAnchorsTold(app.db, ANCHOR_KEY_NAME);
  const store: Place = { source: 'the store', seen: [], days: [] };
  await readStore(app, store, check);
  reportCut(told, check);
  const sources = [store];
  const { anchorDir } = app.config;
  if (anchorDir !== null) {
    const place = readPlace(anchorDir, anchorFiles(anchorDir), check);
    reportMissing(place, check, app.now());
    sources.push(place);
  }
  for (const path of paths) sources.push(readPlace(path, anchorFilesAt(path), check));
  // An anchor is in the store before it is in a folder, so those that were made meanwhile are there now.
  if (check.ahead.length > 0) await readStore(app, store, check);
  for (const { sealed, source } of check.ahead) compareToStore(sealed, source, check);
  for (const [chain, links] of check.chains) await compareChain(app, chain, links, findings);
  const restores = check.restores.map((restore) => seenOf(restore, check));
  for (const restore of restores) if (restore.accepted === null && restore.anchors > 0) reportLost(restore, check);
  const anchors = sources.map(({ source, days, seen }) => ({
    source,
    anchors: seen.length,
    first_day: days[0] ?? null,
    last_day: days.at(-1) ?? null,
  }));
  return { anchors, restores };
}

function seenOf(restore: Restore, { lost }: Check): SeenRestore {
  const times = [...lost.values()].filter((one) => one.restore === restore).map((one) => one.madeAt);
  const [first = null] = times.toSorted((one, other) => one - other);
  return { ...restore, anchors: times.length, first_made_at: first, last_made_at: first && Math.max(...times) };
}

function reportLost(restore: SeenRestore, { report }: Check): void {
  const says = `${describeRestore(restore)}; compare what is lost, then bin/rubrica release accepts it`;
  report('anchor_lost', `epoch ${restore.epoch}`, restore.began_at, says);
}

/** A link as an anchor sealed it, and the first anchor with that link. */
type SealedLink = { hash: string; number: number; day: string; madeAt: number };
type Links = { head: AnchorHead; byLink: Map<number, SealedLink> };
type Known = { mac: string; day: string; madeAt: number };
type Place = { source: string; seen: number[]; days: string[] };

type Check = ReturnType<typeof createCheck>;

function createCheck(key: string, findings: Findings, restores: readonly Restore[], concerned: readonly SealedChain[]) {
  const chains = new Map<string, Links>();
  const inStore = new Map<number, Known>();
  /** Genuine anchors outside the store that a restore explains, by their MAC. */
  const lost = new Map<string, { restore: Restore; madeAt: number }>();
  const report = (finding: FindingKind, subject: string, since: number | null, says: string) =>
    findings.add({ finding, environment_id: null, subject, since, says });

  /** Returns whether this service has sealed the anchor; adds a finding with its `label` if not. */
  const isSealed = (sealed: SealedAnchor, source: string, { number, day, madeAt } = labelOf(sealed)): boolean => {
    if (isGenuine(key, sealed)) return true;
    const says = `anchor ${number} of ${day} in ${source} was not sealed by this service`;
    report('anchor_forged', `anchor ${number}`, madeAt, says);
    return false;
  };
  /** Records the links of a genuine anchor. */
  const take = ({ anchor: { number, day, made_at, heads } }: SealedAnchor, source: string): void => {
    const madeAt = Date.parse(made_at);
    for (const head of heads) {
      if (!concerned.includes(head.chain)) continue;
      const links = chains.getOrInsertComputed(chainOf(head), () => ({ head, byLink: new Map() }));
      const known = links.byLink.get(head.link);
      if (known === undefined) links.byLink.set(head.link, { hash: head.hash, number, day, madeAt });
      else if (known.hash !== head.hash) {
        const says = `anchor ${number} of ${day} in ${source} says something else of link ${head.link} of ${nameOf(head)} than anchor ${known.number} of ${known.day}`;
        report('anchor_contradicts', `anchor ${number}`, madeAt, says);
      }
    }
  };
  /** Anchors outside the store with a higher number than its last one had when it was read. */
  const ahead: { sealed: SealedAnchor; source: string }[] = [];
  return { chains, inStore, lost, restores, ahead, last: { number: 0, day: '', mac: '' }, report, isSealed, take };
}

/** Returns how a finding names an anchor. In a forged one the time can be missing or unreadable. */
function labelOf({ anchor: { number, day, made_at } }: SealedAnchor): {
  number: number;
  day: string;
  madeAt: number | null;
} {
  const madeAt = Date.parse(made_at);
  return { number, day, madeAt: Number.isNaN(madeAt) ? null : madeAt };
}

const PAGE = 200;

/** Reads the anchors of the store after the last one that was read. */
async function readStore(app: App, place: Place, { isSealed, take, report, inStore, last: end }: Check): Promise<void> {
  for (let page = PAGE; page === PAGE; ) {
    const rows = await selectAnchorsAfter(app.db, end.number, PAGE);
    for (const { number, day, made_at, content, mac } of rows) {
      const say = (finding: FindingKind, says: string) => report(finding, `anchor ${number}`, made_at, says);
      const isNext = number === end.number + 1;
      if (!isNext) {
        const says = `anchors ${end.number + 1} to ${number - 1} are missing in the store, before the anchor of ${day}`;
        report('anchor_missing', `anchor ${end.number + 1}`, made_at, says);
      }
      const anchor = parse(content);
      const sealed = anchor && { anchor, content, mac };
      if (sealed === null) say('anchor_forged', `anchor ${number} of ${day} in the store was not made by this service`);
      else if (isSealed(sealed, 'the store', { number, day, madeAt: made_at })) {
        if (isNext && sealed.anchor.previous !== end.mac)
          say('anchor_contradicts', `anchor ${number} of ${day} follows another than the one before it`);
        take(sealed, 'the store');
        inStore.set(number, { mac, day, madeAt: made_at });
      }
      place.seen.push(number);
      place.days.push(day);
      Object.assign(end, { number, day, mac });
    }
    page = rows.length;
  }
}

/** Reports the loss of the last anchors, or of all, as far as the rest of the store has the number of a later one. */
function reportCut({ made, posted, has_key }: AnchorsTold, { last: end, report }: Check): void {
  const least = Math.max(Number(made) || 0, posted, has_key);
  if (least <= end.number) return;
  const store = end.number === 0 ? 'has none' : `ends with anchor ${end.number} of ${end.day}`;
  const says = `anchors were made up to number ${least} at least, and the store ${store}: they were deleted`;
  report('anchor_missing', `anchor ${end.number + 1}`, null, says);
}

function parse(content: string): SealedAnchor['anchor'] | null {
  try {
    return JSON.parse(content) as SealedAnchor['anchor'];
  } catch {
    return null;
  }
}

/** Reads a folder of anchors, or one file. */
function readPlace(source: string, files: readonly string[], check: Check): Place {
  const place: Place = { source, seen: [], days: [] };
  for (const file of files) {
    const { anchors, unreadable } = readAnchorFile(file);
    const lines = unreadable === 1 ? `1 line of ${file} is no anchor` : `${unreadable} lines of ${file} are no anchors`;
    if (unreadable > 0) check.report('anchor_forged', file, null, lines);
    for (const sealed of anchors) {
      const { number, day } = sealed.anchor;
      if (!check.isSealed(sealed, source) || isLost(sealed, check)) continue;
      check.take(sealed, source);
      if (number > check.last.number) check.ahead.push({ sealed, source });
      else compareToStore(sealed, source, check);
      place.seen.push(number);
      place.days.push(day);
    }
  }
  return place;
}

/**
 * Returns whether a restore explains that the store lacks the anchor. Such an anchor is not compared with the store.
 */
function isLost({ anchor, mac }: SealedAnchor, { inStore, restores, lost }: Check): boolean {
  if (inStore.get(anchor.number)?.mac === mac) return false;
  const restore = restoreThatLost(restores, anchor);
  if (restore !== undefined) lost.set(mac, { restore, madeAt: Date.parse(anchor.made_at) });
  return restore !== undefined;
}

function compareToStore({ anchor, mac }: SealedAnchor, source: string, { inStore, last, report }: Check): void {
  const { number, day, made_at } = anchor;
  if (inStore.get(number)?.mac === mac) return;
  const says =
    number > last.number
      ? `the store is older than it was: it ends with anchor ${last.number}${last.number === 0 ? '' : ` of ${last.day}`}, and ${source} has anchor ${number} of ${day}`
      : `anchor ${number} of ${day} in ${source} differs from the anchor in the store`;
  report('anchor_contradicts', `anchor ${number}`, Date.parse(made_at), says);
}

/** New anchors may be missing in ANCHOR_DIR for this time: the worker writes once a minute. */
const ON_ITS_WAY_MS = 10 * 60_000;

/** Reports anchors that the store has and ANCHOR_DIR lacks: `serve` writes all of them there, from the first on. */
function reportMissing({ source, seen }: Place, { inStore, lost, restores, report }: Check, now: number): void {
  const there = new Set(seen);
  const newest = seen.reduce((most, number) => Math.max(most, number), 0);
  const restore = restores.at(-1);
  const waits = restore?.accepted === null && [...lost.values()].some((one) => one.restore === restore);
  for (const [number, { day, madeAt }] of inStore) {
    if (there.has(number)) continue;
    const isAfter = restore !== undefined && number > restore.after;
    // After an unaccepted restore no anchors are written.
    if (isAfter && waits) continue;
    const since = isAfter ? Math.max(madeAt, restore.accepted?.at ?? 0) : madeAt;
    if (number > newest && now - since < ON_ITS_WAY_MS) continue;
    report('anchor_missing', `anchor ${number}`, madeAt, `anchor ${number} of ${day} is missing in ${source}`);
  }
}

async function compareChain(app: App, chain: string, { head, byLink }: Links, findings: Findings): Promise<void> {
  const stored = new Map<number, string>();
  const links = [...byLink.keys()].sort((one, other) => one - other);
  for (let at = 0; at < links.length; at += PAGE) {
    const rows = await selectLinkHashes(app.db, head.chain, head.environment_id, links.slice(at, at + PAGE));
    for (const { link, hash } of rows) stored.set(link, hash);
  }
  for (const link of links) {
    const { hash, number, day, madeAt } = byLink.get(link) as SealedLink;
    const found = stored.get(link);
    if (found === hash) continue;
    const what = found === undefined ? 'is gone' : 'is another';
    findings.add({
      finding: 'anchor_contradicts',
      environment_id: head.environment_id === 0 ? null : head.environment_id,
      subject: `${chain} link ${link}`,
      since: madeAt,
      says: `link ${link} of ${nameOf(head)} ${what}: it was sealed on ${day}, in anchor ${number}`,
    });
  }
}

function nameOf({ chain, environment_id }: AnchorHead): string {
  if (chain === 'feed') return 'the feed';
  return chain === 'audit' ? 'the audit log' : `the ${chain} of environment ${environment_id}`;
}
