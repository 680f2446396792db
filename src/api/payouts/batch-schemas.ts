import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import { hasFactor } from '../../auth/factors/factor-queries.ts';
import { proveForRequest } from '../../auth/factors/prove-factor.ts';
import type { User } from '../../auth/user.ts';
import { Problem } from '../../error-catalogue.ts';
import { type Static, Type } from '../../http/json-schema.ts';
import type { ServiceEnvironment } from '../../payment-services/payment-service.ts';
import { findBatch, type ListedBatch } from '../../payouts/find-payout.ts';
import { StateSchema } from './get-payout-files.ts';

export const BATCH_ERRORS = [
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'PRIVATE_TOKEN_RETIRED',
  'PERMISSION_MISSING',
  'NOT_FOUND',
] as const;

export const BatchSchema = Type.Object(
  {
    id: Type.String(),
    paymentServiceId: Type.String({ description: 'Payment service that pays' }),
    environment: Type.String({ enum: ['development', 'production'] }),
    name: Type.String(),
    createdAt: Type.String(),
    proposedBy: Type.String(),
    payouts: Type.Integer({ description: 'Number of payouts' }),
    total: Type.Integer({ description: 'Whole pesos' }),
    states: Type.Array(
      Type.Object({ state: StateSchema, payouts: Type.Integer(), total: Type.Integer({ description: 'Whole pesos' }) }),
      { description: 'Number and sum of the payouts in each state' },
    ),
  },
  { $id: 'PayoutBatch' },
);

export const BATCH_EXAMPLE = {
  id: 'pb_4m0c7r2n9k5xw3ehb8tq',
  paymentServiceId: 'ps_4m0c7r2n9k5xw3ehb8tq',
  environment: 'production' as const,
  name: 'Proveedores enero',
  createdAt: '2026-01-15T12:00:00.000Z',
  proposedBy: 'finanzas@example.cl',
  payouts: 2,
  total: 24_000,
  states: [{ state: 'awaiting_approval' as const, payouts: 2, total: 24_000 }],
};

export const BATCH_ID = [
  { name: 'id', in: 'path', required: true, description: 'Id of the batch', schema: Type.String() },
] as const;

/** Returns a batch as JSON. */
export function batchJson(
  { batch, sums }: ListedBatch,
  { paymentServiceId, environment }: Pick<ServiceEnvironment, 'paymentServiceId' | 'environment'>,
): Static<typeof BatchSchema> {
  return {
    id: batch.id,
    paymentServiceId,
    environment,
    name: batch.name,
    createdAt: new Date(batch.created_at).toISOString(),
    proposedBy: batch.proposed_by,
    payouts: sums.reduce((sum, { count }) => sum + count, 0),
    total: sums.reduce((sum, { amount }) => sum + amount, 0),
    states: sums.map(({ state, count, amount }) => ({ state, payouts: count, total: amount })),
  };
}

/** Reads a batch again after a change. */
export async function readBatch(app: App, user: User, id: string): Promise<Static<typeof BatchSchema>> {
  const found = await findBatch(app, user.environmentIds, id);
  return batchJson(found, found.owner);
}

/**
 * Requires a person's second factor before money is approved. Throws `Problem` SECOND_FACTOR_NEEDED, FACTOR_REFUSED or
 * RATE_LIMITED.
 */
export async function proveApproval(app: App, request: FastifyRequest, user: User, code: string | null): Promise<void> {
  if (!(await hasFactor(app.db, user.id))) {
    throw new Problem('SECOND_FACTOR_NEEDED', {
      detail: {
        en: 'Money is approved with a second factor, and you have none yet: add an app at /console/account.',
        es: 'El dinero se aprueba con un segundo factor, y todavía no tienes uno: agrega una app en /console/account.',
      },
    });
  }
  return proveForRequest(app, { user, address: request.ip }, code);
}
