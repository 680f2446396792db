/** The introduction of the API description. */
export const INFO = {
  title: 'Rúbrica',
  summary: 'Signed transactions and bank account validation',
  description: [
    'Rúbrica speaks the signed-transaction protocol of Chilean shops and the bank account validation of the electronic transfers API.',
    '**Signing.** Take the ten mandatory `x_` fields, sort them by name, write name and value, name and value, without anything in between: `x_account_id…x_amount1000x_currencyCLP…`. `x_signature` is the HMAC-SHA256 of that text in lower-case hexadecimal; the key is the text of the Secret Token. Values are UTF-8, unchanged. `x_products`, `x_billing_details`, `x_shippment` and `x_document` are never signed.',
    '**Tokens decide.** A payment service has a Service Token and a Secret Token for `development` and for `production`. Every server takes both; what is signed with the tokens for development is a test.',
    '**Repeating is safe.** A reference belongs to one transaction for ever. The same request again answers with the first transaction and `Idempotency-Hit: true`; other fields under the same reference are refused with 409.',
    '**Errors** are `application/problem+json` with a stable `code` and a fix; each code has its page at `/errors/{code}`. `errors` lists everything that is wrong, not only the first.',
    '**Limits.** A body has at most 16 KiB (512 KiB for a batch of validations), the headers 8 KiB and 64 lines. Addresses are matched exactly.',
  ].join('\n\n'),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** The introduction of the electronic transfers part, which has a separate version. */
export const TRANSFERS_INFO = {
  title: 'Rúbrica: electronic transfers',
  summary: 'Bank account validation',
  version: '1.1.0',
  description: [
    'Says what can be known about a bank account before money is sent there.',
    '**A wrong account is no error.** Every well-formed request is answered with 200, a verdict and the checks behind it. A check that was not made says so; without an online provider the best verdict is `plausible`.',
    '**Access.** An access token of a user with payouts, as `Authorization: Bearer`. Private tokens of the beta are answered with 401 `PRIVATE_TOKEN_RETIRED` and the way to switch.',
    '**Errors** are `application/problem+json` with a stable `code` and a fix. 422 lists every member that is missing, empty or of the wrong type.',
  ].join('\n\n'),
};

export const TAGS = [
  { name: 'Transactions', description: 'Create a transaction, send the payer to its pay page, see what became of it.' },
  { name: 'Payment links', description: 'An address at which an amount is paid without a shop.' },
  { name: 'Refunds', description: 'Refund a payment, in part or whole.' },
  { name: 'Reconciliation', description: 'What was paid and refunded on a day, tied to the books.' },
  { name: 'Payment methods', description: 'What payers can pay with.' },
  { name: 'Webhooks', description: 'A user is told of payouts and refunds at an address of its own.' },
  { name: 'Events', description: 'Everything that happened, to be pulled. The callback is the same, pushed.' },
  {
    name: 'Bank account validation',
    description: 'Whether a bank account can be what somebody says it is, before money is sent there.',
  },
  { name: 'Recipients', description: 'Validated accounts that are kept, for payouts.' },
  { name: 'Payouts', description: 'Money that a merchant sends to others.' },
  { name: 'Bank files', description: 'Files of payouts for banks, what became of them, and statements of the bank.' },
  { name: 'Access', description: 'Access tokens for people and programs that read and validate.' },
  { name: 'Operation', description: 'For operators of the service.' },
];
