import type { App } from '../../app.ts';
import { openAs, type SealedKind, sealAs } from '../../sealing/sealed-kind.ts';
import type { FactorRow } from './factor-queries.ts';

export const FACTOR_SECRETS: SealedKind = {
  name: 'factors',
  label: 'factor-secrets',
  table: 'factors',
  column: 'sealed',
  key: ['id'],
  owner: ['user_id', 'kind'],
  where: '1 = 1',
  place: ({ id, user_id, kind }) => `factors/${id}/${user_id}/${kind}`,
};

type Place = Pick<FactorRow, 'id' | 'user_id' | 'kind'>;

/** Encrypts the secret of a factor, bound to its row and its user. */
export function sealFactor(app: App, place: Place, secret: string): string {
  return sealAs(app, FACTOR_SECRETS, place, secret);
}

/** Decrypts the secret of a row. Throws if MASTER_KEY, the row or its user was changed. */
export function openFactor(app: App, row: FactorRow): string {
  return openAs(app, FACTOR_SECRETS, row, row.sealed);
}
