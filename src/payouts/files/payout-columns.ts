import { ACCOUNT_TABLE, type AccountColumn } from '../../bank-validation/tables/account-columns.ts';
import type { HeaderRule } from '../../lib/tables/find-header.ts';

export type PayoutColumn = AccountColumn | 'accountType' | 'amount' | 'message' | 'email' | 'reference';

/** The names that people use for the columns of a table of payouts, in addition to the columns of accounts. */
export const PAYOUT_TABLE: HeaderRule<PayoutColumn> = {
  names: {
    ...ACCOUNT_TABLE.names,
    accountType: [
      /^tipo(de)?(la)?(cuenta|cta)((de)?(l|la)?(titular|beneficiari[oa]|destinatari[oa]|proveedor|trabajador|empleado))?$/,
      /^(bank)?(account|acct)type$/,
    ],
    amount: [
      /^(monto|importe|amount|valor)(clp|pesos|transferencia|apagar|pago|total)?$/,
      /^(mtototal|totalapagar|liquidoapagar|liquido)$/,
    ],
    message: [
      /^(mensaje|message|glosa|concepto|detalle|descripcion|motivo)((de|del|al|para)?(destinatario|beneficiario|pago|tef|transferencia))?$/,
    ],
    email: [/^(e?mail|correo|correoelectronico)((de|del|al)?(destinatario|beneficiario|proveedor|trabajador))?$/],
    reference: [/^(id|reference|referencia|folio|identificador)$/, /^(nro|numero|n)?(factura|boleta|documento)$/],
  },
  isHeader: (places) => ACCOUNT_TABLE.isHeader(places) && places.amount !== null,
};
