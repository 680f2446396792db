// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

export type SignedRequest = {
  /** Service Token of the payment service */
  x_account_id: string;
  /** Digits; one or two decimals only where the currency has them. The text as written is signed. */
  x_amount: string | number;
  /** ISO 4217 */
  x_currency: string;
  /** E-mail of the payer */
  x_customer_email: string;
  /** The order. Belongs to one transaction for ever. */
  x_reference: string | number;
  /** Session of the shop */
  x_session_id: string;
  /** ISO 3166-1, in either case */
  x_shop_country: string;
  /** Where the callback is posted */
  x_url_callback: string;
  /** Where the payer goes on cancelling: a URL, or a path of the origin of `x_url_complete` */
  x_url_cancel: string;
  /** Where the payer goes at the end */
  x_url_complete: string;
  /** HMAC-SHA256 of the message, lower-case hexadecimal */
  x_signature: string;
  /** Not signed; stored only */
  x_products?: unknown;
  /** Not signed; stored only */
  x_billing_details?: unknown;
  /** Not signed; stored only */
  x_shippment?: unknown;
  /** Not signed; stored only */
  x_document?: unknown;
};

export type CreatedTransaction = {
  message: string;
  errors: null;
  data: {
    /** Id of the transaction */
    idTrx: number;
    /** The pay page first, then the same page for each payment method */
    payUrl: { name: string; code: string; url: string }[];
  };
};

export type UnsignedRequest = {
  /** `idService` of `GET /trxs/{id}`, or the Service Token */
  x_account_id: string | number;
  /** Digits; one or two decimals only where the currency has them. The text as written is signed. */
  x_amount: string | number;
  /** ISO 4217; CLP unless said */
  x_currency?: string | undefined;
  /** E-mail of the payer */
  x_customer_email: string;
  /** The order. Belongs to one transaction for ever. */
  x_reference: string | number;
  /** Session of the shop */
  x_session_id?: string | undefined;
  /** ISO 3166-1, in either case; CL unless said */
  x_shop_country?: string | undefined;
  /** Where the callback is posted */
  x_url_callback: string;
  /** Where the payer goes on cancelling: a URL, or a path of the origin of `x_url_complete` */
  x_url_cancel: string;
  /** Where the payer goes at the end */
  x_url_complete: string;
  /** Stored only */
  x_products?: unknown;
  /** Stored only */
  x_billing_details?: unknown;
  /** Stored only */
  x_shippment?: unknown;
  /** Stored only */
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
  /** In the words of a callback */
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
    /** One number for each environment of a payment service */
    idService: number;
    /** x_reference */
    orderIdTienda: string;
    amount: number;
    /** The fee of what was paid */
    cost: number | null;
    email: string;
    authCode: string | null;
    createdAt: string;
    updatedAt: string;
    callbackURL: string;
    completeURL: string;
    cancelURL: string;
    /** For clients that expect the member */
    ip: null;
    /** For clients that expect the member */
    browserData: null;
    source: string | null;
    timestamp: string;
    /** As Webpay tells it: `VN` credit, `VD` debit, `VP` prepaid … */
    paymentTypeCode: string | null;
    /** Instalments */
    sharesNumber: number | null;
    /** Of the payment method: 0 is approved */
    responceCode: number | null;
    /** As Webpay tells it */
    vci: string | null;
    abonos: string[];
    status: 'pending' | 'complete' | 'failed';
    state: 'pending' | 'completed' | 'failed' | 'cancelled' | 'expired';
    currency: string;
    environment: 'development' | 'production';
    test: boolean;
    paymentService: string;
    paymentMethod: string | null;
    /** The sequence of its last event */
    sequence: number;
    expiresAt: string;
    settledAt: string | null;
  };
};

export type TransactionStatus = { message: string; errors: null; data: { status: 'pending' | 'complete' | 'failed' } };

export type RefundRequest = {
  /** In the currency of the transaction */
  amount: number;
  /** total: all that is left of the payment */
  type: 'total' | 'parcial';
  /** Taken from existing clients and not looked at */
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
  /** Seconds since 1970 at which it was accepted */
  timestamp: number;
  dateTime: string;
  currency: string;
  settledAt: string | null;
};

export type RefundList = { message: string; errors: null; data: { nullifications: Refund[] } };

export type RefundStatus = { message: string; errors: null; data: { status: 'processing' | 'completed' | 'failed' } };

export type PaymentMethods = { types: { codigo: string; nombre: string; descripcion: string; url_imagen: string }[] };

