import type { App } from '../../app.ts';
import { kindOfRole } from '../permission.ts';
import type { User } from '../user.ts';
import { mustHaveFactor } from './factor.ts';
import { hasFactor } from './factor-queries.ts';

/**
 * Returns whether a user's password alone opens nothing: the user is a person who has a second factor or must have one.
 * A program never has one.
 */
export async function needsFactor(app: App, user: Pick<User, 'id' | 'role' | 'may'>): Promise<boolean> {
  if (kindOfRole(user.role) !== 'person') return false;
  return mustHaveFactor(app, user) || hasFactor(app.db, user.id);
}
