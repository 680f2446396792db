import type { App } from '../app.ts';
import { selectValidation } from './bank-validation-queries.ts';
import { currentDirectory } from './directory/current-directory.ts';
import { type Validation, validationOf } from './stored-validation.ts';
import type { ValidationActor } from './validate-bank-account.ts';

/**
 * Returns the current state of a validation that this user made; `null` if it does not exist or belongs to another
 * user.
 */
export async function findValidation(app: App, actor: ValidationActor, id: string): Promise<Validation | null> {
  const row = await selectValidation(app.db, actor.id, id);
  return row === null ? null : validationOf(row, await currentDirectory(app));
}
