import type { App } from '../../app.ts';
import { currentDirectory } from '../directory/current-directory.ts';
import { type AccountCells, type Repair, repairAccount } from './repair-account.ts';

/** Repairs an account that a person typed, such as a number with hyphens, by the rules for files. */
export async function repairTyped(
  app: App,
  typed: Pick<AccountCells, 'rut' | 'bank' | 'account'>,
): Promise<{ cells: AccountCells; repairs: readonly Repair[] }> {
  const directory = await currentDirectory(app);
  return repairAccount({ ...typed, checkCharacter: null }, { directory, rutFormat: null });
}
