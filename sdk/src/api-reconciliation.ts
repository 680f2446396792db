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

export type RemittancesRequest = {
  /** How many, as text; 10 unless said, at most 500 */
  limit?: string | undefined;
};

export type Remittance = {
  /** The user who asks */
  idAuth0: string;
  trxData: {
    /** The reference of the payout */
    messageToAddressee: string;
  };
  clientData: {
    /** Not known to the books */
    rutAddressee: null;
    /** The payment service */
    nameAddressee: string;
    /** Not known to the books */
    emailAddressee: null;
  };
  /** `failed`: the payout was taken back */
  status: 'completed' | 'failed';
  /** Unix seconds */
  timestamp: number;
  amount: number;
  bankData: {
    /** Not known to the books */
    bankSBIFNumber: null;
    /** Not known to the books */
    bankAccountNumber: null;
  };
  currency: string;
  environment: string;
  paymentService: string;
};

export type Remittances = { message: string; remittances: Remittance[] };

export type RemittanceIndicators = {
  message: string;
  errors: null;
  data: {
    availableBalance?: number | undefined;
    remittanceByDate?: { total: number; trxs: RemittanceItem[] } | undefined;
    futureRemittances?: { total: number; remittances: { status: 'processing'; total: number }[] } | undefined;
  };
};

export type WebhookRequest = {
  /** Of your server: https, a public host name */
  url: string;
  /** Events are posted */
  method?: 'POST' | undefined;
  /** `remittances`: payouts and refunds; `refunds`: refunds alone */
  webhook: 'remittances' | 'refunds';
  /** Your own, as in the path */
  idUser?: string | undefined;
};

export type Webhook = {
  webhook: 'remittances' | 'refunds';
  url: string;
  method: 'POST';
  /** The id of GET /users */
  idUser: number;
  createdAt: string;
};

export type WebhookReply = { message: string; errors: null; data: Webhook };

export type WebhookList = { message: string; errors: null; data: Webhook[] };
