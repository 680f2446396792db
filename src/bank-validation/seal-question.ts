import type { App } from '../app.ts';
import { perInstance } from '../lib/per-instance.ts';
import { deriveKey, open, seal, sealingKey } from '../lib/seal.ts';
import type { HolderQuestion } from '../validation-providers/validation-provider.ts';

const keys = perInstance((app: App) => sealingKey(deriveKey(app.config.masterKey, 'bank-validation-question')));

/** The question as it is kept while its answer is awaited: encrypted, and bound to its row. */
export function sealQuestion(app: App, question: HolderQuestion): string {
  return seal(keys(app), JSON.stringify(question), rowName(question.id));
}

/** The question of the row `id`. Throws where MASTER_KEY or the row is another. */
export function openQuestion(app: App, id: string, sealed: string): HolderQuestion {
  return JSON.parse(open(keys(app), sealed, rowName(id))) as HolderQuestion;
}

function rowName(id: string): string {
  return `bank_account_validations:${id}`;
}
