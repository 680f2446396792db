// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

export type RemittanceItem = {
  amount: number;
  /** Fees */
  cost: number;
  /** amount without cost */
  total: number;
  idTrx: number;
  /** x_reference */
  order_id_tienda: string;
  /** Milliseconds since 1970 */
  createdAt: number;
  dateTimeCreatedAt: string;
  /** All of it has been refunded by now */
  isTotalNullified: boolean;
  /** A part of it has been refunded by now */
  isParcialNullified: boolean;
  currency: string;
  /** x_document of the order */
  document: { id: string | number | null; type: string | number | null };
  /** Its place in the books: environment, link and line */
  entry: string;
};

export type RemittanceNullification = {
  tipo: 'total' | 'parcial';
  montoAnulado: number;
  status: string;
  /** Seconds since 1970 */
  timestamp: number;
  dateTime: string;
  idTrx: number;
  verificationToken: string;
  /** Its place in the books: environment, link and line */
  entry: string;
};

export type RemittancePayout = {
  id: string;
  /** The bank's */
  reference: string;
  total: number;
  currency: string;
  /** Milliseconds since 1970 */
  createdAt: number;
  dateTimeCreatedAt: string;
  /** Its place in the books: environment, link and line */
  entry: string;
};

export type Conciliation = {
  message: string;
  errors: null;
  data: {
    /** What the day leaves for the merchant */
    totalRemittances: number;
    items: RemittanceItem[];
    /** Sum of the payments */
    totalTransactions: number;
    /** Sum of the refunds */
    totalNullification: number;
    nullifications: RemittanceNullification[];
    payouts: RemittancePayout[];
  };
};

export type RemittanceIndicators = {
  message: string;
  errors: null;
  data: {
    availableBalance?: number | undefined;
    remittanceByDate?: { total: number; trxs: RemittanceItem[] } | undefined;
    futureRemittances?: { total: number; remittances: { status: 'processing'; total: number }[] } | undefined;
  };
};
