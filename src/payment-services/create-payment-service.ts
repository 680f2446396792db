import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { type Act, recordAudit } from '../audit/record-audit.ts';
import { ownerContent } from '../books/book-fact.ts';
import { recordFact } from '../books/record-fact.ts';
import type { Reader, Tx } from '../db/database.ts';
import { prefixedId, randomHex } from '../lib/ids.ts';
import { refuseHeldSecret } from './find-secret-holder.ts';
import { ENVIRONMENTS, type Environment } from './payment-service.ts';
import {
  hasServiceToken,
  insertEnvironment,
  insertPaymentService,
  insertSecretToken,
  takeEnvironmentId,
} from './payment-service-queries.ts';
import { sealSecret } from './seal-secret.ts';

export type TokenPair = { service_token: string; secret_token: string };

export type NewPaymentService = { id: string; name: string } & Partial<Record<Environment, TokenPair>>;

/** A payment service has the Service Token already. */
export class ServiceTokenTaken extends Error {}

/**
 * Creates a payment service with a new pair of tokens in each environment. The secrets are returned here and never
 * again. Rejects if the id is taken.
 */
export async function createPaymentService(
  app: App,
  name: string,
  by: Actor,
  id = newServiceId(),
): Promise<Required<NewPaymentService>> {
  const pairs = { development: freshPair(), production: freshPair() };
  await storePaymentService(app, { id, name }, pairs, { by, action: 'payment_service.created', after: { name } });
  return { id, name, ...pairs };
}

/** Returns an id for a payment service. */
export function newServiceId(): string {
  return prefixedId('ps');
}

/**
 * Imports a payment service with the pair of tokens that its clients already have. The other environment gets a new
 * pair. Rejects with `ServiceTokenTaken`, and with `SecretHeld` if another payment service has or had the Secret Token:
 * two merchants with one secret could sign for each other.
 */
export async function importPaymentService(
  app: App,
  name: string,
  environment: Environment,
  pair: TokenPair,
  by: Actor,
): Promise<Required<NewPaymentService>> {
  const pairs = { development: freshPair(), production: freshPair(), [environment]: pair };
  // Nearly all secrets are read here, because the commit below holds up other writes.
  const seen = new Set<string>();
  const check = async (db: Reader) => {
    if (await hasServiceToken(db, pair.service_token)) throw new ServiceTokenTaken();
    await refuseHeldSecret(app, db, pair.secret_token, seen);
  };
  await check(app.db);
  const after = { name, environment, service_token: pair.service_token };
  const act = { by, action: 'payment_service.imported', after } as const;
  const id = newServiceId();
  await storePaymentService(app, { id, name }, pairs, act, check);
  return { id, name, ...pairs };
}

function freshPair(): TokenPair {
  // Hexadecimal, as existing clients expect. It can never contain the name of a field.
  return { service_token: randomHex(32), secret_token: randomHex(32) };
}

async function storePaymentService(
  app: App,
  { id, name }: { id: string; name: string },
  pairs: Record<Environment, TokenPair>,
  act: Pick<Act, 'by' | 'action' | 'after'>,
  check: (tx: Tx) => Promise<void> = async () => {},
): Promise<void> {
  const createdAt = app.now();
  await app.db.transaction(async (tx) => {
    await insertPaymentService(tx, { id, name, created_at: createdAt });
    for (const [at, environment] of ENVIRONMENTS.entries()) {
      const pair = pairs[environment];
      const row = { payment_service_id: id, environment, service_token: pair.service_token };
      const environmentId = await takeEnvironmentId(tx);
      // Others that import a payment service wait for this commit now, and see its Secret Token. A move that brings one
      // waits too, before it leaves the other database.
      if (at === 0) await check(tx);
      // A move may have brought it since the check.
      if (!(await insertEnvironment(tx, { id: environmentId, ...row }))) throw new ServiceTokenTaken();
      await addSecretToken(app, tx, environmentId, pair.secret_token, createdAt);
      const content = ownerContent({ id: environmentId, name, ...row });
      await recordFact(tx, {
        environmentId,
        at: createdAt,
        kind: 'owner',
        subject: '',
        content,
        recordedBy: act.by.name,
      });
    }
    await recordAudit(tx, { ...act, at: createdAt, subject: { kind: 'payment_service', id } });
  });
}

/** Adds one Secret Token to an environment, sealed. */
export async function addSecretToken(
  app: App,
  tx: Tx,
  environmentId: number,
  secretToken: string,
  createdAt: number,
): Promise<void> {
  const place = { id: prefixedId('st'), environment_id: environmentId };
  await insertSecretToken(tx, { ...place, sealed: sealSecret(app, place, secretToken), created_at: createdAt });
}
