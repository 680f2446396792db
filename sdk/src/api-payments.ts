// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

export type SignedRequest = {
  /** Service Token of the payment service */
  x_account_id: string;
  /** Digits, with one or two decimals only if the currency has them. The signature covers the text as written. */
  x_amount: string | number;
  /** ISO 4217 */
  x_currency: string;
  /** E-mail of the payer */
  x_customer_email: string;
  /** Reference of the order. It belongs to one transaction for ever. */
  x_reference: string | number;
  /** Session of the shop */
  x_session_id: string;
  /** ISO 3166-1, upper or lower case */
  x_shop_country: string;
  /** URL of the callback */
  x_url_callback: string;
  /** Page for a payer who cancels: a URL, or a path on the origin of `x_url_complete` */
  x_url_cancel: string;
  /** Page for the payer at the end of the payment */
  x_url_complete: string;
  /** HMAC-SHA256 of the message, lower-case hexadecimal */
  x_signature: string;
  /** Not signed; only stored */
  x_products?: unknown;
  /** Not signed; only stored */
  x_billing_details?: unknown;
  /** Not signed; only stored */
  x_shippment?: unknown;
  /** Not signed; only stored */
  x_document?: unknown;
};

export type CreatedTransaction = {
  message: string;
  errors: null;
  data: {
    /** Id of the transaction */
    idTrx: number;
    /** First the pay page, then the same page for each payment method */
    payUrl: { name: string; code: string; url: string }[];
  };
};

export type UnsignedRequest = {
  /** `idService` of `GET /trxs/{id}`, or the Service Token */
  x_account_id: string | number;
  /** Digits, with one or two decimals only if the currency has them. The signature covers the text as written. */
  x_amount: string | number;
  /** ISO 4217. Default: CLP */
  x_currency?: string | undefined;
  /** E-mail of the payer */
  x_customer_email: string;
  /** Reference of the order. It belongs to one transaction for ever. */
  x_reference: string | number;
  /** Session of the shop */
  x_session_id?: string | undefined;
  /** ISO 3166-1, upper or lower case. Default: CL */
  x_shop_country?: string | undefined;
  /** URL of the callback */
  x_url_callback: string;
  /** Page for a payer who cancels: a URL, or a path on the origin of `x_url_complete` */
  x_url_cancel: string;
  /** Page for the payer at the end of the payment */
  x_url_complete: string;
  /** Only stored */
  x_products?: unknown;
  /** Only stored */
  x_billing_details?: unknown;
  /** Only stored */
  x_shippment?: unknown;
  /** Only stored */
  x_document?: unknown;
};

export type UnsignedCreation = {
  idTrx: number;
  /** The pay page */
  payUrl: string;
};

export type UnsignedStatus = {
  idTrx: number;
  idService: number;
  /** With two decimals */
  amount: string;
  /** The same words as in a callback */
  status: 'pending' | 'completed' | 'failed';
  /** The payment method; `WebPayPST` is `webpay` */
  source: string | null;
  createdAt: string;
  updatedAt: string;
};

export type Transaction = {
  message: string;
  errors: null;
  data: {
    idTrx: number;
    /** Number of the environment of the payment service */
    idService: number;
    /** x_reference */
    orderIdTienda: string;
    amount: number;
    /** Fee; null unless the transaction is completed */
    cost: number | null;
    email: string;
    authCode: string | null;
    createdAt: string;
    updatedAt: string;
    callbackURL: string;
    completeURL: string;
    cancelURL: string;
    /** Always null; for clients that expect this member */
    ip: null;
    /** Always null; for clients that expect this member */
    browserData: null;
    source: string | null;
    timestamp: string;
    /** As Webpay reports it: `VN` credit, `VD` debit, `VP` prepaid … */
    paymentTypeCode: string | null;
    /** Number of instalments */
    sharesNumber: number | null;
    /** Response code of the payment method; 0 means approved */
    responceCode: number | null;
    /** As Webpay reports it */
    vci: string | null;
    abonos: string[];
    status: 'pending' | 'complete' | 'failed';
    state: 'pending' | 'completed' | 'failed' | 'cancelled' | 'expired';
    currency: string;
    environment: 'development' | 'production';
    test: boolean;
    paymentService: string;
    paymentMethod: string | null;
    /** Sequence of the last event */
    sequence: number;
    expiresAt: string;
    settledAt: string | null;
  };
};

export type TransactionStatus = { message: string; errors: null; data: { status: 'pending' | 'complete' | 'failed' } };

export type RefundRequest = {
  /** Amount in the currency of the transaction */
  amount: number;
  /** `total`: the whole remaining amount of the payment */
  type: 'total' | 'parcial';
  /** Accepted from existing clients and ignored */
  nullifyTbk?: unknown;
};

export type RefundReply = {
  message: string;
  code:
    | 'REFUND_PROCESSING'
    | 'TRANSACTION_NOT_COMPLETED'
    | 'ALREADY_REFUNDED'
    | 'METHOD_GIVES_NO_REFUNDS'
    | 'REFUND_WINDOW_CLOSED'
    | 'REFUND_TOO_EARLY'
    | 'PARTIAL_REFUND_NOT_ALLOWED'
    | 'REFUND_AMOUNT_TOO_HIGH'
    | 'REFUND_AMOUNT_NOT_TOTAL'
    | 'INSUFFICIENT_BALANCE';
  errors: null;
  data: {
    /** Id of the refund */
    verificationToken: string;
  } | null;
};

