import type { FastifyRequest } from 'fastify';
import { holdsCardNumber } from '../../protocol/card-number.ts';
import { Problem } from '../error-catalogue.ts';

/** Returns the `Idempotency-Key` of a request, or null. Throws `Problem` `INVALID_HEADER`. */
export function readIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[!-~]{1,200}$/.test(key) && !holdsCardNumber(key)) return key;
  const detail = {
    en: 'Idempotency-Key is 1 to 200 visible ASCII characters, and holds no card number.',
    es: 'Idempotency-Key son de 1 a 200 caracteres ASCII visibles, sin un número de tarjeta.',
  };
  throw new Problem('INVALID_HEADER', { detail });
}
