// Made from openapi.json by src/http/openapi/write-openapi.ts: not to be changed by hand.

export type SignedRequest = {
  /** Service Token of the payment service */
  x_account_id: string;
  /** Digits; two decimals only where the currency has them. The text as written is signed. */
  x_amount: string | number;
  /** ISO 4217 */
  x_currency: string;
  /** E-mail of the payer */
  x_customer_email: string;
  /** The order. Belongs to one transaction for ever. */
  x_reference: string | number;
  /** Session of the shop */
  x_session_id: string;
  /** ISO 3166-1 */
  x_shop_country: string;
  /** Where the callback is posted */
  x_url_callback: string;
  /** Where the payer goes on cancelling */
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
    payUrl: Array<{
      name: string;
      code: string;
      url: string;
    }>;
  };
};

export type Problem = {
  /** Address of the page that explains the code */
  type: string;
  title: string;
  status: number;
  /** Stable; see /errors/{code} */
  code: string;
  detail: string;
  /** Everything that is wrong, not only the first */
  errors: Array<{
    pointer: string;
    code: string;
    message: string;
    fix: string;
  }>;
  request_id: string;
  message: string;
  data: Record<string, unknown> | null;
  /** What older clients of the login endpoints read */
  error?: string | undefined;
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
    /** For clients that expect the member */
    paymentTypeCode: null;
    /** For clients that expect the member */
    sharesNumber: null;
    /** For clients that expect the member */
    responceCode: null;
    /** For clients that expect the member */
    vci: null;
    abonos: Array<string>;
    status: 'pending' | 'complete' | 'failed';
    state: 'pending' | 'completed' | 'failed' | 'cancelled' | 'expired';
    currency: string;
    environment: 'development' | 'production';
    test: boolean;
    paymentService: string;
    paymentMethod: string | null;
    /** That of its last event */
    sequence: number;
    expiresAt: string;
    settledAt: string | null;
  };
};

export type TransactionStatus = {
  message: string;
  errors: null;
  data: {
    status: 'pending' | 'complete' | 'failed';
  };
};

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
  code: 'REFUND_PROCESSING'
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

export type RefundList = {
  message: string;
  errors: null;
  data: {
    nullifications: Array<Refund>;
  };
};

export type RefundStatus = {
  message: string;
  errors: null;
  data: {
    status: 'processing' | 'completed' | 'failed';
  };
};

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
  /** All of it has been given back by now */
  isTotalNullified: boolean;
  /** A part of it has been given back by now */
  isParcialNullified: boolean;
  currency: string;
  /** x_document of the order */
  document: {
    id: string | number | null;
    type: string | number | null;
  };
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
    items: Array<RemittanceItem>;
    /** Sum of the payments */
    totalTransactions: number;
    /** Sum of the refunds */
    totalNullification: number;
    nullifications: Array<RemittanceNullification>;
    payouts: Array<RemittancePayout>;
  };
};

export type RemittanceIndicators = {
  message: string;
  errors: null;
  data: {
    availableBalance?: number | undefined;
    remittanceByDate?: {
      total: number;
      trxs: Array<RemittanceItem>;
    } | undefined;
    futureRemittances?: {
      total: number;
      remittances: Array<{
        status: 'processing';
        total: number;
      }>;
    } | undefined;
  };
};

export type PaymentMethods = {
  types: Array<{
    codigo: string;
    nombre: string;
    descripcion: string;
    url_imagen: string;
  }>;
};

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

export type EventPage = {
  message: string;
  errors: null;
  data: {
    events: Array<Event>;
    next: string;
    has_more: boolean;
  };
};

export type LoginRequest = {
  /** E-mail address of the user */
  username: string;
  password: string;
};

export type AccessToken = {
  /** Send it as Authorization: Bearer */
  access_token_jwt: string;
  /** Seconds */
  expires_in: number;
  token_type: 'Bearer';
};

export type LoginReply = {
  message: string;
  errors: null;
  data: AccessToken;
};

export type LoginReplyV2 = {
  accessToken: string;
  token_type: 'Bearer';
  expires_in: number;
};

export type ApiTokenLogin = {
  email?: string | undefined;
  apiToken?: string | undefined;
  /** When the access token ends, in Unix seconds; within a year */
  expDate?: number | undefined;
};

export type BankAccountRequest = {
  /** RUT of the holder, such as 12345678-5 */
  rut: string;
  bankData: {
    /** Three digits with their zeros, such as 012 */
    bankSBIFNumber: string;
    /** Digits, zeros kept */
    bankAccount: string;
  };
};

