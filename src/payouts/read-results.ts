import type { Readable } from 'node:stream';
import type { App } from '../app.ts';
import { readAccount } from '../bank-validation/bank-account.ts';
import { type IdentityHashes, identityHashes } from '../bank-validation/identity-hash.ts';
import { possibleRuts, readRut } from '../bank-validation/rut.ts';
import { readSettled } from '../books/settlement-amount.ts';
import { type InBoth, Problem } from '../error-catalogue.ts';
import type { HeaderRule } from '../lib/tables/find-header.ts';
import { withTable } from '../lib/tables/open-table.ts';
import { sayTableError } from '../lib/tables/say-table-error.ts';
import { isTotal, TableError } from '../lib/tables/table.ts';
import type { KeptReason } from './kept-texts.ts';
import type { Payout } from './payout.ts';
import { readOutcome } from './read-outcome.ts';
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

/** A line that is of a payout, one that is of none, and one whose word nobody knows. */
export type ReadResults = {
  readonly outcomes: { id: string; outcome: PayoutOutcome; reason: string | null }[];
  readonly unmatched: number[];
  readonly unclear: number[];
};

/**
 * Reads what a bank says became of a file's payouts: by id or reference where the line's RUT, account and amount do not contradict
 * it, else by RUT, amount and account. Every line is of one payout, and every payout has one line.
 *
 * Throws `Problem` INVALID_PAYOUT for a file that is not such a table.
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
        const found = payoutOf(cell, known, left, hashes);
        const outcome = readOutcome(cell('outcome'));
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

type Cells = (column: ResultColumn) => string;

/**
 * The payout of a line. Banks number their rows, and `1` may be a reference: it does not count against the RUT, amount or account of
 * its line. Our own id is no row number: a line that contradicts it is of no payout.
 */
function payoutOf(
  cell: Cells,
  known: ReadonlyMap<string, readonly Payout[]>,
  left: ReadonlySet<Payout>,
  hashes: IdentityHashes,
): Payout | undefined {
  const name = cell('reference');
  const named = (known.get(name) ?? []).filter((one) => agrees(cell, one, hashes));
  if (named.length > 0) return named.find((one) => left.has(one));
  const rut = readRut(cell('rut')).canonical;
  if (rut === null || OWN_ID.test(name)) return undefined;
  const alike = known.get(`${hashes.ofRut(rut)} ${amountIn(cell('amount'))}`) ?? [];
  return alike.find((one) => left.has(one) && agrees(cell, one, hashes));
}

const OWN_ID = /^po_/;

/**
 * Whether the RUT, the amount and the account are the payout's, as far as the line has them. Beside our own id what cannot be read
 * contradicts nothing, such as hidden digits.
 */
function agrees(cell: Cells, payout: Payout, hashes: IdentityHashes): boolean {
  const isOurs = OWN_ID.test(cell('reference'));
  return (
    rutAgrees(cell('rut'), payout, hashes, isOurs) &&
    amountAgrees(cell('amount'), payout, { isOurs, hasRut: cell('rut') !== '' }) &&
    accountAgrees(cell('account'), payout, hashes, isOurs || cell('rut') !== '')
  );
}

function rutAgrees(rut: string, payout: Payout, hashes: IdentityHashes, isOurs: boolean): boolean {
  if (rut === '') return true;
  const read = [readRut(rut).canonical, ...possibleRuts(rut).map((possible) => possible.rut)];
  const ruts = read.filter((one) => one !== null);
  return ruts.length === 0 ? isOurs : ruts.some((one) => hashes.ofRut(one) === payout.rut_hash);
}

/** An amount of 0 is what was paid of a rejected payout, where the id or the RUT names it. */
function amountAgrees(text: string, payout: Payout, { isOurs, hasRut }: { isOurs: boolean; hasRut: boolean }): boolean {
  if (text === '' || (hasRut && NOTHING_PAID.test(text))) return true;
  const amount = amountIn(text);
  return amount === null ? isOurs : amount === payout.amount;
}

const NOTHING_PAID = /^\$?\s*0(?:[.,]0{1,2})?$/;

/** Banks hide digits of accounts: beside the id or the RUT such an account says nothing. A CuentaRUT may have its check digit behind it. */
function accountAgrees(text: string, payout: Payout, hashes: IdentityHashes, isNamed: boolean): boolean {
  if (text === '') return true;
  const written = [text, text.replace(/-[\dkK]$/, '')];
  const accounts = written.flatMap((one) => readAccount(one.replace(/[\s-]/g, '')).digits ?? []);
  return accounts.length === 0
    ? isNamed
    : accounts.some((digits) => hashes.ofAccount(payout.bank_code, digits) === payout.account_hash);
}

function amountIn(text: string): number | null {
  // `$15.000.-` is how amounts are written by hand.
  const amount = readSettled(text.replace(/\.?-$/, ''), 'CLP', null);
  return typeof amount === 'number' ? amount : null;
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

/** Reads the reason of a bank's rejection, without its digits: it may stay for ever, and digits may be an account or, with points, a RUT. */
function reasonOf(text: string, outcome: PayoutOutcome): string | null {
  if (outcome === 'confirmed') return null;
  return (
    text.replace(/\d[\d.]{3,}(?:-[\dkK])?/g, '…').slice(0, 200) || ('the bank gave no reason' satisfies KeptReason)
  );
}

function unusable(detail: InBoth): Problem {
  return new Problem('INVALID_PAYOUT', { detail });
}
