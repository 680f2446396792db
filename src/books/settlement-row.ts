import type { InBoth } from '../error-catalogue.ts';
import type { HeaderRule } from '../lib/tables/find-header.ts';

/** A line of an acquirer's settlement. `amount` is in minor units, below 0 for refunded money. */
export type SettlementRow = {
  /** The line of the file, or the row of the sheet. */
  fileLine: number;
  /** `2026-01-15` */
  date: string;
  buyOrder: string | null;
  authorizationCode: string | null;
  amount: number;
  currency: string;
  /** The instalment as the file has it (`1/3`: the first of three); null: not an instalment. */
  instalment: string | null;
  /** The file says that the money of this sale went back, perhaps all of it. */
  wentBack?: true;
  /** The line is a chargeback: the payer's bank took the money back, and no refund was requested. */
  chargeback?: true;
  /** The line pays back a chargeback that was won. */
  won?: true;
  /** The line is a refund by its type. A line below 0 without such a type may be a commission. */
  refund?: true;
};

export type Settlement = {
  rows: SettlementRow[];
  /** The lines of payments that were not made, by their state. They are in no comparison. */
  declined: readonly number[];
  /** Whether `date` is the acquirer's accounting day instead of the day of the sale. */
  byAccountingDate: boolean;
};

/** The error of a settlement file that cannot be read. It names the line, the column, the value found and the fix. */
export class SettlementError extends Error {
  /** The message, in both languages. */
  readonly said: InBoth;

  constructor(said: InBoth) {
    super(said.en);
    this.said = said;
  }
}

export type SettlementColumn =
  | 'date'
  | 'accountingDate'
  | 'buyOrder'
  | 'authorizationCode'
  | 'amount'
  | 'currency'
  | 'type'
  | 'state'
  | 'instalment';

/**
 * The names of the columns, in English and as acquirers in Chile export them, the most reliable first: amounts of sales
 * come before amounts paid out. docs/finance.md lists them.
 */
export const SETTLEMENT_NAMES = {
  date: [
    'date',
    'fecha',
    'fecha venta',
    'fecha transacción',
    'fecha operación',
    'fecha de venta',
    'fecha de transacción',
    'fecha compra',
    'transaction date',
  ],
  accountingDate: ['fecha contable', 'fecha movimiento', 'accounting date'],
  buyOrder: [
    'buy order',
    'orden compra',
    'orden de compra',
    'número orden de compra',
    'n° orden de compra',
    'número de orden',
    'n° orden',
    'orden',
  ],
  authorizationCode: [
    'authorization code',
    'código autorización',
    'código de autorización',
    'código autorización venta',
    'cod. autorización',
    'número de autorización',
    'n° autorización',
    'autorización',
  ],
  amount: [
    'gross amount',
    'monto bruto',
    'bruto',
    'monto venta',
    'monto transacción',
    'monto original',
    'monto compra',
    'amount',
    'monto',
    'monto total',
    'importe',
    'valor',
    'monto cuota',
    'valor cuota',
  ],
  currency: ['currency', 'moneda', 'divisa'],
  type: [
    'type',
    'transaction type',
    'tipo transacción',
    'tipo de transacción',
    'tipo movimiento',
    'tipo de movimiento',
    'tipo operación',
    'tipo venta',
    'tipo',
  ],
  state: [
    'estado transacción',
    'estado de transacción',
    'estado de la transacción',
    'estado venta',
    'estado operación',
    'transaction status',
    'resultado',
    'estado',
    'status',
  ],
  instalment: ['cuota', 'n° cuota', 'número cuota', 'número de cuota', 'instalment', 'installment'],
} as const satisfies Record<SettlementColumn, readonly string[]>;

export const SETTLEMENT_TABLE: HeaderRule<SettlementColumn> = {
  names: Object.fromEntries(
    Object.entries(SETTLEMENT_NAMES).map(([column, names]) => [column, names.map(exactly)]),
  ) as unknown as HeaderRule<SettlementColumn>['names'],
  isHeader: ({ date, accountingDate, amount, buyOrder, authorizationCode }) =>
    (date !== null || accountingDate !== null) && amount !== null && (buyOrder !== null || authorizationCode !== null),
};

function exactly(name: string): RegExp {
  const plain = name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  return new RegExp(`^${plain}$`);
}
