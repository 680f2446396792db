import type { App } from '../../app.ts';
import { maskAccount, readAccount } from '../../bank-validation/bank-account.ts';
import { type IdentityHashes, identityHashes } from '../../bank-validation/identity-hash.ts';
import { COMMAND_LINE } from '../../bank-validation/validate-bank-account.ts';
import type { RecipientDetails, RecipientRow } from '../../payouts/recipients/recipient.ts';
import { RECIPIENT_DETAILS } from '../../payouts/recipients/seal-recipient.ts';
import { openUnlessChanged } from '../../sealing/sealed-kind.ts';
import { addWrong, type Findings, GONE } from '../proof-finding.ts';
import { changesIn } from './compare-said.ts';
import { arrivalOf, pagesAfter, readAct } from './read-acts.ts';
import {
  type RecipientAct,
  type RecipientPlace,
  selectPayoutsOfOthers,
  selectRecipientActs,
  selectRecipientsAfter,
} from './recipient-check-queries.ts';

const PAGE = 500;

/**
 * Compares every recipient with its sealed details, which nobody can make without MASTER_KEY, and with the act of the
 * person who stored it; and every payout with its recipient. An erased recipient is not compared.
 * What was stored before its payment service arrived from another database has its act there.
 */
export async function verifyRecipients(
  app: App,
  findings: Findings,
  arrivals: ReadonlyMap<string, number>,
): Promise<void> {
  const begin: RecipientPlace = { id: '', version: 0 };
  const pages = pagesAfter(begin, PAGE, (after, limit) => selectRecipientsAfter(app.db, after, limit));
  for await (const rows of pages) {
    // Not earlier: a store without recipients may have no key yet, and making one would write.
    const hashes = await identityHashes(app);
    const acts = await selectRecipientActs(app.db, [...new Set(rows.map(({ id }) => id))]);
    const byVersion = new Map(acts.map((act) => [`${act.subject} ${String(readAct(act.said)['version'])}`, act]));
    for (const row of rows) {
      const hasArrived = row.created_at <= arrivalOf(arrivals, row.payment_service_id);
      const act = hasArrived ? undefined : byVersion.get(`${row.id} ${row.version}`);
      const wrong = [...wrongDetails(app, hashes, row), ...wrongAct(row, act)];
      const { id: subject, version, created_at: since } = row;
      const about = { finding: 'recipient_changed' as const, environment_id: null, subject, since };
      addWrong(findings, about, wrong, `recipient ${subject}, version ${version}`);
    }
  }
  for (const { id, environment_id, created_at } of await selectPayoutsOfOthers(app.db, GONE)) {
    const says = `payout ${id}: its bank, account, RUT or verdict is not the one of its recipient`;
    findings.add({ finding: 'payout_changed', environment_id, subject: id, since: created_at, says });
  }
}

function wrongDetails(app: App, hashes: IdentityHashes, row: RecipientRow): string[] {
  const details = detailsOf(app, row);
  if (details === null) return ['its details, its owner or its account were changed'];
  const { rut, account, email } = details;
  return [
    ...(row.rut_hash === hashes.ofRut(rut) ? [] : ['its RUT was changed']),
    ...(row.account_hash === hashes.ofAccount(row.bank_code, account) ? [] : ['its bank was changed']),
    ...changesIn([['account', maskAccount(readAccount(account)), row.account_masked]]),
    ...(row.email_hash === (email === null ? null : hashes.ofEmail(email)) ? [] : ['its e-mail was changed']),
  ];
}

/** Returns the details; null if they were changed, also if they name a master key that this service lacks. */
function detailsOf(app: App, row: RecipientRow): RecipientDetails | null {
  try {
    const text = openUnlessChanged(app, RECIPIENT_DETAILS, row, row.sealed_details);
    return text === null ? null : (JSON.parse(text) as RecipientDetails);
  } catch {
    return null;
  }
}

function wrongAct(row: RecipientRow, act: RecipientAct | undefined): string[] {
  if (act === undefined) return [];
  const said = readAct(act.said);
  // The command line of 0.1.0 did not write into the row who acted.
  const isUnnamed = act.is_older === 1 && row.created_by === COMMAND_LINE.id;
  return changesIn([
    ['created_at', act.created_at, row.created_at],
    ['created_by', isUnnamed ? COMMAND_LINE.id : act.user_id, row.created_by],
    ['payment_service', said['payment_service'], row.payment_service_id],
    ['verdict', said['verdict'], row.verdict],
  ]);
}
