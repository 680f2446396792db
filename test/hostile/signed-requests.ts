import { computeSignature, signingKey } from '../../protocol/hmac.ts';
import { readCorpus } from './hostile-case.ts';

const { account, secret } = readCorpus().vectors;
const key = signingKey(secret);

/** A complete request of the payment service of the corpus. */
export const FIELDS: Readonly<Record<string, string>> = {
  x_account_id: account,
  x_amount: '1000',
  x_currency: 'CLP',
  x_customer_email: 'buyer@example.com',
  x_reference: 'OWN-1',
  x_session_id: 'sess-1',
  x_shop_country: 'CL',
  x_url_callback: 'https://shop.example.com/cb',
  x_url_cancel: 'https://shop.example.com/no',
  x_url_complete: 'https://shop.example.com/ok',
};

/** Returns the fields with a signature over all of them, even invalid ones. */
export function signed(changes: Record<string, string> = {}): Record<string, string> {
  const fields = { ...FIELDS, ...changes };
  const message = Object.keys(fields)
    .sort()
    .map((name) => name + fields[name])
    .join('');
  return { ...fields, x_signature: computeSignature(message, key) };
}

export function signedJson(changes: Record<string, string> = {}): string {
  return JSON.stringify(signed(changes));
}

export function signedForm(changes: Record<string, string> = {}): string {
  return new URLSearchParams(signed(changes)).toString();
}
