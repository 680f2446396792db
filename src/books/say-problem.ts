import type { InBoth } from '../error-catalogue.ts';
import type { ReconciliationProblem } from './booked-line.ts';
import type { BooksProblem, BooksVerification } from './verify-books.ts';

const LINKS: Record<BooksProblem['problem'], InBoth> = {
  changed: {
    en: 'its entries, or the hash before it, were changed',
    es: 'se cambiaron sus asientos, o el hash anterior',
  },
  missing: { en: 'deleted', es: 'se borró' },
  surplus: { en: 'never posted by this service', es: 'este servicio nunca lo registró' },
  cut: { en: 'cut off: the chain went on to here', es: 'se cortó: la cadena seguía hasta aquí' },
  rewritten: {
    en: 'computed anew: not what was here when its hash was kept',
    es: 'se calculó de nuevo: no es lo que había cuando se guardó su hash',
  },
};

/** Says which links of an environment's chain have a problem. */
export function sayProblem({ link, until, problem }: BooksProblem): InBoth {
  const { en, es } = LINKS[problem];
  const one = link === until;
  return {
    en: `${one ? `link ${link}` : `links ${link} to ${until}`}: ${en}`,
    es: `${one ? `eslabón ${link}` : `eslabones ${link} a ${until}`}: ${es}`,
  };
}

const RECORDS: Record<ReconciliationProblem['problem'], InBoth> = {
  unbooked: {
    en: 'was completed or recorded, and no entry explains it',
    es: 'se completó o se registró, y no hay un asiento que lo explique',
  },
  unexplained: { en: 'is not what its entry says', es: 'no es lo que dice su asiento' },
  booked_twice: { en: 'is explained by more than one entry', es: 'más de un asiento lo explica' },
};

/** Says the problem of one payment, refund, movement or payout. */
export function sayRecord({ problem, entry, ...ids }: ReconciliationProblem): InBoth {
  const { transaction_id, refund_id, movement_id, payout_id } = ids;
  const subjects: readonly (readonly [id: number | string | null, en: string, es: string])[] = [
    [movement_id, 'movement', 'movimiento'],
    [refund_id, 'refund', 'devolución'],
    [payout_id, 'payout', 'pago a tercero'],
    [transaction_id, 'transaction', 'transacción'],
  ];
  const [id, en, es] = subjects.find(([one]) => one !== null) ?? [
    '',
    'money of no transaction',
    'dinero sin transacción',
  ];
  const says = RECORDS[problem];
  return {
    en: `${`${en} ${id}`.trim()} ${says.en}${entry === null ? '' : ` (entry ${entry})`}`,
    es: `${`${es} ${id}`.trim()}: ${says.es}${entry === null ? '' : ` (asiento ${entry})`}`,
  };
}

/** Says which stored sum of an account is wrong. */
export function sayBalance({ account, currency }: BooksVerification['balances'][number]): InBoth {
  return {
    en: `${account} in ${currency}: its sum differs from the sum of its entries`,
    es: `${account} en ${currency}: su suma no es la de sus asientos`,
  };
}
