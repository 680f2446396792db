import type { Readable } from 'node:stream';
import type { App } from '../app.ts';
import { readAccount } from '../bank-validation/bank-account.ts';
import { identityHashes } from '../bank-validation/identity-hash.ts';
import { readRut } from '../bank-validation/rut.ts';
import { type InBoth, Problem } from '../error-catalogue.ts';
import { foldText } from '../lib/fold-text.ts';
import type { HeaderRule } from '../lib/tables/find-header.ts';
import { withTable } from '../lib/tables/open-table.ts';
import { sayTableError } from '../lib/tables/say-table-error.ts';
import { isTotal, TableError } from '../lib/tables/table.ts';
import type { KeptReason } from './kept-texts.ts';
import type { Payout } from './payout.ts';
import type { PayoutOutcome } from './settle-outcomes.ts';

type ResultColumn = 'rut' | 'account' | 'amount' | 'outcome' | 'reason' | 'reference';

/** How banks name the columns of what became of a list of payments. */
const RESULT_TABLE: HeaderRule<ResultColumn> = {
  names: {
    rut: [/^(rut|run)$/, /^(rut|run)(de)?(l|la)?(destinatario|beneficiari[oa]|proveedor|titular)$/],
    account: [/^(n|no|nro|numero)?(de)?(cuenta|cta)(bancaria|destino|abono|beneficiario|destinatario)?$/],
    amount: [/^(monto|importe|valor|amount)(apagar|pagado|pago|transferencia|clp)?$/],
    outcome: [/^(estado|resultado|situacion|status|state)(del|de)?(pago|transferencia|abono)?$/],
    reason: [/^(motivo|causa|glosa|detalle|observacion|reason)((del|de)?(rechazo|estado|error))?$/],
    reference: [/^(id|identificador|referencia|reference|idpago)$/],
  },
  isHeader: ({ rut, amount, outcome, reference }) =>
    outcome !== null && ((rut !== null && amount !== null) || reference !== null),
};

/** The words of banks, by how they begin. */
const WORDS: readonly (readonly [RegExp, PayoutOutcome])[] = [
  [/^(devuelt|return)/, 'returned'],
  [/^(no pagad|rechazad|fallid|anulad|error|fail|reject|cancel)/, 'failed'],
  [/^(pagad|abonad|aprobad|procesad|exitos|realizad|confirm|paid|ok$|success)/, 'confirmed'],
];

/** A line that is of a payout, one that is of none, and one whose word nobody knows. */
export type ReadResults = {
  readonly outcomes: { id: string; outcome: PayoutOutcome; reason: string | null }[];
  readonly unmatched: number[];
  readonly unclear: number[];
};

/**
 * Reads what a bank says became of a file's payouts: by our id, or by RUT, account (where there is one) and amount. Every line
 * is of one payout, and every payout has one line. Throws `Problem` INVALID_PAYOUT for a file that is not such a table.
 */
export async function readResults(
  app: App,
  source: string | Readable,
  payouts: readonly Payout[],
): Promise<ReadResults> {
  const hashes = await identityHashes(app);
  const left = new Set(payouts);
  const known = indexOf(payouts);
  const results: ReadResults = { outcomes: [], unmatched: [], unclear: [] };
  try {
    return await withTable(source, RESULT_TABLE, async (table) => {
      if (table.header === null)
        throw unusable({
          en: 'No row names the columns: RUT, monto and estado, or id and estado.',
          es: 'Ninguna fila nombra las columnas: RUT, monto y estado, o id y estado.',
        });
      const { places } = table.header;
      for await (const { line, cells } of table.rows) {
        if (isTotal(cells)) continue;
        const cell = (column: ResultColumn) => cells[places[column] ?? -1]?.trim() ?? '';
        const rut = readRut(cell('rut')).canonical;
        const { digits } = readAccount(cell('account'));
        const amount = Number(cell('amount').replace(/[$.\s]/g, ''));
        const byId = known.get(cell('reference'));
        const alike = rut === null ? [] : (known.get(`${hashes.ofRut(rut)} ${amount}`) ?? []);
        const found = [...(byId ?? []), ...alike].find(
          (one) =>
            left.has(one) &&
            (byId !== undefined || digits === null || hashes.ofAccount(one.bank_code, digits) === one.account_hash),
        );
        const outcome = outcomeOf(cell('outcome'));
        if (found === undefined) results.unmatched.push(line);
        else if (outcome === null) results.unclear.push(line);
        else results.outcomes.push({ id: found.id, outcome, reason: reasonOf(cell('reason'), outcome) });
        if (found !== undefined) left.delete(found);
      }
      return results;
    });
  } catch (error) {
    throw error instanceof TableError ? unusable(sayTableError(error)) : error;
  }
}

/** By our ids, and by RUT and amount. */
function indexOf(payouts: readonly Payout[]): Map<string, Payout[]> {
  const index = new Map<string, Payout[]>();
  for (const payout of payouts) {
    const { id, reference, rut_hash, amount } = payout;
    for (const key of [id, reference, `${rut_hash} ${amount}`]) index.set(key, [...(index.get(key) ?? []), payout]);
  }
  return index;
}

function outcomeOf(text: string): PayoutOutcome | null {
  const word = foldText(text).trim();
  return WORDS.find(([pattern]) => pattern.test(word))?.[1] ?? null;
}

/** Reads the reason of a bank's rejection, without its digits: it may stay for ever, and digits may be an account. */
function reasonOf(text: string, outcome: PayoutOutcome): string | null {
  if (outcome === 'confirmed') return null;
  return text.replace(/\d{4,}/g, '…').slice(0, 200) || ('the bank gave no reason' satisfies KeptReason);
}

function unusable(detail: InBoth): Problem {
  return new Problem('INVALID_PAYOUT', { detail });
}
