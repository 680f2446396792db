import type { InBoth } from '../error-catalogue.ts';

/** Calls of the earlier service that this one lacks, each with what to use instead. */
type NotBuilt = { calls: RegExp } & InBoth;

/**
 * THE TABLE of calls that are not built, by method and path. docs/compatibility.md has the same sentences. `ROUTES` is
 * matched first, so a row has no effect once its endpoint exists.
 */
export const NOT_BUILT: readonly NotBuilt[] = [
  {
    calls: /^\w+ \/tbk\//,
    en: 'The `ct_` generation, `/tbk/…`, ended in 2018 and is not built: sign the ten `x_` fields and send them to `POST /trxs`.',
    es: 'La generación `ct_`, `/tbk/…`, terminó en 2018 y no está hecha: firma los diez campos `x_` y envíalos a `POST /trxs`.',
  },
  {
    calls: /^\w+ \/v1\/services$/,
    en: 'The `pf_` generation, `/v1/services`, ended in 2018 and is not built: sign the ten `x_` fields and send them to `POST /trxs`.',
    es: 'La generación `pf_`, `/v1/services`, terminó en 2018 y no está hecha: firma los diez campos `x_` y envíalos a `POST /trxs`.',
  },
  {
    calls: /^\w+ \/payTransaction(?:\/|$)/,
    en: 'Pay links made of two guessable numbers, `/payTransaction`, are not built: send the payer to the `payUrl` of the transaction.',
    es: 'Los enlaces de pago de dos números que se adivinan, `/payTransaction`, no están hechos: lleva a quien paga al `payUrl` de la transacción.',
  },
  {
    calls: /^\w+ \/trx-details(?:\/|$)/,
    en: 'The details of a card payment, `/trx-details`, are not built: `GET /trxs/{id}` returns what the payment method reported.',
    es: 'El detalle de un pago con tarjeta, `/trx-details`, no está hecho: `GET /trxs/{id}` responde lo que informó el medio de pago.',
  },
  {
    calls: /^\w+ \/tokens\/createToken$/,
    en: 'A token made from a token, `/tokens/createToken`, is not built: log in with `POST /loginToken`.',
    es: 'Un token hecho de otro token, `/tokens/createToken`, no está hecho: inicia sesión con `POST /loginToken`.',
  },
  {
    calls: /^\w+ \/trxs\/charges$/,
    en: 'Payment links by `POST /trxs/charges` are not built: make them with `POST /payment-links`.',
    es: 'Los enlaces de pago por `POST /trxs/charges` no están hechos: créalos con `POST /payment-links`.',
  },
  {
    calls: /^\w+ \/(?:payout\/)?addToCreditBalance$/,
    en: 'Adding money to the balance by API, `/addToCreditBalance`, is not built: record the deposit with `bin/rubrica deposit`.',
    es: 'Sumar dinero al saldo por API, `/addToCreditBalance`, no está hecho: anota el depósito con `bin/rubrica deposit`.',
  },
  {
    calls: /^POST \/users$/,
    en: 'Registration, `POST /users`, is not built: an operator makes users with `bin/rubrica user create`.',
    es: 'El registro, `POST /users`, no está hecho: un operador crea usuarios con `bin/rubrica user create`.',
  },
  {
    calls: /^\w+ \/(?:banksAccounts|bank_accounts)(?:\/|$)/,
    en: "A merchant's own bank accounts, `/banksAccounts` and `/bank_accounts`, are not built: keep them as recipients.",
    es: 'Las cuentas bancarias propias de un comercio, `/banksAccounts` y `/bank_accounts`, no están hechas: guárdalas como destinatarios.',
  },
  {
    calls: /^\w+ \/reports?(?:\/|$)/,
    en: 'Reports as files, `/reports`, are not built: `GET /remittances/conciliation` and `bin/rubrica reconcile` report a day.',
    es: 'Los reportes como archivos, `/reports`, no están hechos: `GET /remittances/conciliation` y `bin/rubrica reconcile` informan un día.',
  },
  {
    calls: /^\w+ \/one-click-users(?:\/|$)/,
    en: 'Payments by a stored card, `/one-click-users`, are not built.',
    es: 'Los pagos con una tarjeta guardada, `/one-click-users`, no están hechos.',
  },
  {
    calls: /^\w+ \/(?:subscriptions?|getAllButtons|user|users\/directions)(?:\/|$)/,
    en: 'The subscriptions API, `/subscription`, is not built: create a transaction for each charge.',
    es: 'La API de suscripciones, `/subscription`, no está hecha: crea una transacción por cada cobro.',
  },
  {
    calls: /^\w+ \/(?:black-?list|dicom|invoicing|orders|addons|verifycompany|verifyperson)(?:\/|$)/i,
    en: 'The back office of the old service, such as `/black-list`, `/dicom`, `/invoicing` and `/orders`, is not built.',
    es: 'La administración del servicio antiguo, como `/black-list`, `/dicom`, `/invoicing` y `/orders`, no está hecha.',
  },
];

/** Explains a call that is not built; null for a call that the earlier service did not have either. */
export function saysNotBuilt(method: string, path: string): InBoth | null {
  const found = NOT_BUILT.find(({ calls }) => calls.test(`${method} ${path}`));
  return found === undefined ? null : { en: found.en, es: found.es };
}
