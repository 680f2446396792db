import type { App } from '../app.ts';
import { openAs, type SealedKind, sealAs } from '../sealing/sealed-kind.ts';
import type { HolderQuestion } from '../validation-providers/validation-provider.ts';

export const VALIDATION_QUESTIONS: SealedKind = {
  name: 'validation-questions',
  label: 'bank-validation-question',
  table: 'bank_account_validations',
  column: 'sealed_question',
  key: ['id'],
  where: "state = 'pending'",
  place: ({ id }) => `bank_account_validations:${id}`,
};

/** The question as it is kept while its answer is awaited: encrypted, and bound to its row. */
export function sealQuestion(app: App, question: HolderQuestion): string {
  return sealAs(app, VALIDATION_QUESTIONS, { id: question.id }, JSON.stringify(question));
}

/** The question of the row `id`. Throws where MASTER_KEY or the row is another. */
export function openQuestion(app: App, id: string, sealed: string): HolderQuestion {
  return JSON.parse(openAs(app, VALIDATION_QUESTIONS, { id }, sealed)) as HolderQuestion;
}
