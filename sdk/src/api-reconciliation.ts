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
    /** The amount that the day leaves for the merchant */
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
    /** The message of a payout to a person; the reference of a payout to the merchant */
    messageToAddressee: string;
  };
  clientData: {
    /** Null of a payout to the merchant, and of a person who was erased */
    rutAddressee: string | null;
    /** Of a payout to the merchant its payment service */
    nameAddressee: string | null;
    /** Null where none was given */
    emailAddressee: string | null;
  };
  /** As `GET /tef/{id}` says it; `failed` of a payout to the merchant: it was taken back */
  status: 'processing' | 'completed' | 'failed';
  /** Unix seconds */
  timestamp: number;
  amount: number;
  bankData: {
    /** Null of a payout to the merchant */
    bankSBIFNumber: string | null;
    /** Five bullets and the last four digits */
    bankAccountNumber: string | null;
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
  /** As you sent it, POST unless said. Events are posted in any case: a GET could not carry the signed body */
  method?: 'POST' | 'GET' | undefined;
  /** `remittances`: payouts and refunds; `refunds`: refunds alone */
  webhook: 'remittances' | 'refunds';
  /** Your own, as in the path */
  idUser?: string | undefined;
};

export type Webhook = {
  webhook: 'remittances' | 'refunds';
  url: string;
  /** As you sent it, POST unless said. Events are posted in any case: a GET could not carry the signed body */
  method: 'POST' | 'GET';
  /** The id of GET /users */
  idUser: number;
  createdAt: string;
};

export type WebhookReply = { message: string; errors: null; data: Webhook };

export type WebhookList = { message: string; errors: null; data: Webhook[] };

export type ListenerRequest = {
  /** Its id; the only one that you see unless said */
  payment_service?: string | undefined;
  /** The id of a callback to send again first */
  replay?: number | undefined;
};

export type ListenerReply = {
  message: string;
  errors: null;
  data: {
    /** For the paths of this listener */
    listener: string;
    payment_service: string;
    name: string;
  };
};

export type ListenedCallback = {
  id: number;
  /** For the report */
  lease: string;
  /** 0: it belongs to no transaction */
  transaction: number;
  /** From 1 */
  attempt: number;
  /** Where the shop wants it; you post to a place of your own */
  url: string;
  /** With the signature of this attempt */
  headers: { name: string; value: string }[];
  /** These bytes */
  body: string;
};

export type ListenedCallbackReply = { message: string; errors: null; data: { callback: ListenedCallback | null } };

export type ListenerAttempt = {
  /** Its id */
  callback: number;
  lease: string;
  /** How long it took; 60,000 at most */
  duration_ms: number;
  /** Of the answer; leave it out where nothing was answered */
  status?: number | undefined;
  /** Why there was no answer */
  failure?: 'dns' | 'connect' | 'timeout' | 'tls' | 'reset' | 'too_large' | 'protocol' | undefined;
  /** A code such as `ECONNREFUSED` */
  detail?: string | undefined;
  /** The header, as it was answered */
  retry_after?: string | undefined;
  /** The header, as it was answered */
  location?: string | undefined;
  /** The beginning of the answer, line breaks as spaces */
  excerpt?: string | undefined;
  /** `no`: what failed is given up */
  retry?: 'yes' | 'no' | undefined;
};

export type ListenerAttemptReply = {
  message: string;
  errors: null;
  data: {
    /** The next step: `delivered`, `redirected`, `retry`, `superseded`, `dead`, `disable` */
    step: string;
    next_attempt_at: string | null;
  };
};

export type ListenerEnded = { message: string; errors: null; data: null };
