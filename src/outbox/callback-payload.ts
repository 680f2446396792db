import { computeSignature } from '../../protocol/hmac.ts';
import { formatDecimal } from '../lib/money.ts';
import type { ServiceEnvironment } from '../payment-services/payment-service.ts';

/** The content of a callback. The payer's browser also brings it to `x_url_complete`. */
export type CallbackContent = {
  transactionId: number;
  reference: string;
  amount: number;
  currency: string;
  result: 'completed' | 'failed' | 'pending';
  message: 'Approved' | 'Declined' | 'Cancelled' | 'Expired' | 'Pending';
  /** When the change happened, UTC milliseconds; not when it is sent. */
  timestamp: number;
};

/**
 * Returns exactly ten fields, all non-empty text: receivers that sign all fields they get fail on an extra one. During
 * a rotation the old Secret Token signs, because the merchant may not have the new one yet.
 */
export function callbackFields(environment: ServiceEnvironment, content: CallbackContent): Record<string, string> {
  const fields = {
    x_account_id: environment.serviceToken,
    x_amount: formatDecimal(content.amount, content.currency),
    x_currency: content.currency,
    x_gateway_reference: String(content.transactionId),
    x_message: content.message,
    x_reference: content.reference,
    x_result: content.result,
    x_test: String(environment.environment === 'development'),
    x_timestamp: new Date(content.timestamp).toISOString(),
  };
  const message = Object.entries(fields).flat().join('');
  const oldest = environment.secrets.at(-1);
  if (oldest === undefined) throw new Error('An environment without an open Secret Token');
  return { ...fields, x_signature: computeSignature(message, oldest.key) };
}

/** Encodes the fields as a form. */
export function callbackBody(fields: Record<string, string>): string {
  const pair = ([name, value]: [string, string]) => `${name}=${NEEDS_NO_CODE.test(value) ? value : formText(value)}`;
  return Object.entries(fields).map(pair).join('&');
}

/** Most values need no encoding, and `URLSearchParams` would take ten times as long for them. */
const NEEDS_NO_CODE = /^[\w.*-]*$/;

function formText(value: string): string {
  return new URLSearchParams([['', value]]).toString().slice(1);
}
