import { hash } from 'node:crypto';
import type { App } from '../../app.ts';
import { type Findings, GONE } from '../proof-finding.ts';
import { selectAuditedSince } from './act-check-queries.ts';
import { type BankListSaid, selectBankListsGone, selectBankListsSaid } from './bank-check-queries.ts';
import { changesIn } from './compare-said.ts';
import { readAct } from './read-acts.ts';

/**
 * Compares the imported lists of banks with the acts that imported them: the codes in a list decide to which bank a
 * file of payouts sends money. Acts of earlier versions do not have the hash of the list.
 */
export async function verifyBankLists(app: App, findings: Findings): Promise<void> {
  const since = await selectAuditedSince(app.db);
  const add = (list: string, at: number | null, says: string) =>
    findings.add({ finding: 'bank_list_changed', environment_id: null, subject: list, since: at, says });
  let last = 0;
  // One at a time: a list has all banks in one text.
  for (let list = await next(app, last); list !== null; list = await next(app, last)) {
    last = list.id;
    const subject = `bank list ${list.version}`;
    if (list.said_at === null && list.imported_at < since) continue;
    const wrong = wrongIn(list);
    if (wrong.length > 0) add(subject, list.said_at ?? list.imported_at, `${subject}: ${wrong.join('; ')}`);
  }
  for (const { subject, said_at } of await selectBankListsGone(app.db, GONE)) {
    add(`bank list ${subject}`, said_at, `bank list ${subject} was deleted`);
  }
}

async function next(app: App, last: number): Promise<BankListSaid | null> {
  return (await selectBankListsSaid(app.db, last, 1))[0] ?? null;
}

function wrongIn({ version, content, said_version, said }: BankListSaid): string[] {
  if (said_version === null) return ['it was never imported by this service'];
  const known = readAct(said)['list_sha256'];
  return [
    ...changesIn([['version', said_version, version]]),
    ...(known === undefined || known === hash('sha256', content) ? [] : ['its banks were changed']),
  ];
}
