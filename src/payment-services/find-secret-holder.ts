import type { App } from '../app.ts';
import type { Database, Tx } from '../db/database.ts';
import { openUnlessChanged } from '../sealing/sealed-kind.ts';
import type { Environment } from './payment-service.ts';
import { type StoredSecretRow, selectSecretsAfter } from './payment-service-queries.ts';
import { SECRET_TOKENS } from './seal-secret.ts';

const PAGE = 500;

/** The Secret Token is or was one of `holder`, another payment service. */
export class SecretHeld extends Error {
  readonly holder: string;

  constructor(holder: string) {
    super(`The Secret Token is or was one of payment service ${holder}.`);
    this.holder = holder;
  }
}

/**
 * Throws `SecretHeld` if a payment service has or had this Secret Token. Decrypts the Secret Tokens of the environments
 * after `afterEnvironment` (0: of the store), page by page: it is meant for a command, not for requests.
 */
export async function refuseHeldSecret(
  app: App,
  db: Pick<Database | Tx, 'query'>,
  secretToken: string,
  afterEnvironment: number,
): Promise<void> {
  await eachSecret(app, db, afterEnvironment, (opened, { payment_service_id }) => {
    if (opened === secretToken) throw new SecretHeld(payment_service_id);
  });
}

/** An environment with a Secret Token that another payment service has or had. */
export type SecretSharer = { paymentServiceId: string; environment: Environment; isOpen: boolean };

/**
 * Returns the Secret Tokens that two payment services have or had, each with those who share it. A token that
 * has closed for all of them is left out.
 */
export async function findSharedSecrets(app: App): Promise<SecretSharer[][]> {
  const now = app.now();
  const bySecret = new Map<string, SecretSharer[]>();
  await eachSecret(app, app.db, 0, (opened, { payment_service_id: paymentServiceId, environment, closes_at }) => {
    const sharer = { paymentServiceId, environment, isOpen: closes_at === null || closes_at > now };
    const known = bySecret.get(opened);
    if (known === undefined) bySecret.set(opened, [sharer]);
    else known.push(sharer);
  });
  return [...bySecret.values()].filter(
    (sharers) =>
      sharers.some(({ isOpen }) => isOpen) &&
      sharers.some(({ paymentServiceId }) => paymentServiceId !== sharers[0]?.paymentServiceId),
  );
}

/** Calls `see` with every Secret Token that can be decrypted. */
async function eachSecret(
  app: App,
  db: Pick<Database | Tx, 'query'>,
  afterEnvironment: number,
  see: (opened: string, row: StoredSecretRow) => void,
): Promise<void> {
  let last = '';
  for (let page = PAGE; page === PAGE; ) {
    const rows = await selectSecretsAfter(db, { id: last, environmentId: afterEnvironment }, PAGE);
    for (const row of rows) {
      const opened = openUnlessChanged(app, SECRET_TOKENS, row, row.sealed);
      if (opened !== null) see(opened, row);
    }
    last = rows.at(-1)?.id ?? last;
    page = rows.length;
  }
}