export type Suggestion = {
  field: string;
  code: string;
  value: string;
  message: string;
};

export type Provenance = {
  kind: 'rule' | 'dataset' | 'provider';
  name: string;
  version: string | null;
  /** How old the knowledge is */
  as_of: string | null;
  confidence: 'high' | 'medium' | 'low' | null;
  source: string | null;
};

export type Check = {
  id: 'rut.format'
    | 'rut.check_character'
    | 'rut.range'
    | 'bank.known'
    | 'bank.status'
    | 'bank.accepts_transfers'
    | 'account.format'
    | 'account.bank_shape'
    | 'account.cuentarut_consistency'
    | 'rut.issued'
    | 'rut.alive'
    | 'account.exists'
    | 'account.open'
    | 'account.currency'
    | 'holder.match'
    | 'holder.name_match';
  result: 'pass' | 'fail' | 'warn' | 'not_performed' | 'error';
  /** Stable; null where the check just passed */
  code: string | null;
  /** English or Spanish, by Accept-Language */
  message: string;
  /** JSON pointer into the request */
  field: string;
  provenance: Provenance;
};

export type BankAccountValidation = {
  id: string;
  state: 'completed' | 'pending';
  verdict: 'invalid' | 'plausible' | 'confirmed' | 'mismatch' | 'undetermined';
  /** `format`: nobody was asked whose account it is */
  assurance: 'format' | 'holder';
  /** True for plausible and confirmed */
  isValid: boolean;
  /** Canonical. Null where wrong, and when read again */
  rut: string | null;
  bank: {
    code: string;
    name: string | null;
    status: string;
  } | null;
  account: {
    masked: string;
  };
  suggestions: Array<Suggestion>;
  /** Until when the provider's word holds */
  expiresAt: string | null;
  validatedAt: string;
  /** All of them. An id occurs once for each code that it found */
  checks: Array<Check>;
};

export type BankAccountValidationReply = {
  message: string;
  errors: null;
  data: BankAccountValidation;
};

export type BankAccountBatch = {
  items: Array<{
    /** Yours; answered with the result */
    reference?: string | undefined;
    /** RUT of the holder, such as 12345678-5 */
    rut: string;
    bankData: {
      /** Three digits with their zeros, such as 012 */
      bankSBIFNumber: string;
      /** Digits, zeros kept */
      bankAccount: string;
    };
  }>;
};

export type BankAccountBatchReply = {
  message: string;
  errors: null;
  data: {
    summary: {
      total: number;
      invalid: number;
      plausible: number;
      confirmed: number;
      mismatch: number;
      undetermined: number;
      errors: number;
    };
    results: Array<({
      reference: string | null;
      error: null;
    } & BankAccountValidation) | {
      reference: string | null;
      error: {
        status: number;
        code: string;
        detail: string;
        errors: Array<unknown>;
      };
    }>;
  };
};

/** The `code` of an error. */
export type ErrorCode = 'HTTP_MALFORMED'
  | 'DUPLICATE_HEADER'
  | 'INVALID_HEADER'
  | 'UNEXPECTED_QUERY'
  | 'INVALID_ENCODING'
  | 'TOO_MANY_FIELDS'
  | 'DUPLICATE_KEY'
  | 'INVALID_JSON'
  | 'NOT_AN_OBJECT'
  | 'FORBIDDEN_KEY'
  | 'JSON_TOO_DEEP'
  | 'INVALID_TYPE'
  | 'FIELD_TOO_LONG'
  | 'CONTROL_CHARACTER'
  | 'UNKNOWN_FIELD'
  | 'MISSING_FIELD'
  | 'EMPTY_FIELD'
  | 'AMBIGUOUS_FIELD'
  | 'INVALID_ACCOUNT_ID'
  | 'INVALID_AMOUNT'
  | 'INVALID_CURRENCY'
  | 'INVALID_COUNTRY'
  | 'INVALID_EMAIL'
  | 'INVALID_REFERENCE'
  | 'INVALID_SESSION_ID'
  | 'INVALID_URL'
  | 'URL_NOT_ALLOWED'
  | 'INVALID_PARAMETER'
  | 'SIGNATURE_MISSING'
  | 'SIGNATURE_INVALID'
  | 'TOKEN_MISSING'
  | 'TOKEN_INVALID'
  | 'PRIVATE_TOKEN_RETIRED'
  | 'SERVICE_TOKEN_INVALID'
  | 'LOGIN_FAILED'
  | 'API_TOKEN_INVALID'
  | 'NO_PERMISSION'
  | 'PAYOUTS_NOT_ENABLED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'REFERENCE_CONFLICT'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'EXPECTATION_FAILED'
  | 'INVALID_BODY'
  | 'RATE_LIMITED'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL'
  | 'OVERLOADED'
  | 'STOPPING'
  | 'STORAGE_UNAVAILABLE'
  | 'NO_PAYMENT_METHOD'
  | 'OUTCOME_UNKNOWN'
  | 'STORAGE_FULL';

