import { replyOf, Type } from '../../http/json-schema.ts';

const text = (description: string, options: object = {}) => Type.String({ description, ...options });

/** The parameter of every path that names a transaction. */
export const TRANSACTION_ID = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the transaction (`idTrx`)',
  schema: Type.Integer({ minimum: 1 }),
} as const;

/** The signed request as a named schema of the API description. */
export const SignedRequestSchema = Type.Object(
  {
    x_account_id: text('Service Token of the payment service', { minLength: 1, maxLength: 100 }),
    x_amount: Type.Union([Type.String(), Type.Number()], {
      description:
        'Digits, with one or two decimals only if the currency has them. The signature covers the text as written.',
    }),
    x_currency: text('ISO 4217', { pattern: '^[A-Z]{3}$' }),
    x_customer_email: text('E-mail of the payer', { maxLength: 254 }),
    x_reference: Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Integer()], {
      description: 'Reference of the order. It belongs to one transaction for ever.',
    }),
    x_session_id: text('Session of the shop', { minLength: 5, maxLength: 100 }),
    x_shop_country: text('ISO 3166-1, upper or lower case', { pattern: '^[A-Za-z]{2}$' }),
    x_url_callback: text('URL of the callback', { maxLength: 2048 }),
    x_url_cancel: text('Page for a payer who cancels: a URL, or a path on the origin of `x_url_complete`', {
      maxLength: 2048,
    }),
    x_url_complete: text('Page for the payer at the end of the payment', { maxLength: 2048 }),
    x_signature: text('HMAC-SHA256 of the message, lower-case hexadecimal', { pattern: '^[0-9a-f]{64}$' }),
    x_products: Type.Optional(Type.Any({ description: 'Not signed; only stored' })),
    x_billing_details: Type.Optional(Type.Any({ description: 'Not signed; only stored' })),
    x_shippment: Type.Optional(Type.Any({ description: 'Not signed; only stored' })),
    x_document: Type.Optional(Type.Any({ description: 'Not signed; only stored' })),
  },
  { $id: 'SignedRequest', additionalProperties: false },
);

/** The request of older shops, without a signature. */
export const UnsignedRequestSchema = Type.Object(
  {
    x_account_id: Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Integer()], {
      description: '`idService` of `GET /trxs/{id}`, or the Service Token',
    }),
    x_amount: SignedRequestSchema.properties.x_amount,
    x_currency: Type.Optional(text('ISO 4217. Default: CLP', { pattern: '^[A-Z]{3}$' })),
    x_customer_email: SignedRequestSchema.properties.x_customer_email,
    x_reference: SignedRequestSchema.properties.x_reference,
    x_session_id: Type.Optional(text('Session of the shop', { minLength: 5, maxLength: 100 })),
    x_shop_country: Type.Optional(text('ISO 3166-1, upper or lower case. Default: CL', { pattern: '^[A-Za-z]{2}$' })),
    x_url_callback: SignedRequestSchema.properties.x_url_callback,
    x_url_cancel: SignedRequestSchema.properties.x_url_cancel,
    x_url_complete: SignedRequestSchema.properties.x_url_complete,
    x_products: Type.Optional(Type.Any({ description: 'Only stored' })),
    x_billing_details: Type.Optional(Type.Any({ description: 'Only stored' })),
    x_shippment: Type.Optional(Type.Any({ description: 'Only stored' })),
    x_document: Type.Optional(Type.Any({ description: 'Only stored' })),
  },
  { $id: 'UnsignedRequest', additionalProperties: false },
);

export const SIGNED_REQUEST_EXAMPLE = {
  x_account_id: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  x_amount: 1000,
  x_currency: 'CLP',
  x_customer_email: 'buyer@example.cl',
  x_reference: 'ORD-0001',
  x_session_id: 'sess-000001',
  x_shop_country: 'CL',
  x_url_callback: 'https://shop.example/callback',
  x_url_cancel: 'https://shop.example/cancel',
  x_url_complete: 'https://shop.example/complete',
  x_signature: '0000000000000000000000000000000000000000000000000000000000000000',
};

/** The error codes of a request for a payment that another database may have. */
export const MOVE_ERRORS = ['PAYMENT_SERVICE_MOVED', 'PAYMENT_SERVICE_MOVING'] as const;

/** The error codes of request values, in the order of the checks. */
export const REQUEST_VALUE_ERRORS = [
  'FIELD_TOO_LONG',
  'CONTROL_CHARACTER',
  'UNKNOWN_FIELD',
  'MISSING_FIELD',
  'EMPTY_FIELD',
  'AMBIGUOUS_FIELD',
  'INVALID_AMOUNT',
  'INVALID_CURRENCY',
  'INVALID_COUNTRY',
  'INVALID_EMAIL',
  'INVALID_REFERENCE',
  'INVALID_SESSION_ID',
  'CARD_NUMBER',
  'INVALID_URL',
  'URL_NOT_ALLOWED',
  'NO_PAYMENT_METHOD',
  'OUTCOME_UNKNOWN',
  'STORAGE_FULL',
  'STORAGE_UNAVAILABLE',
  'OVERLOADED',
  'PAYMENT_SERVICE_MOVED',
  'PAYMENT_SERVICE_MOVING',
  'STOPPING',
] as const;

/** The error codes of a signed request after its body was parsed. */
export const SIGNED_REQUEST_ERRORS = [
  ...REQUEST_VALUE_ERRORS,
  'SIGNATURE_MISSING',
  'SIGNATURE_INVALID',
  'INVALID_ACCOUNT_ID',
  'REFERENCE_CONFLICT',
] as const;

export const CreatedSchema = replyOf(
  'CreatedTransaction',
  Type.Object({
    idTrx: Type.Integer({ description: 'Id of the transaction' }),
    payUrl: Type.Array(Type.Object({ name: Type.String(), code: Type.String(), url: Type.String() }), {
      description: 'First the pay page, then the same page for each payment method',
    }),
  }),
);

export const CREATED_EXAMPLE = {
  message: 'Trx creada exitosamente',
  errors: null,
  data: {
    idTrx: 1001,
    payUrl: [
      { name: 'gateway', code: 'gateway', url: 'https://pay.example.cl/pay/rt-XXXXXXXXXXXXXXXXXXXXXX' },
      {
        name: 'Simulated',
        code: 'simulated',
        url: 'https://pay.example.cl/pay/rt-XXXXXXXXXXXXXXXXXXXXXX?method=simulated',
      },
    ],
  },
};

export const ProblemSchema = Type.Object(
  {
    type: text('URL of the page that explains the code'),
    title: Type.String(),
    status: Type.Integer(),
    code: text('Stable error code; see `/errors/{code}`'),
    detail: Type.String(),
    errors: Type.Array(
      Type.Object({ pointer: Type.String(), code: Type.String(), message: Type.String(), fix: Type.String() }),
      { description: 'All errors, not only the first' },
    ),
    request_id: Type.String(),
    message: Type.String(),
    data: Type.Nullable(Type.Record(Type.Any())),
    error: Type.Optional(text('Code for older clients of the login endpoints')),
  },
  { $id: 'Problem' },
);

export const PaymentMethodsSchema = Type.Object(
  {
    types: Type.Array(
      Type.Object({
        codigo: Type.String(),
        nombre: Type.String(),
        descripcion: Type.String(),
        url_imagen: Type.String(),
      }),
    ),
  },
  { $id: 'PaymentMethods' },
);
