import type { App } from '../app.ts';
import { selectValidation } from './bank-validation-queries.ts';
import { currentDirectory } from './directory/current-directory.ts';
import { type Validation, validationOf } from './stored-validation.ts';
import type { ValidationActor } from './validate-bank-account.ts';

/** A validation that this user made, as it stands now. `null`: not found, or somebody else's. */
export async function findValidation(app: App, actor: ValidationActor, id: string): Promise<Validation | null> {
  const row = await selectValidation(app.db, actor.id, id);
  return row === null ? null : validationOf(row, await currentDirectory(app));
}
