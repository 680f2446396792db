import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { sayBalance, sayProblem, sayRecord } from '../../books/say-problem.ts';
import type { ExportedHead } from '../../books/verify-books.ts';
import { sealFeed } from '../../outbox/feed/seal-feed.ts';
import { writeAnchors } from '../../proof/anchors/keep-anchors.ts';
import { makeAnchor } from '../../proof/anchors/make-anchor.ts';
import { postKey } from '../../proof/anchors/post-anchors.ts';
import { noteVerification } from '../../proof/run-verification.ts';
import { reportOf } from '../../proof/verification-report.ts';
import { type StoreVerification, verifyStore } from '../../proof/verify-store.ts';
import { anchorLine, findingLine, restoreLine, unprovenLines } from '../finding-lines.ts';
import { countOf, print, time, unusableFile } from '../print.ts';
import { recordResult } from '../record-result.ts';
import { comparingAnchors, resuming, verifyResuming } from '../resuming.ts';
import { type ActingOptions, acting, withActor } from '../with-actor.ts';
import { withApp } from '../with-app.ts';

type Options = { json?: boolean; head?: string; anchor?: string[]; fromStart?: boolean };

/** `books verify | anchor`, in the group `books`. */
export function addVerifyCommand(group: Command): void {
  comparingAnchors(
    resuming(group.command('verify'))
      .description(
        'verify the books against the payments, refunds, fees and owners; status 1 with the places if anything was changed',
      )
      .option('--json', 'print one JSON object; amounts in minor units')
      .option('--head <file>', 'compare with an earlier output of `books head --json`; reads from the start'),
  ).action(verify);
  acting(group.command('anchor'))
    .description('seal the heads of all chains now and write them to ANCHOR_DIR; `serve` does it daily')
    .option('--post-key', 'print the key (Standard Webhooks format) with which a receiver verifies posts to ANCHOR_URL')
    .option('--json', 'print one JSON object')
    .action(anchor);
}

async function verify(options: Options): Promise<void> {
  const exported = options.head === undefined ? [] : readHeads(options.head);
  const { anchor: anchorFiles = [] } = options;
  const fromStart = options.fromStart === true || exported.length > 0;
  const { unrecorded, ...verification } = await verifyResuming('books', fromStart, async (app, walks) => {
    const verified = await verifyStore(app, exported, anchorFiles, walks);
    const report = await reportOf(app, verified);
    const fix = 'run it again, once the store takes changes again.';
    return { ...verified, unrecorded: await recordResult(() => noteVerification(app, report), fix) };
  });
  print(options, verification, verificationLines(verification, exported.length > 0));
  process.stderr.write(unrecorded ?? '');
  if (!verification.ok) process.exitCode = 1;
}

async function anchor(options: ActingOptions & { postKey?: boolean }): Promise<void> {
  if (options.postKey === true) {
    const key = `whsec_${(await withApp(postKey)).toString('base64')}`;
    return print(options, { key }, [key]);
  }
  const { made, folder } = await withActor(options, async (app, by) => {
    while ((await sealFeed(app)) > 0);
    const row = await makeAnchor(app, 'now', { by });
    await writeAnchors(app);
    return { made: row, folder: app.config.anchorDir };
  });
  if (made === null) return print(options, { anchor: null }, ['There is nothing to seal yet.']);
  print(options, { anchor: JSON.parse(made.content), mac: made.mac, folder }, [
    `Anchor ${made.number} of ${made.day} is made${folder === null ? '; it is in the store alone: set ANCHOR_DIR' : ` and is in ${folder}`}.`,
  ]);
}

function verificationLines(verification: StoreVerification, withHeads: boolean): string[] {
  const { ok, environments, entries, facts, callbacks, feed, rights, problems, records, balances, findings, found } =
    verification;
  const unnamed = sum(found) - findings.length;
  const wrong = problems.length + records.length + balances.length + sum(found);
  return [
    ...problems.map((one) => `environment ${one.environment_id}, ${sayProblem(one).en}`),
    ...records.map((one) => `environment ${one.environment_id}: ${sayRecord(one).en}`),
    ...balances.map((one) => `environment ${one.environment_id}, ${sayBalance(one).en}`),
    ...findings.map(findingLine),
    ...(unnamed > 0 ? [`and ${unnamed} more of the same kinds`] : []),
    ...verification.covered_from
      .filter(({ link }) => link > 1)
      .map(
        ({ environment_id, link }) =>
          `environment ${environment_id}: whose the books are, references and codes are vouched for from link ${link} on`,
      ),
    ok
      ? `${countOf(entries, 'entry', 'entries')} in ${countOf(environments, 'chain')}: every hash and every record is right${withHeads ? ', and so is what was exported' : ''}.`
      : `${countOf(wrong, 'place is', 'places are')} not as posted.`,
    `${countOf(facts, 'fact')} of owners, fees and refunds, ${countOf(callbacks, 'callback')} and ${countOf(feed.sealed, 'event')} of the feed were compared${feed.waiting > 0 ? `; ${feed.waiting} more events wait to be sealed` : ''}.`,
    `What people closed, set, made and decided beside the books, and the rights of ${countOf(rights.users, 'user')}, were compared with the audit log, which audit verify proves.`,
    ...(rights.older > 0
      ? [
          `Nothing vouches for the rights of ${countOf(rights.older, 'user')} from before the audit log, until somebody sets them again: bin/rubrica user role.`,
        ]
      : []),
    ...(feed.deleted > 0
      ? [
          `${countOf(feed.deleted, 'event')} before that, up to ${time(feed.cut ?? 0)}, are deleted because of their age (RETENTION_EVENTS).`,
        ]
      : []),
    ...verification.anchors.map(anchorLine),
    ...unprovenLines(verification.anchors, withHeads),
    ...verification.restores.filter(({ accepted }) => accepted !== null).map(restoreLine),
  ];
}

function sum(found: StoreVerification['found']): number {
  return Object.values(found).reduce((total, count) => total + count, 0);
}

function readHeads(file: string): ExportedHead[] {
  try {
    const { heads } = JSON.parse(readFileSync(file, 'utf8')) as { heads: ExportedHead[] };
    if (heads.every((one) => Number.isInteger(one.environment_id) && Number.isInteger(one.link))) return heads;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw unusableFile(`There is no file ${file}.`);
  }
  throw unusableFile(`${file} is not what books head --json printed.`);
}
