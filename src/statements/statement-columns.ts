import type { HeaderRule } from '../lib/tables/find-header.ts';

export type StatementColumn = 'day' | 'text' | 'charge' | 'credit' | 'amount' | 'side' | 'balance' | 'document';

/**
 * The names that banks in Chile use for the columns of a statement: charges and credits apart, or one amount with a
 * sign or a side.
 */
export const STATEMENT_TABLE: HeaderRule<StatementColumn> = {
  names: {
    day: [/^fecha(contable|movimiento|transaccion|operacion)?(yyyymmdd|ddmmyyyy)?$/, /^dia$/],
    text: [/^(descripcion|detalle|glosa|concepto|movimiento)(de)?(l)?(movimiento|operacion|transaccion)?$/],
    charge: [/^(cargos?|cheques(y|o|yotros)?cargos|debe|giros|egresos?)(clp|pesos)?$/],
    credit: [/^(abonos?|depositos(y|o)?abonos?|haber|depositos|ingresos?)(clp|pesos)?$/],
    amount: [/^(monto|importe|valor)(movimiento|clp|pesos)?$/],
    side: [/^(cargoabono|abonocargo|ca|tipo|tipomovimiento)$/],
    balance: [/^saldo(diario|contable|disponible)?(clp|pesos)?$/],
    document: [/^(n|no|nro|num|numero)?(de)?(documento|doc|operacion|comprobante)$/],
  },
  isHeader: ({ day, text, charge, credit, amount }) =>
    day !== null && text !== null && (amount !== null || (charge !== null && credit !== null)),
};
