import type { App } from '../app.ts';
import { readSum } from '../lib/exact-sum.ts';
import { measureOpenSettlements, type OpenSettlement, selectOpenSettlements } from '../movements/settlement-queries.ts';
import { selectPaymentServices } from '../payment-services/payment-service-queries.ts';
import type { AttentionKind, Waiting } from './attention.ts';

/** Acquirers' files with differences that nobody has accepted. */
export const SETTLEMENT_ATTENTION: AttentionKind = {
  kind: 'settlement',
  nouns: ['settlement with open differences', 'settlements with open differences'],
  measure: (app) => measureOpenSettlements(app.db),
  list: async (app, limit) => {
    const open = await selectOpenSettlements(app.db, limit);
    const names = open.length === 0 ? new Map<string, string>() : await namesOf(app);
    return open.map((one) => waitingSettlement(one, names));
  },
};

async function namesOf(app: App): Promise<Map<string, string>> {
  return new Map((await selectPaymentServices(app.db)).map(({ id, name }) => [id, name]));
}

function waitingSettlement(one: OpenSettlement, names: ReadonlyMap<string, string>): Waiting {
  const { id, environment, payment_service_id: service, file_name: file, kept_at: since, open } = one;
  const sum = Number(readSum(one.difference));
  const hasSum = one.currencies === 1 && Number.isSafeInteger(sum);
  return {
    payment_service: service ?? '—',
    name: service === null ? '—' : (names.get(service) ?? '—'),
    environment,
    transaction: null,
    id,
    since,
    amount: hasSum ? sum : null,
    currency: hasSum ? one.currency : null,
    reason: {
      en: `${file} differs from the books: ${open === 1 ? '1 difference is' : `${open} differences are`} not accepted`,
      es: `${file} difiere de los libros: ${open === 1 ? '1 diferencia no está aceptada' : `${open} diferencias no están aceptadas`}`,
    },
    command: `bin/rubrica settlement accept ${id} --cause CAUSE --reason TEXT`,
  };
}