export type Event = {
  /** Of a transaction: the webhook-id of its callback too */
  id: string;
  type: string;
  sequence: number | null;
  created_at: string;
  transaction: {
    id: number;
    reference: string;
    amount: string;
    currency: string;
    /** That which the event left */
    state: string;
  } | null;
  environment: string | null;
  payment_service: string | null;
  data: unknown;
};

export type EventPage = { message: string; errors: null; data: { events: Event[]; next: string; has_more: boolean } };

export type ListedTransaction = {
  id: number;
  reference: string;
  /** With the decimals of a callback: `12990.00` */
  amount: string;
  currency: string;
  /** The sum of the completed refunds */
  refunded: string;
  state: 'pending' | 'completed' | 'failed' | 'cancelled' | 'expired';
  email: string;
  payment_method: string | null;
  authorization_code: string | null;
  created_at: string;
  settled_at: string | null;
  payment_service: string;
  payment_service_name: string;
  environment: 'development' | 'production';
  /** With `q`: what of the payment the text is */
  found_by?: string | undefined;
};

export type TransactionPage = {
  message: string;
  errors: null;
  data: { transactions: ListedTransaction[]; next: string | null; complete: boolean };
};

export type TimelineLine = {
  at: string;
  /** An event of the feed, an attempt to pay, a callback, an attempt to deliver it, an entry of the books, a decision of a person */
  kind: 'event' | 'attempt' | 'callback' | 'delivery' | 'entry' | 'decision' | 'act';
  /** The type of the event, the state, the answer, the kind of entry, the outcome */
  what: string;
  amount: string | null;
  /** The person or program that did it, where one is known */
  by: string | null;
  /** The facts of that moment, by name */
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
      /** Until when it can be paid */
      expires_at: string;
    };
    fee: string | null;
    timeline: TimelineLine[];
  };
};

export type RefusedRequest = {
  /** As the answer had it: `request_id`, `X-Request-Id` */
  request_id: string;
  at: string;
  payment_service: string | null;
  payment_service_name: string | null;
  environment: string | null;
  method: string;
  /** As in the table of endpoints */
  path: string;
  status: number;
  code: string;
  title: string;
  detail: string;
  errors: { pointer: string; code: string; message: string; fix: string }[];
  /** The fields that a shop sent, without signatures, secrets and the payer */
  fields: { name: string; value: string }[];
  /** How many like it followed in its hour and were not kept */
  repeated: number;
};

export type RefusedRequestPage = {
  message: string;
  errors: null;
  data: { requests: RefusedRequest[]; next: string | null };
};

export type PaymentLinkRequest = {
  /** 12990, or 10.55 in a currency with decimals; the text of an answer is taken too */
  amount: number | string;
  /** CLP unless said */
  currency?: string | undefined;
  /** The reason of the payment, as the payer reads it */
  subject: string;
  /** `one`, unless said: it is paid once; `many`: by as many as come */
  uses?: 'one' | 'many' | undefined;
  /** ISO 8601 with an offset or `Z`, within five years */
  expires_at?: string | undefined;
  /** Where each payment is told, as callbacks of a shop are */
  callback_url?: string | undefined;
  /** Id of the payment service that is paid; the only one that you see unless said */
  payment_service?: string | undefined;
  /** As the service runs (RUBRICA_ENV) unless said */
  environment?: 'development' | 'production' | undefined;
};

export type PaymentLink = {
  id: string;
  /** Where it is paid: give it to the payer */
  url: string;
  /** The same address as a QR code, an SVG file */
  qr: string;
  /** A page to print, with the QR code */
  poster: string;
  /** The merchant that is paid */
  payment_service: string;
  environment: 'development' | 'production';
  /** With the decimals of a callback: `12990.00` */
  amount: string;
  currency: string;
  /** The reason of the payment, as the payer reads it */
  subject: string;
  /** `one`: it is paid once */
  uses: 'one' | 'many';
  /** `used`: it could be paid once, and was; `ended`: somebody ended it */
  state: 'open' | 'used' | 'expired' | 'ended';
  /** How many payments it brought */
  payments: number;
  /** Where each payment is told; null: nowhere */
  callback_url: string | null;
  created_at: string;
  /** From then on it cannot be paid; null: only when it is ended */
  expires_at: string | null;
  /** When somebody ended it */
  ended_at: string | null;
};

export type PaymentLinkReply = { message: string; errors: null; data: PaymentLink };

export type PaymentLinkList = {
  message: string;
  errors: null;
  data: {
    links: PaymentLink[];
    /** The `after` of the page that follows */
    next: string | null;
  };
};
