import { hash } from 'node:crypto';
import type { App } from '../../app.ts';
import { PAYOUT_FILE_CONTENT } from '../../payouts/files/seal-payout-file.ts';
import { openAs } from '../../sealing/sealed-kind.ts';
import { addWrong, type Findings, GONE } from '../proof-finding.ts';
import type { ListedAct } from './act-check-queries.ts';
import {
  type FileSaid,
  hasActTogether,
  selectFilesNamed,
  selectFilesUnsaid,
  selectPayoutsLeftAlone,
} from './bank-check-queries.ts';
import { changesIn } from './compare-said.ts';
import { arrivalOf, pagesById, pagesOfActs, readAct, textsIn } from './read-acts.ts';

/** Files have many bytes, so few are read at once. */
const PAGE = 20;

/**
 * Compares the files for banks with the acts that made them, with their bytes and with their payouts, and finds payouts
 * that left without a sender and without a file. A file that was made before its payment service arrived from another
 * database has its act there.
 */
export async function verifyBankFiles(
  app: App,
  findings: Findings,
  arrivals: ReadonlyMap<string, number>,
): Promise<void> {
  const together = new Set<string>();
  for await (const acts of pagesOfActs(app, 'payout.filed')) {
    for (const act of acts) {
      const ids = act.subject.split(' ');
      if (ids.length > 1) for (const id of ids) together.add(id);
      for (let at = 0; at < ids.length; at += PAGE) await verifyMade(app, findings, act, ids.slice(at, at + PAGE));
    }
  }
  for await (const files of pagesById(PAGE, (after, limit) => selectFilesUnsaid(app.db, after, limit))) {
    for (const file of files.filter(({ id }) => !together.has(id))) {
      const hasArrived = file.created_at <= arrivalOf(arrivals, file.payment_service_id);
      // It may be made, with others, while this runs.
      const isSaid = hasArrived || (await hasActTogether(app.db, file.id));
      report(findings, file, [...(isSaid ? [] : ['it was never made by this service']), ...wrongIn(app, file)]);
    }
  }
  for (const { id, environment_id, sent_at } of await selectPayoutsLeftAlone(app.db, GONE)) {
    const says = `payout ${id} left without a sender, and its file is not in the store`;
    findings.add({ finding: 'payout_changed', environment_id, subject: id, since: sent_at, says });
  }
}

/** Compares files that one act made with it. */
async function verifyMade(app: App, findings: Findings, act: ListedAct, ids: readonly string[]): Promise<void> {
  const said = readAct(act.said_after);
  const hashes = textsIn(said, 'sha256') ?? [];
  const all = act.subject.split(' ');
  const files = await selectFilesNamed(app.db, ids);
  for (const id of ids) {
    const file = files.find((one) => one.id === id);
    if (file === undefined) {
      const says = `file of payouts ${id} was deleted`;
      findings.add({ finding: 'payout_file_changed', environment_id: null, subject: id, since: act.created_at, says });
      continue;
    }
    const changes = changesIn([
      ['sha256', hashes[all.indexOf(id)], file.sha256],
      ['format', said['format'], file.format],
      ['created_at', act.created_at, file.created_at],
      ['made_by', act.actor, file.made_by],
      ['payouts', all.length === 1 ? said['payouts'] : file.payouts, file.payouts],
    ]);
    report(findings, file, [...changes, ...wrongIn(app, file)]);
  }
}

/** Returns what a file contradicts itself in: its bytes, or the number and sum of its payouts. */
function wrongIn(app: App, file: FileSaid): string[] {
  const content = contentOf(app, file);
  const bytes = content === null ? null : Buffer.from(content, 'base64');
  const isOwn = bytes !== null && hash('sha256', bytes) === file.sha256;
  const { payouts, total, held, held_total } = file;
  return [
    ...(isOwn ? [] : ['its bytes were changed']),
    ...(payouts === held && total === held_total
      ? []
      : [`it was made of ${payouts} payouts with ${total} in all, and ${held} payouts with ${held_total} are in it`]),
  ];
}

/** Returns the bytes in base64; null if they were changed, also if they name a master key that this service lacks. */
function contentOf(app: App, file: FileSaid): string | null {
  try {
    return openAs(app, PAYOUT_FILE_CONTENT, file, file.sealed_content);
  } catch {
    return null;
  }
}

function report(findings: Findings, { id, environment_id, created_at }: FileSaid, wrong: readonly string[]): void {
  const about = { finding: 'payout_file_changed' as const, environment_id, subject: id, since: created_at };
  addWrong(findings, about, wrong, `file of payouts ${id}`);
}