export type Refund = {
  /** Id of the refund */
  verificationToken: string;
  tipo: 'total' | 'parcial';
  montoAnulado: number;
  status: 'processing' | 'completed' | 'failed';
  /** Time of acceptance, in seconds since 1970 */
  timestamp: number;
  dateTime: string;
  currency: string;
  settledAt: string | null;
};

export type RefundList = { message: string; errors: null; data: { nullifications: Refund[] } };

export type RefundStatus = { message: string; errors: null; data: { status: 'processing' | 'completed' | 'failed' } };

export type PaymentMethods = { types: { codigo: string; nombre: string; descripcion: string; url_imagen: string }[] };

export type Event = {
  /** For an event of a transaction, also the `webhook-id` of its callback */
  id: string;
  type: string;
  sequence: number | null;
  created_at: string;
  transaction: {
    id: number;
    reference: string;
    amount: string;
    currency: string;
    /** State of the transaction after the event */
    state: string;
  } | null;
  environment: string | null;
  payment_service: string | null;
  data: Record<string, unknown> | null;
};

export type EventPage = { message: string; errors: null; data: { events: Event[]; next: string; has_more: boolean } };

export type ListedTransaction = {
  id: number;
  reference: string;
  /** With the decimals of a callback: `12990.00` */
  amount: string;
  currency: string;
  /** Sum of the completed refunds */
  refunded: string;
  state: 'pending' | 'completed' | 'failed' | 'cancelled' | 'expired';
  email: string;
  payment_method: string | null;
  authorization_code: string | null;
  /** Last four digits of the card that paid */
  card_last_digits: string | null;
  created_at: string;
  settled_at: string | null;
  payment_service: string;
  payment_service_name: string;
  environment: 'development' | 'production';
  /** With `q`: the part of the payment that matches the text */
  found_by?: string | undefined;
};

export type TransactionPage = {
  message: string;
  errors: null;
  data: { transactions: ListedTransaction[]; next: string | null; complete: boolean };
};

export type TimelineLine = {
  at: string;
  /** An event of the feed, a payment attempt, a callback, a delivery attempt, an entry of the books, a decision of a person about an attempt or a refund, or another act of a person or a program */
  kind: 'event' | 'attempt' | 'callback' | 'delivery' | 'entry' | 'decision' | 'act';
  /** Type of the event, state, response, kind of entry, outcome, or action */
  what: string;
  amount: string | null;
  /** Person or program that did it, if known */
  by: string | null;
  /** Details, by name */
  facts: unknown;
};

export type TransactionTimeline = {
  message: string;
  errors: null;
  data: {
    transaction: ListedTransaction;
    request: {
      x_session_id: string;
      x_shop_country: string;
      x_url_callback: string;
      x_url_cancel: string;
      x_url_complete: string;
      /** Time until which the transaction can be paid */
      expires_at: string;
    };
    fee: string | null;
    timeline: TimelineLine[];
  };
};

export type RefusedRequest = {
  /** `request_id` and `X-Request-Id` of the response */
  request_id: string;
  at: string;
  payment_service: string | null;
  payment_service_name: string | null;
  environment: string | null;
  method: string;
  /** Path of the endpoint, with its parameters as names */
  path: string;
  status: number;
  code: string;
  title: string;
  detail: string;
  errors: { pointer: string; code: string; message: string; fix: string }[];
  /** Fields that the shop sent, without signatures, secrets and data of the payer */
  fields: { name: string; value: string }[];
  /** Number of similar requests in the same hour that were not stored */
  repeated: number;
};

export type RefusedRequestPage = {
  message: string;
  errors: null;
  data: { requests: RefusedRequest[]; next: string | null };
};

export type PaymentLinkRequest = {
  /** 12990, or 10.55 in a currency with decimals; also as text, as in responses */
  amount: number | string;
  /** Default: CLP */
  currency?: string | undefined;
  /** Reason of the payment, shown to the payer */
  subject: string;
  /** `one` (default): can be paid once; `many`: can be paid any number of times */
  uses?: 'one' | 'many' | undefined;
  /** ISO 8601 with an offset or `Z`, within five years */
  expires_at?: string | undefined;
  /** URL for the callback of each payment */
  callback_url?: string | undefined;
  /** Id of the payment service that is paid. Default: the only one that you see */
  payment_service?: string | undefined;
  /** Default: the environment of RUBRICA_ENV */
  environment?: 'development' | 'production' | undefined;
};

export type PaymentLink = {
  id: string;
  /** Address to give to the payer */
  url: string;
  /** URL of an SVG file with the QR code of the address */
  qr: string;
  /** URL of a page to print, with the QR code */
  poster: string;
  /** Id of the payment service that is paid */
  payment_service: string;
  environment: 'development' | 'production';
  /** With the decimals of a callback: `12990.00` */
  amount: string;
  currency: string;
  /** Reason of the payment, shown to the payer */
  subject: string;
  /** `one`: can be paid once; `many`: any number of times */
  uses: 'one' | 'many';
  /** `used`: a link for one payment was paid; `ended`: a user ended it */
  state: 'open' | 'used' | 'expired' | 'ended';
  /** Number of payments */
  payments: number;
  /** URL for the callback of each payment; null: no callbacks */
  callback_url: string | null;
  created_at: string;
  /** Time after which the link cannot be paid; null: until a user ends it */
  expires_at: string | null;
  /** Time at which a user ended it */
  ended_at: string | null;
};

export type PaymentLinkReply = { message: string; errors: null; data: PaymentLink };

export type PaymentLinkList = {
  message: string;
  errors: null;
  data: {
    links: PaymentLink[];
    /** `after` for the next page; null on the last page */
    next: string | null;
  };
};
