import { currencyExponents } from '../protocol/currency-exponents.ts';
import { CALLBACK_FIELDS, REQUEST_FIELDS, UNSIGNED_FIELDS } from '../protocol/field-names.ts';
import { SIGNING_CATALOGUE } from '../protocol/signing-error.ts';
import { WEBHOOK_KEY_LABEL } from '../protocol/webhook-signature.ts';

/** The copies in the clients of other languages. */
export const PROTOCOL_DATA_FILES = ['clients/php/src/protocol.json', 'clients/python/src/rubrica/protocol.json'];

/** Returns as JSON the part of `protocol/` that clients in other languages need: names, currencies, error texts. */
export function protocolData(): string {
  const data = {
    request_fields: REQUEST_FIELDS,
    callback_fields: CALLBACK_FIELDS,
    unsigned_fields: UNSIGNED_FIELDS,
    webhook_key_label: WEBHOOK_KEY_LABEL,
    problems: SIGNING_CATALOGUE,
    currency_exponents: currencyExponents(),
  };
  return `${JSON.stringify(data, null, 1)}\n`;
}
