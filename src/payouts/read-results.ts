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

/** The names that banks use for the columns of a file of results. */
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

/** `unmatched`: the lines without a payout. `unclear`: the lines of a payout whose outcome is not understood. */
export type ReadResults = {
  readonly outcomes: { id: string; outcome: PayoutOutcome; reason: string | null }[];
  readonly unmatched: number[];
  readonly unclear: number[];
};

/**
 * Reads the outcomes of a file's payouts from a bank's table. Finds the payout by id or reference if the RUT, account
 * and amount of the line do not contradict it; else by RUT, amount and account. Each line matches at most one payout,
 * and each payout at most one line.
 *
 * Throws `Problem` INVALID_PAYOUT if the file is not such a table.
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
 * Returns the payout of a line. Banks number their rows, so a reference such as `1` may be a row number: if the RUT,
 * amount or account contradicts it, they decide. An id of this service is never a row number: a line that contradicts
 * it has no payout.
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
 * Returns whether the RUT, amount and account of a line match the payout; empty cells match. If the line has an id of
 * this service, unreadable values such as hidden digits match too.
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

/** Returns whether an amount matches. 0 also matches if the line has a RUT: banks write 0 for a rejected payout. */
function amountAgrees(text: string, payout: Payout, { isOurs, hasRut }: { isOurs: boolean; hasRut: boolean }): boolean {
  if (text === '' || (hasRut && NOTHING_PAID.test(text))) return true;
  const amount = amountIn(text);
  return amount === null ? isOurs : amount === payout.amount;
}

const NOTHING_PAID = /^\$?\s*0(?:[.,]0{1,2})?$/;

/**
 * Returns whether an account matches. Banks hide digits; such an account matches if the line has an id of this service
 * or a RUT. The number of a CuentaRUT may end with its check digit.
 */
function accountAgrees(text: string, payout: Payout, hashes: IdentityHashes, isNamed: boolean): boolean {
  if (text === '') return true;
  const written = [text, text.replace(/-[\dkK]$/, '')];
  const accounts = written.flatMap((one) => readAccount(one.replace(/[\s-]/g, '')).digits ?? []);
  return accounts.length === 0
    ? isNamed
    : accounts.some((digits) => hashes.ofAccount(payout.bank_code, digits) === payout.account_hash);
}

function amountIn(text: string): number | null {
  // People also write amounts as `$15.000.-`.
  const amount = readSettled(text.replace(/\.?-$/, ''), 'CLP', null);
  return typeof amount === 'number' ? amount : null;
}

/** Indexes payouts by id, by reference, and by RUT and amount. */
function indexOf(payouts: readonly Payout[]): Map<string, Payout[]> {
  const index = new Map<string, Payout[]>();
  for (const payout of payouts) {
    const { id, reference, rut_hash, amount } = payout;
    for (const key of [id, reference, `${rut_hash} ${amount}`]) index.set(key, [...(index.get(key) ?? []), payout]);
  }
  return index;
}

/**
 * Returns the reason of a bank's rejection without long numbers: the text may be stored for ever, and a number may be
 * an account or a RUT.
 */
function reasonOf(text: string, outcome: PayoutOutcome): string | null {
  if (outcome === 'confirmed') return null;
  return (
    text.replace(/\d[\d.]{3,}(?:-[\dkK])?/g, '…').slice(0, 200) || ('the bank gave no reason' satisfies KeptReason)
  );
}

function unusable(detail: InBoth): Problem {
  return new Problem('INVALID_PAYOUT', { detail });
}
