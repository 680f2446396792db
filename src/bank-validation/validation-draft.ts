import type { App } from '../app.ts';
import { randomHex } from '../lib/ids.ts';
import type { HolderQuestion } from '../validation-providers/validation-provider.ts';
import type { AccountInput, OfflineFindings } from './account-checks.ts';
import { readAccount } from './bank-account.ts';
import type { ValidationRow } from './bank-validation-queries.ts';
import { type Check, verdictOf } from './check.ts';
import type { BankDirectory } from './directory/bank-directory.ts';
import { identityHashes } from './identity-hash.ts';
import { encodeChecks, type Validation } from './stored-validation.ts';

/** A validation after its offline checks and before its online checks. */
export type Draft = {
  readonly actor: string;
  readonly createdAt: number;
  readonly directoryVersion: string;
  readonly findings: OfflineFindings;
  /** `null` if the RUT, or the account at that bank, is wrong: a wrong value cannot be searched for. */
  readonly rutHash: string | null;
  readonly accountHash: string | null;
  /** The question for a provider. Wrong parts are empty. */
  readonly question: HolderQuestion;
};

/** Gives a validation its id and hashes. */
export async function draftValidation(
  app: App,
  actor: string,
  input: AccountInput,
  findings: OfflineFindings,
  directory: BankDirectory,
): Promise<Draft> {
  const createdAt = app.now();
  const hashes = await identityHashes(app);
  const { rut, bank } = findings;
  const account = readAccount(input.account).digits;
  return {
    actor,
    createdAt,
    directoryVersion: directory.version,
    findings,
    rutHash: rut === null ? null : hashes.ofRut(rut),
    accountHash: bank === null || account === null ? null : hashes.ofAccount(bank.code, account),
    question: {
      id: firstIdAt(createdAt) + randomHex(8),
      rut: rut ?? '',
      bankCode: bank?.code ?? '',
      account: account ?? '',
      name: input.holderName ?? null,
      asks: 0,
    },
  };
}

/** Returns the validation with its online checks, and its row. */
export function rowOf(draft: Draft, onlineChecks: readonly Check[]): { validation: Validation; row: ValidationRow } {
  const { findings, question, createdAt } = draft;
  const checks = [...findings.checks, ...onlineChecks];
  const verdict = verdictOf(checks);
  return {
    validation: {
      id: question.id,
      state: 'completed',
      verdict,
      rut: findings.rut,
      readings: findings.readings,
      bank: findings.bank,
      maskedAccount: findings.maskedAccount,
      checks,
      suggestions: findings.suggestions,
      expiresAt: null,
      validatedAt: createdAt,
    },
    row: {
      id: question.id,
      actor: draft.actor,
      created_at: createdAt,
      state: 'completed',
      verdict,
      bank_code: findings.bank?.code ?? null,
      account_masked: findings.maskedAccount,
      findings: encodeChecks(checks),
      directory_version: draft.directoryVersion,
      rut_hash: draft.rutHash,
      account_hash: draft.accountHash,
      provider: null,
      provider_detail: null,
      answered_at: null,
      expires_at: null,
      next_ask_at: null,
      asks: null,
      sealed_question: null,
    },
  };
}

/**
 * Returns the start of the id of a validation at that time. Ids start with their time, so new rows are together in the
 * index and old ones are found by id.
 */
export function firstIdAt(utcMs: number): string {
  return `bav_${utcMs.toString(36).padStart(9, '0')}`;
}