/** What is sent and answered, by method and path. */
export type Operations = {
  'POST /trxs': {
    body: SignedRequest;
    reply: CreatedTransaction;
  };
  'GET /trxs/{id}': {
    path: {
      /** idTrx */
      id: number;
    };
    reply: Transaction;
  };
  'GET /v2/trxs/{id}/status': {
    path: {
      /** idTrx */
      id: number;
    };
    reply: TransactionStatus;
  };
  'POST /trxs/{id}/nullification': {
    path: {
      /** idTrx */
      id: number;
    };
    header: {
      /** The same key again answers with the first refund, and gives nothing back twice */
      'Idempotency-Key'?: string | undefined;
    };
    body: RefundRequest;
    reply: RefundReply;
  };
  'GET /trxs/{id}/nullification': {
    path: {
      /** idTrx */
      id: number;
    };
    reply: RefundList;
  };
  'GET /trxs/{id}/nullification/status': {
    path: {
      /** idTrx */
      id: number;
    };
    query: {
      /** That of the accepted refund */
      verificationToken: string;
    };
    reply: RefundStatus;
  };
  'GET /remittances/conciliation': {
    query: {
      /** YYYY-MM-DD */
      date: string;
      /** Whose report: one’s own unless an operator asks */
      email?: string | undefined;
      /** that of RUBRICA_ENV unless said; what is tested and what is earned are never mixed */
      environment?: 'development' | 'production' | undefined;
      /** CLP unless said; sums are of one currency */
      currency?: string | undefined;
    };
    reply: Conciliation;
  };
  'GET /indicators/remittances': {
    query: {
      /** true: paid, less fees, given back and paid out */
      availableBalance?: string | undefined;
      /** true for today, or a day of Chile as YYYY-MM-DD */
      remittanceByDate?: string | undefined;
      /** true: what is to be paid out */
      futureRemittances?: string | undefined;
      /** Of this transaction only */
      idTrx?: number | undefined;
      /** Whose; for operators */
      idUser?: string | undefined;
      /** that of RUBRICA_ENV unless said; what is tested and what is earned are never mixed */
      environment?: 'development' | 'production' | undefined;
      /** CLP unless said; sums are of one currency */
      currency?: string | undefined;
    };
    reply: RemittanceIndicators;
  };
  'GET /payments': {
    query: {
      /** CLP unless said */
      x_currency?: string | undefined;
    };
    reply: PaymentMethods;
  };
  'GET /v2/payments': {
    query: {
      /** CLP unless said */
      x_currency?: string | undefined;
    };
    reply: PaymentMethods;
  };
  'GET /events': {
    query: {
      /** data.next of the page before */
      after?: string | undefined;
      /** 100 unless said */
      limit?: number | undefined;
    };
    reply: EventPage;
  };
  'POST /users/login': {
    body: LoginRequest;
    reply: LoginReply;
  };
  'POST /v2/login': {
    body: LoginRequest;
    reply: LoginReplyV2;
  };
  'POST /login': {
    body: LoginRequest;
    reply: AccessToken;
  };
  'POST /loginToken': {
    body?: ApiTokenLogin;
    reply: AccessToken;
  };
  'POST /validations/BankAccount': {
    header: {
      /** Language of the messages: en or es */
      'Accept-Language'?: string | undefined;
      /** Within a day the same key answers with the first result, and asks no provider twice */
      'Idempotency-Key'?: string | undefined;
    };
    body: BankAccountRequest;
    reply: BankAccountValidationReply;
  };
  'POST /validations/BankAccount/batch': {
    header: {
      /** Language of the messages: en or es */
      'Accept-Language'?: string | undefined;
    };
    body: BankAccountBatch;
    reply: BankAccountBatchReply;
  };
  'GET /validations/BankAccount/{id}': {
    path: {
      /** Id of the validation */
      id: string;
    };
    header: {
      /** Language of the messages: en or es */
      'Accept-Language'?: string | undefined;
    };
    reply: BankAccountValidationReply;
  };
  'GET /healthz': {
    reply: Record<string, unknown>;
  };
  'GET /readyz': {
    reply: Record<string, unknown>;
  };
};
