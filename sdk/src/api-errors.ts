// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

export type Problem = {
  /** URL of the page that explains the code */
  type: string;
  title: string;
  status: number;
  /** Stable error code; see `/errors/{code}` */
  code: string;
  detail: string;
  /** All errors, not only the first */
  errors: { pointer: string; code: string; message: string; fix: string }[];
  request_id: string;
  message: string;
  data: Record<string, unknown> | null;
  /** Code for older clients of the login endpoints */
  error?: string | undefined;
};

/** The `code` of an error. */
export type ErrorCode =
  | 'HTTP_MALFORMED'
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
  | 'INVALID_AMOUNT'
  | 'INVALID_CURRENCY'
  | 'INVALID_COUNTRY'
  | 'INVALID_EMAIL'
  | 'INVALID_REFERENCE'
  | 'INVALID_SESSION_ID'
  | 'CARD_NUMBER'
  | 'INVALID_URL'
  | 'URL_NOT_ALLOWED'
  | 'INVALID_ACCOUNT_ID'
  | 'INVALID_PARAMETER'
  | 'SIGNATURE_MISSING'
  | 'SIGNATURE_INVALID'
  | 'TOKEN_MISSING'
  | 'TOKEN_INVALID'
  | 'PRIVATE_TOKEN_RETIRED'
  | 'SERVICE_TOKEN_INVALID'
  | 'LOGIN_FAILED'
  | 'API_TOKEN_INVALID'
  | 'FACTOR_REFUSED'
  | 'PERMISSION_MISSING'
  | 'NO_PERMISSION'
  | 'REFUND_LIMIT_REACHED'
  | 'SECOND_FACTOR_NEEDED'
  | 'MORE_THAN_YOURS'
  | 'PAYOUTS_NOT_ENABLED'
  | 'PERSON_NEEDED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'REFERENCE_CONFLICT'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'CURSOR_BEFORE_RESTORE'
  | 'CURSOR_OF_ANOTHER_DATABASE'
  | 'LISTENER_ENDED'
  | 'VALIDATION_NOT_USABLE'
  | 'ACCOUNT_NOT_VALIDATED'
  | 'RECIPIENT_CONFLICT'
  | 'CHANGED_IN_STORE'
  | 'PAYOUT_CONFLICT'
  | 'PAYOUT_LIMIT_REACHED'
  | 'PAYMENT_SERVICE_AMBIGUOUS'
  | 'PAYOUT_STATE'
  | 'APPROVAL_REFUSED'
  | 'INSUFFICIENT_BALANCE'
  | 'CURSOR_TOO_OLD'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'EXPECTATION_FAILED'
  | 'PAYMENT_SERVICE_MOVED'
  | 'INVALID_BODY'
  | 'INVALID_PAYOUT'
  | 'ACCOUNT_NOT_PAYABLE'
  | 'INVALID_STATEMENT'
  | 'RATE_LIMITED'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL'
  | 'OVERLOADED'
  | 'STOPPING'
  | 'STORAGE_UNAVAILABLE'
  | 'STORAGE_FULL'
  | 'OUTCOME_UNKNOWN'
  | 'NO_PAYMENT_METHOD'
  | 'PAYMENT_SERVICE_MOVING'
  | 'HELD_AFTER_RESTORE';
