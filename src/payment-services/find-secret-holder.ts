import type { App } from '../app.ts';
import type { Reader } from '../db/database.ts';
import { openUnlessChanged } from '../sealing/sealed-kind.ts';
import { findElsewhere } from './elsewhere.ts';
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
 * Throws `SecretHeld` if a payment service has or had this Secret Token. Decrypts all Secret Tokens, page by page: it
 * is meant for a command, not for requests. `seen`: the ids of those that an earlier call found to be others; it adds
 * to them.
 */
export async function refuseHeldSecret(
  app: App,
  db: Reader,
  secretToken: string,
  seen = new Set<string>(),
): Promise<void> {
  const isNew = ({ id }: StoredSecretRow) => !seen.has(id);
  await eachSecret(app, db, isNew, (opened, { id, payment_service_id }) => {
    if (opened === secretToken) throw new SecretHeld(payment_service_id);
    seen.add(id);
  });
}

/** An environment with a Secret Token that another payment service has or had. */
export type SecretSharer = { paymentServiceId: string; environment: Environment; isOpen: boolean };

/**
 * Returns the Secret Tokens that two payment services have or had, each with those who share it. A token that
 * has closed for all of them is left out.
 */
export async function findSharedSecrets(app: App): Promise<SecretSharer[][]> {
  const bySecret = await readSharers(app, () => true);
  return [...bySecret.values()].filter(
    (sharers) =>
      sharers.some(({ isOpen }) => isOpen) &&
      sharers.some(({ paymentServiceId }) => paymentServiceId !== sharers[0]?.paymentServiceId),
  );
}

/**
 * Returns who has or had one Secret Token: a payment service here, and others in another database. Null: there is no
 * such token that is open for one of them. A payment service that is elsewhere does not use its Secret Tokens there.
 */
export async function findSharersThere(
  here: App,
  there: App,
  paymentServiceId: string,
): Promise<{ here: SecretSharer[]; there: SecretSharer[] } | null> {
  const own = await readSharers(here, (row) => row.payment_service_id === paymentServiceId);
  const others = await readSharers(there, (row) => row.payment_service_id !== paymentServiceId);
  const { paymentServices: elsewhere } = await findElsewhere(there);
  for (const [secret, sharers] of own) {
    const found = (others.get(secret) ?? []).filter((one) => !elsewhere.has(one.paymentServiceId));
    const isOpen = [...sharers, ...found].some((one) => one.isOpen);
    if (found.length > 0 && isOpen) return { here: sharers, there: found };
  }
  return null;
}

/** Reads the Secret Tokens of these rows, each with those who have or had it. */
async function readSharers(app: App, isAsked: (row: StoredSecretRow) => boolean): Promise<Map<string, SecretSharer[]>> {
  const now = app.now();
  const bySecret = new Map<string, SecretSharer[]>();
  await eachSecret(app, app.db, isAsked, (opened, { payment_service_id: paymentServiceId, environment, closes_at }) => {
    const sharer = { paymentServiceId, environment, isOpen: closes_at === null || closes_at > now };
    const known = bySecret.get(opened);
    if (known === undefined) bySecret.set(opened, [sharer]);
    else known.push(sharer);
  });
  return bySecret;
}

/** Calls `see` with every Secret Token of these rows that can be decrypted. */
async function eachSecret(
  app: App,
  db: Reader,
  isAsked: (row: StoredSecretRow) => boolean,
  see: (opened: string, row: StoredSecretRow) => void,
): Promise<void> {
  let last = '';
  for (let page = PAGE; page === PAGE; ) {
    const rows = await selectSecretsAfter(db, last, PAGE);
    for (const row of rows.filter(isAsked)) {
      const opened = openUnlessChanged(app, SECRET_TOKENS, row, row.sealed);
      if (opened !== null) see(opened, row);
    }
    last = rows.at(-1)?.id ?? last;
    page = rows.length;
  }
}
