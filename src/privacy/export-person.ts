import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { type ExportedValidations, exportValidations } from '../bank-validation/export-validations.ts';
import { formatDecimal } from '../lib/money.ts';
import { exportRecipients, type KeptRecipient } from '../payouts/recipients/forget-recipients.ts';
import { findPersonalData, type OnProgress } from './find-personal-data.ts';
import { type SaidKept, sayKept } from './kept.ts';
import { type Person, subjectOf } from './person.ts';

/** Times are ISO 8601 in UTC, amounts are decimal texts. */
export type PersonExport = {
  rut?: string;
  email?: string;
  validations: ExportedValidations['validations'];
  recipients: KeptRecipient[];
  transactions: Record<string, unknown>[];
  callbacks: Record<string, unknown>[];
  delivery_attempts: Record<string, unknown>[];
  /** URLs of callbacks, as the names of their queues. */
  endpoints: Record<string, unknown>[];
  refused_requests: Record<string, unknown>[];
  /** Receipts by mail. */
  mails: Record<string, unknown>[];
  /** Where else the person is mentioned, and why that stays after an erasure. */
  kept: SaidKept[];
};

/**
 * Exports everything that is stored about a person, as Law 21.719 entitles them. The audit log records who read it, but
 * not about whom.
 */
export async function exportPerson(
  app: App,
  person: Person,
  by: Actor,
  onProgress?: OnProgress,
): Promise<PersonExport> {
  const found = await findPersonalData(app, person, onProgress);
  const ofRut = person.kind === 'rut' ? await exportValidations(app, person.name) : null;
  const recipients = await exportRecipients(app, person);
  const after = {
    validations: ofRut?.validations.length ?? 0,
    recipients: recipients.length,
    transactions: found.transactions.length,
    callbacks: found.callbacks.length,
    delivery_attempts: found.delivery_attempts.length,
    endpoints: found.endpoints.length,
    refused_requests: found.refused_requests.length,
    mails: found.mails.length,
  };
  const act = { at: app.now(), by, action: 'privacy.exported', subject: subjectOf(person), after } as const;
  await app.db.transaction((tx) => recordAudit(tx, act));
  return {
    [person.kind]: person.name,
    validations: ofRut?.validations ?? [],
    recipients,
    transactions: found.transactions.map(({ created_at, amount, unsigned_fields, ...row }) => ({
      ...row,
      created_at: new Date(created_at).toISOString(),
      amount: formatDecimal(amount, row.currency),
      unsigned_fields: unsigned_fields === null ? null : (JSON.parse(unsigned_fields) as unknown),
    })),
    callbacks: found.callbacks.map(withTime('created_at')),
    delivery_attempts: found.delivery_attempts.map(withTime('started_at')),
    endpoints: found.endpoints,
    refused_requests: found.refused_requests.map(withTime('at')),
    mails: found.mails.map(({ id, transaction_id, refund_id, address, state, created_at }) => ({
      id,
      transaction_id,
      refund_id,
      address,
      state,
      created_at: new Date(created_at).toISOString(),
    })),
    kept: found.kept.map((one) => sayKept(one, 'en')),
  };
}

function withTime(column: string) {
  return (row: Record<string, unknown>) => ({ ...row, [column]: new Date(Number(row[column])).toISOString() });
}
