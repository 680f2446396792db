/** The introduction of the API description. */
export const INFO = {
  title: 'Rúbrica',
  summary: 'Signed transactions and bank account validation',
  description: [
    'Rúbrica implements the signed-transaction protocol of Chilean shops and the bank account validation of the electronic transfers API.',
    '**Signing.** Take the ten mandatory `x_` fields, sort them by name, and join each name and value without separators: `x_account_id…x_amount1000x_currencyCLP…`. `x_signature` is the HMAC-SHA256 of that text in lower-case hexadecimal, keyed with the text of the Secret Token. Values are UTF-8, unchanged. `x_products`, `x_billing_details`, `x_shippment` and `x_document` are never signed.',
    '**Tokens decide.** A payment service has a Service Token and a Secret Token for `development` and for `production`. Every server accepts both pairs; a request signed with the tokens for development is a test.',
    '**Repeating is safe.** A reference belongs to one transaction for ever. The same request again returns the first transaction with `Idempotency-Hit: true`; other fields under the same reference are refused with 409.',
    '**Errors** are `application/problem+json` with a stable `code` and a fix; each code has its page at `/errors/{code}`. `errors` lists all errors, not only the first.',
    '**Limits.** A body has at most 16 KiB (512 KiB for a batch, 3 MiB for a bank’s file), the headers at most 8 KiB and 64 lines. Paths are matched exactly.',
  ].join('\n\n'),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** The introduction of the electronic transfers part, which has a separate version. */
export const TRANSFERS_INFO = {
  title: 'Rúbrica: electronic transfers',
  summary: 'Bank account validation',
  version: '1.1.0',
  description: [
    'Reports what is known about a bank account before money is sent there.',
    '**A wrong account is not an error.** Every well-formed request returns 200 with a verdict and the checks behind it. A check that did not run says so; without an online provider the best verdict is `plausible`.',
    '**Access.** Send an access token of a user with payouts as `Authorization: Bearer`. Private tokens of the beta are refused with 401 `PRIVATE_TOKEN_RETIRED`, which explains the switch.',
    '**Errors** are `application/problem+json` with a stable `code` and a fix. 422 lists every member that is missing, empty or of the wrong type.',
  ].join('\n\n'),
};

export const TAGS = [
  { name: 'Transactions', description: 'Create a transaction, send the payer to its pay page, read its result.' },
  { name: 'Payment links', description: 'An address where a payer pays an amount without a shop.' },
  { name: 'Refunds', description: 'Refund a payment, in part or whole.' },
  { name: 'Reconciliation', description: 'Payments and refunds of a day, with their entries in the books.' },
  { name: 'Payment methods', description: 'Methods that a payer can choose.' },
  { name: 'Webhooks', description: 'Notices of payouts and refunds, posted to an address of the user.' },
  { name: 'Events', description: 'All events, for clients that pull them. Callbacks push events to the shop.' },
  {
    name: 'Bank account validation',
    description: 'Check a bank account before money is sent there.',
  },
  { name: 'Recipients', description: 'Validated accounts, stored for payouts.' },
  { name: 'Payouts', description: 'Money that a merchant sends to others.' },
  { name: 'Bank files', description: 'Files of payouts for banks, their results, and bank statements.' },
  { name: 'Access', description: 'Access tokens for people and programs that read and validate.' },
  { name: 'Operation', description: 'For operators of the service.' },
];
