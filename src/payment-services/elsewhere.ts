import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import type { Elsewhere, ServiceEnvironment } from './payment-service.ts';
import { selectEnvironmentsElsewhere } from './payment-service-queries.ts';

/** Reads where a payment service is served from its last move, as `EnvironmentRow` has it; null: here. */
export function elsewhereOf(lastMove: string | null, now: number): Elsewhere | null {
  if (lastMove === null) return null;
  const [direction, state, pausedUntil, address = ''] = lastMove.split(' ');
  if (direction === 'out') {
    if (state === 'moved') return { state: 'moved', address };
    return state === 'copying' && Number(pausedUntil) > now ? { state: 'moving', address } : null;
  }
  if (state === 'moved') return null;
  // While it is being copied to here, the other database still serves it; after an undone move, it stays there.
  return { state: state === 'copying' ? 'moving' : 'moved', address };
}

/**
 * Throws `Problem` PAYMENT_SERVICE_MOVED or PAYMENT_SERVICE_MOVING if another database serves the payment service,
 * because the data here is older and must not change.
 */
export function refuseElsewhere({ elsewhere }: Pick<ServiceEnvironment, 'elsewhere'>): void {
  if (elsewhere === null) return;
  if (elsewhere.state === 'moving') throw new Problem('PAYMENT_SERVICE_MOVING');
  const { address } = elsewhere;
  const detail = {
    en: `The payment service is served at ${address}: do the same there. Nothing was stored here.`,
    es: `El servicio de pago se atiende en ${address}: haz lo mismo allí. Aquí no se guardó nada.`,
  };
  throw new Problem('PAYMENT_SERVICE_MOVED', { detail, data: { address }, movedTo: address });
}

/**
 * Lists the payment services that another database serves, and their environments. `incomplete`: environments that were
 * never completely here, because they are being copied to here or the move was undone. `arriving`: environments that
 * are being copied to here now.
 */
export async function findElsewhere(app: App): Promise<{
  paymentServices: Set<string>;
  environments: Set<number>;
  incomplete: Set<number>;
  arriving: Set<number>;
}> {
  const rows = await selectEnvironmentsElsewhere(app.db);
  return {
    paymentServices: new Set(rows.map(({ payment_service_id }) => payment_service_id)),
    environments: new Set(rows.map(({ id }) => id)),
    incomplete: new Set(rows.filter(({ direction }) => direction === 'in').map(({ id }) => id)),
    arriving: new Set(
      rows.filter(({ direction, state }) => direction === 'in' && state === 'copying').map(({ id }) => id),
    ),
  };
}
