import type { App } from '../../app.ts';
import { openAs, type SealedKind, sealAs } from '../../sealing/sealed-kind.ts';
import type { HolderQuestion } from '../../validation-providers/validation-provider.ts';

export const VALIDATION_QUESTIONS: SealedKind = {
  name: 'validation-questions',
  label: 'bank-validation-question-of-user',
  table: 'bank_account_validations',
  column: 'sealed_question',
  key: ['id'],
  owner: ['actor'],
  where: "state = 'pending'",
  place: ({ id, actor }) => `bank_account_validations/${id}/${actor}`,
  unbound: { label: 'bank-validation-question', place: ({ id }) => `bank_account_validations:${id}` },
};

/** Encrypts a pending question, bound to its row and its user. */
export function sealQuestion(app: App, actor: string, question: HolderQuestion): string {
  return sealAs(app, VALIDATION_QUESTIONS, { id: question.id, actor }, JSON.stringify(question));
}

/** Decrypts the question of a row. Throws if MASTER_KEY, the row or its user was changed. */
export function openQuestion(app: App, place: { id: string; actor: string }, sealed: string): HolderQuestion {
  // A question sealed by a version without names has no name.
  return {
    name: null,
    ...(JSON.parse(openAs(app, VALIDATION_QUESTIONS, place, sealed)) as Omit<HolderQuestion, 'name'>),
  };
}
