import type { FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { availableMethods } from '../checkout/available-methods.ts';
import { Problem } from '../error-catalogue.ts';
import type { PaymentMethod } from '../payment-methods/payment-method.ts';
import { type CreateOutcome, createTransaction } from '../transactions/create-transaction.ts';
import { readSignedRequest } from './read-signed-request.ts';

export type Created = Exclude<CreateOutcome, { kind: 'conflict' }> & { methods: PaymentMethod[] };

/** Reads, checks and stores what a signed request asks for; what `POST /trxs` and the browser form have in common. */
export async function createFromRequest(app: App, request: FastifyRequest): Promise<Created> {
  const { environment, input } = await readSignedRequest(app, request);
  const methods = availableMethods(app, environment, input);
  if (methods.length === 0) throw new Problem('NO_PAYMENT_METHOD');
  const outcome = await createTransaction(app, environment, input);
  if (outcome.kind === 'conflict') throw referenceConflict(outcome.transaction.id, outcome.fields);
  return { ...outcome, methods };
}

function referenceConflict(id: number, fields: readonly string[]): Problem {
  return new Problem('REFERENCE_CONFLICT', {
    detail: `The reference belongs to transaction ${id}, which differs in ${fields.join(', ')}.`,
    errors: fields.map((name) => ({
      pointer: `/${name}`,
      code: 'REFERENCE_CONFLICT',
      message: `${name} is not what it was when the reference was first used.`,
      fix: 'Repeat the first value, or use a new reference.',
    })),
    data: { idTrx: id },
  });
}
