import { Type } from '../../http/json-schema.ts';

const asSent = Type.Union([Type.String(), Type.Number(), Type.Null()]);
const entry = Type.String({ description: 'Position in the books: environment, link and line' });

export const RemittanceItemSchema = Type.Object(
  {
    amount: Type.Number(),
    cost: Type.Number({ description: 'Fees' }),
    total: Type.Number({ description: '`amount` minus `cost`' }),
    idTrx: Type.Integer(),
    order_id_tienda: Type.String({ description: 'x_reference' }),
    createdAt: Type.Integer({ description: 'Milliseconds since 1970' }),
    dateTimeCreatedAt: Type.String(),
    isTotalNullified: Type.Boolean({ description: 'true if the whole payment has been refunded' }),
    isParcialNullified: Type.Boolean({ description: 'true if part of the payment has been refunded' }),
    currency: Type.String(),
    document: Type.Object({ id: asSent, type: asSent }, { description: '`x_document` of the order' }),
    entry,
  },
  { $id: 'RemittanceItem' },
);

export const RemittanceNullificationSchema = Type.Object(
  {
    tipo: Type.String({ enum: ['total', 'parcial'] }),
    montoAnulado: Type.Number(),
    status: Type.String(),
    timestamp: Type.Integer({ description: 'Seconds since 1970' }),
    dateTime: Type.String(),
    idTrx: Type.Integer(),
    verificationToken: Type.String(),
    entry,
  },
  { $id: 'RemittanceNullification' },
);

/** A payout to the merchant. Older clients do not know this member. */
export const RemittancePayoutSchema = Type.Object(
  {
    id: Type.String(),
    reference: Type.String({ description: 'Reference of the bank' }),
    total: Type.Number(),
    currency: Type.String(),
    createdAt: Type.Integer({ description: 'Milliseconds since 1970' }),
    dateTimeCreatedAt: Type.String(),
    entry,
  },
  { $id: 'RemittancePayout' },
);

export const REMITTANCE_ITEM_EXAMPLE = {
  amount: 12990,
  cost: 383,
  total: 12607,
  idTrx: 1001,
  order_id_tienda: 'ORD-0001',
  createdAt: 1_768_478_400_000,
  dateTimeCreatedAt: '2026-01-15T12:00:00.000Z',
  isTotalNullified: false,
  isParcialNullified: true,
  currency: 'CLP',
  document: { id: null, type: null },
  entry: '2/1.0',
};

export const REMITTANCE_NULLIFICATION_EXAMPLE = {
  tipo: 'parcial',
  montoAnulado: 2990,
  status: 'completed',
  timestamp: 1_768_482_000,
  dateTime: '2026-01-15T13:00:00.000Z',
  idTrx: 1001,
  verificationToken: '0rf_0123456789abcdefghjk',
  entry: '2/2.0',
};

export const REMITTANCE_PAYOUT_EXAMPLE = {
  id: 'mv_0123456789abcdefghjk',
  reference: 'TEF-20260115-1',
  total: 9000,
  currency: 'CLP',
  createdAt: 1_768_485_600_000,
  dateTimeCreatedAt: '2026-01-15T14:00:00.000Z',
  entry: '2/3.0',
};
