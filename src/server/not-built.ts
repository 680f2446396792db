/** Calls of the service that shops used before, which this one does not have, each with what to do instead. */
type NotBuilt = { calls: RegExp; says: string };

/**
 * THE TABLE of what is not built, by method and path. docs/compatibility.md has the same sentences. An endpoint of `ROUTES`
 * comes first, so a row whose endpoint is built one day says nothing any more.
 */
export const NOT_BUILT: readonly NotBuilt[] = [
  {
    calls: /^\w+ \/tbk\//,
    says: 'The `ct_` generation, `/tbk/…`, ended in 2018 and is not built: sign the ten `x_` fields and send them to `POST /trxs`.',
  },
  {
    calls: /^\w+ \/v1\/services$/,
    says: 'The `pf_` generation, `/v1/services`, ended in 2018 and is not built: sign the ten `x_` fields and send them to `POST /trxs`.',
  },
  {
    calls: /^\w+ \/payTransaction(?:\/|$)/,
    says: 'Pay links of two guessable numbers, `/payTransaction`, are not built: send the payer to the `payUrl` of the transaction.',
  },
  {
    calls: /^\w+ \/trx-details\//,
    says: 'The details of a card payment, `/trx-details`, are not built: `GET /trxs/{id}` tells what the payment method told.',
  },
  {
    calls: /^\w+ \/tokens\/createToken$/,
    says: 'A token made from a token, `/tokens/createToken`, is not built: log in with `POST /loginToken`.',
  },
  {
    calls: /^\w+ \/trxs\/charges$/,
    says: 'Payment links by `POST /trxs/charges` are not built: make them with `POST /payment-links`.',
  },
  {
    calls: /^\w+ \/(?:payout\/)?addToCreditBalance$/,
    says: 'Adding money to the balance by API, `/addToCreditBalance`, is not built: record what came with `bin/rubrica deposit`.',
  },
  {
    calls: /^POST \/users$/,
    says: 'Registration, `POST /users`, is not built: an operator makes users with `bin/rubrica user create`.',
  },
  {
    calls: /^\w+ \/(?:banksAccounts|bank_accounts)(?:\/|$)/,
    says: "A merchant's own bank accounts, `/banksAccounts` and `/bank_accounts`, are not built: keep them as recipients.",
  },
  {
    calls: /^\w+ \/reports?\//,
    says: 'Reports as files, `/reports`, are not built: `GET /remittances/conciliation` and `bin/rubrica reconcile` tell a day.',
  },
  {
    calls: /^\w+ \/one-click-users\//,
    says: 'Payments by a stored card, `/one-click-users`, are not built.',
  },
  {
    calls: /^\w+ \/(?:subscriptions?|getAllButtons)(?:\/|$)/,
    says: 'The subscriptions API, `/subscription`, is not built: create a transaction for each charge.',
  },
  {
    calls: /^\w+ \/(?:black-?list|dicom|invoicing|orders|addons|verifycompany|verifyperson)(?:\/|$)/i,
    says: 'The back office of the old service, such as `/black-list`, `/dicom`, `/invoicing` and `/orders`, is not built.',
  },
];

/** Explains a call that is not built; null: nobody ever had it. */
export function saysNotBuilt(method: string, path: string): string | null {
  return NOT_BUILT.find(({ calls }) => calls.test(`${method} ${path}`))?.says ?? null;
}
