// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

export type RemittanceItem = {
  amount: number;
  /** Fees */
  cost: number;
  /** `amount` minus `cost` */
  total: number;
  idTrx: number;
  /** x_reference */
  order_id_tienda: string;
  /** Milliseconds since 1970 */
  createdAt: number;
  dateTimeCreatedAt: string;
  /** true if the whole payment has been refunded */
  isTotalNullified: boolean;
  /** true if part of the payment has been refunded */
  isParcialNullified: boolean;
  currency: string;
  /** `x_document` of the order */
  document: { id: string | number | null; type: string | number | null };
  /** Position in the books: environment, link and line */
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
  /** Position in the books: environment, link and line */
  entry: string;
};

export type RemittancePayout = {
  id: string;
  /** Reference of the bank */
  reference: string;
  total: number;
  currency: string;
  /** Milliseconds since 1970 */
  createdAt: number;
  dateTimeCreatedAt: string;
  /** Position in the books: environment, link and line */
  entry: string;
};

export type Conciliation = {
  message: string;
  errors: null;
  data: {
    /** Amount of the day for the merchant */
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
  /** Number of remittances, as text. Default: 10; at most 500 */
  limit?: string | undefined;
};

export type Remittance = {
  /** User of the access token */
  idAuth0: string;
  trxData: {
    /** Message of a payout to a person; reference of a payout to a merchant */
    messageToAddressee: string;
  };
  clientData: {
    /** Null for a payout to a merchant and for an erased person */
    rutAddressee: string | null;
    /** For a payout to a merchant, the name of its payment service */
    nameAddressee: string | null;
    /** Null if none was given */
    emailAddressee: string | null;
  };
  /** As in `GET /tef/{id}`. For a payout to a merchant, `failed` means that it was returned */
  status: 'processing' | 'completed' | 'failed';
  /** Unix seconds */
  timestamp: number;
  amount: number;
  bankData: {
    /** Null for a payout to a merchant */
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
  /** URL of your server: https, with a public host name */
  url: string;
  /** As you sent it. Default: POST. Events are always posted, because a GET cannot carry the signed body */
  method?: 'POST' | 'GET' | undefined;
  /** `remittances`: payouts and refunds; `refunds`: only refunds */
  webhook: 'remittances' | 'refunds';
  /** Your `id` in `GET /users` */
  idUser?: string | undefined;
};

export type Webhook = {
  webhook: 'remittances' | 'refunds';
  url: string;
  /** As you sent it. Default: POST. Events are always posted, because a GET cannot carry the signed body */
  method: 'POST' | 'GET';
  /** Your `id` in `GET /users` */
  idUser: number;
  createdAt: string;
};

export type WebhookReply = { message: string; errors: null; data: Webhook };

export type WebhookList = { message: string; errors: null; data: Webhook[] };

export type ListenerRequest = {
  /** Id of the payment service. Default: the only one that you see */
  payment_service?: string | undefined;
  /** Id of a callback to send again first */
  replay?: number | undefined;
};

export type ListenerReply = {
  message: string;
  errors: null;
  data: {
    /** Id of the listener, for its paths */
    listener: string;
    payment_service: string;
    name: string;
  };
};

export type ListenedCallback = {
  id: number;
  /** Lease of the callback, to send in the report */
  lease: string;
  /** Id of the transaction; 0: none */
  transaction: number;
  /** Number of the attempt, from 1 */
  attempt: number;
  /** URL of the shop. Post to your own address instead */
  url: string;
  /** Headers to send, with the signature of this attempt */
  headers: { name: string; value: string }[];
  /** Body to send, byte for byte */
  body: string;
};

export type ListenedCallbackReply = { message: string; errors: null; data: { callback: ListenedCallback | null } };

export type ListenerAttempt = {
  /** Id of the callback */
  callback: number;
  lease: string;
  /** Duration in milliseconds; more than 60,000 counts as 60,000 */
  duration_ms: number;
  /** Status of the response; leave it out without a response */
  status?: number | undefined;
  /** Reason why there was no response */
  failure?: 'dns' | 'connect' | 'timeout' | 'tls' | 'reset' | 'too_large' | 'protocol' | undefined;
  /** System error code, such as `ECONNREFUSED` */
  detail?: string | undefined;
  /** Header of the response, unchanged */
  retry_after?: string | undefined;
  /** Header of the response, unchanged */
  location?: string | undefined;
  /** Start of the response body, with spaces for line breaks */
  excerpt?: string | undefined;
  /** `no`: a failed callback is not retried */
  retry?: 'yes' | 'no' | undefined;
};

export type ListenerAttemptReply = {
  message: string;
  errors: null;
  data: {
    /** The next step; `unwanted`: the webhook has ended meanwhile */
    step: 'delivered' | 'redirected' | 'retry' | 'superseded' | 'dead' | 'unwanted' | 'disable';
    next_attempt_at: string | null;
  };
};

export type ListenerEnded = { message: string; errors: null; data: null };
