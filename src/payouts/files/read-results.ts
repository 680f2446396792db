import type { Readable } from 'node:stream';
import type { App } from '../../app.ts';
import { readAccount } from '../../bank-validation/bank-account.ts';
import { type IdentityHashes, identityHashes } from '../../bank-validation/identity-hash.ts';
import { possibleRuts, readRut } from '../../bank-validation/rut.ts';
import { readSettled } from '../../books/settlement-amount.ts';
import { boundsOfDay, DAYS_WITHOUT_BANKS, shiftDay } from '../../lib/calendar-day.ts';
import { letOthersRun } from '../../lib/let-others-run.ts';
import { replaceMisleading } from '../../lib/misleading-text.ts';
import { readDay } from '../../lib/read-day.ts';
import type { HeaderRule } from '../../lib/tables/find-header.ts';
import { withTable } from '../../lib/tables/open-table.ts';
import { refuseLonger, refuseTable, refuseUnseen } from '../../lib/tables/say-table-error.ts';
import { isTotal } from '../../lib/tables/table.ts';
import type { KeptReason } from '../kept-texts.ts';
import type { Payout } from '../payout.ts';
import { invalidPayout } from '../payout-wish.ts';
import type { PayoutOutcome } from '../settling/settle-outcomes.ts';
import { readOutcome } from './read-outcome.ts';

type ResultColumn = 'rut' | 'account' | 'amount' | 'outcome' | 'reason' | 'reference' | 'day';

/** The names that banks use for the columns of a file of results. */
const RESULT_TABLE: HeaderRule<ResultColumn> = {
  names: {
    rut: [/^(rut|run)$/, /^(rut|run)(de)?(l|la)?(destinatario|beneficiari[oa]|proveedor|titular)$/],
    account: [/^(n|no|nro|numero)?(de)?(cuenta|cta)(bancaria|destino|abono|beneficiario|destinatario)?$/],
    amount: [/^(monto|importe|valor|amount)(apagar|pagado|pago|transferencia|clp)?$/],
    outcome: [/^(estado|resultado|situacion|status|state)(del|de)?(pago|transferencia|abono)?$/],
    reason: [/^(motivo|causa|glosa|detalle|observacion|reason)((del|de)?(rechazo|estado|error))?$/],
    reference: [/^(id|identificador|referencia|reference|idpago)$/],
    day: [/^fecha(de)?(l|la)?(pago|proceso|abono|transferencia)$/, /^(fecha|date)$/],
  },
  isHeader: ({ rut, amount, outcome, reference }) =>
    outcome !== null && ((rut !== null && amount !== null) || reference !== null),
};

/** A line belongs to one payout, and a file has thousands of them at most. */
const MOST_LINES = 50_000;

/**
 * `unmatched`: the lines without a payout. `unclear`: the lines of a payout whose outcome is not understood, or that
 * has two outcomes.
 */
export type ReadResults = {
  readonly outcomes: { id: string; outcome: PayoutOutcome; reason: string | null }[];
  readonly unmatched: number[];
  readonly unclear: number[];
};

/**
 * Reads the outcomes of a file's payouts from a bank's table. Finds the payout by id or reference if the RUT, account,
 * amount and day of the line do not contradict it; else by RUT, amount, account and day. Each line matches at most one
 * payout, and each payout at most one line: if another line names it with another outcome, it has none, because a bank
 * may pay what it rejected before.
 *
 * Throws `Problem` INVALID_PAYOUT if the file is not such a table, or a workbook or page with several.
 */
export async function readResults(
  app: App,
  source: string | Readable,
  payouts: readonly Payout[],
): Promise<ReadResults> {
  const hashes = await identityHashes(app);
  const left = new Set(payouts);
  const known = indexOf(payouts);
  const said = new Map<Payout, Said>();
  const unmatched: number[] = [];
  return withTable(source, RESULT_TABLE, async (table) => {
    if (table.header === null)
      throw invalidPayout({
        en: 'No row names the columns: RUT, monto and estado, or id and estado.',
        es: 'Ninguna fila nombra las columnas: RUT, monto y estado, o id y estado.',
      });
    const { places } = table.header;
    const turn = letOthersRun();
    let lines = 0;
    for await (const row of table.rows) {
      const { line, cells } = row;
      await turn();
      // A line that names a payout is no sum, although its remark may begin as one: "Total de fondos insuficiente".
      const isNamed = known.has(cells[places.reference ?? -1]?.trim() ?? '');
      if (!isNamed && isTotal(cells, [cells[places.rut ?? -1], cells[places.account ?? -1]])) continue;
      if (++lines > MOST_LINES)
        throw invalidPayout({
          en: `A file of results has at most ${MOST_LINES} lines: split the file.`,
          es: `Un archivo de resultados lleva como máximo ${MOST_LINES} líneas: divide el archivo.`,
        });
      refuseLonger(table, row, invalidPayout);
      const cell = (column: ResultColumn) => cells[places[column] ?? -1]?.trim() ?? '';
      const { found, taken } = payoutOf(readLine(cell, hashes), known, left);
      const outcome = readOutcome(cell('outcome'));
      const others = taken.flatMap((one) => said.get(one) ?? []).filter((one) => (one.outcome ?? outcome) !== outcome);
      for (const one of others) one.lines.push(line);
      if (found !== undefined) {
        left.delete(found);
        said.set(found, { outcome, reason: cell('reason'), lines: [line] });
      } else if (others.length === 0) unmatched.push(line);
    }
    await refuseUnseen(table, invalidPayout);
    return { ...sortOut(said), unmatched };
  }).catch(refuseTable(invalidPayout));
}

/**
 * What a line says, read once: a file may have thousands of payouts of one person and amount, and each is compared with
 * each line. `isOurs`: `reference` is an id of this service. `rut`: the canonical RUT. `rutHashes`: of all RUTs that
 * may be meant; null for an empty cell. `accountsAt`: the hashes of the accounts that may be meant at a bank; null
 * likewise. `leftBefore`: a payout of the line left before this time, UTC milliseconds; null without a day, or for an
 * id of this service.
 */
type Line = {
  readonly reference: string;
  readonly isOurs: boolean;
  readonly rut: { readonly hash: string } | null;
  readonly rutHashes: readonly string[] | null;
  readonly amountText: string;
  readonly amount: number | null;
  readonly accountsAt: ((bankCode: string) => readonly string[]) | null;
  readonly leftBefore: number | null;
};

function readLine(cell: (column: ResultColumn) => string, hashes: IdentityHashes): Line {
  const [reference, rutText, amountText] = [cell('reference'), cell('rut'), cell('amount')];
  const { canonical } = readRut(rutText);
  const ruts = [canonical, ...possibleRuts(rutText).map(({ rut }) => rut)].filter((one) => one !== null);
  const isOurs = OWN_ID.test(reference);
  return {
    reference,
    isOurs,
    rut: canonical === null ? null : { hash: hashes.ofRut(canonical) },
    rutHashes: rutText === '' ? null : ruts.map((one) => hashes.ofRut(one)),
    amountText,
    amount: amountIn(amountText),
    accountsAt: accountsOf(cell('account'), hashes),
    leftBefore: isOurs ? null : latestLeaving(cell('day')),
  };
}

/**
 * Returns the latest time at which a payout of the line's day left: a bank may write its last working day before a
 * weekend with holidays. The same people are paid the same amounts every week or month, so the result of an earlier
 * file matches a payout in everything but its day.
 */
function latestLeaving(text: string): number | null {
  const day = readDay(text);
  return day === null ? null : boundsOfDay(shiftDay(day, DAYS_WITHOUT_BANKS)).to;
}

/** The number of a CuentaRUT may end with its check digit. */
function accountsOf(text: string, hashes: IdentityHashes): Line['accountsAt'] {
  if (text === '') return null;
  const written = [text, text.replace(/-[\dkK]$/, '')];
  const accounts = written.flatMap((one) => readAccount(one.replace(/[\s-]/g, '')).digits ?? []);
  const kept = new Map<string, readonly string[]>();
  return (bankCode) =>
    kept.getOrInsertComputed(bankCode, () => accounts.map((digits) => hashes.ofAccount(bankCode, digits)));
}

/** The outcome that a line says of a payout, with the lines that name the payout. */
type Said = { outcome: PayoutOutcome | null; reason: string; lines: number[] };

/** Sorts the payouts by whether their lines agree on one outcome. One line may speak of several unclear payouts. */
function sortOut(said: ReadonlyMap<Payout, Said>): Omit<ReadResults, 'unmatched'> {
  const outcomes: ReadResults['outcomes'] = [];
  const unclear = new Set<number>();
  for (const [{ id }, { outcome, reason, lines }] of said) {
    if (outcome === null || lines.length > 1) for (const line of lines) unclear.add(line);
    else outcomes.push({ id, outcome, reason: reasonOf(reason, outcome) });
  }
  return { outcomes, unclear: [...unclear].sort((one, other) => one - other) };
}

/** `taken`: the payouts that the line may mean, if other lines have all of them. */
type Found = { found: Payout | undefined; taken: readonly Payout[] };

/**
 * Returns the payout of a line. Banks number their rows, so a reference such as `1` may be a row number: if the RUT,
 * amount or account contradicts it, they decide. An id of this service is never a row number: a line that contradicts
 * it has no payout.
 */
function payoutOf(line: Line, known: ReadonlyMap<string, readonly Payout[]>, left: ReadonlySet<Payout>): Found {
  const named = (known.get(line.reference) ?? []).filter((one) => agrees(line, one));
  if (named.length > 0) {
    const found = named.find((one) => left.has(one));
    return { found, taken: found === undefined ? named : [] };
  }
  if (line.rut === null || line.isOurs) return { found: undefined, taken: [] };
  const alike = known.get(`${line.rut.hash} ${line.amount}`) ?? [];
  const found = alike.find((one) => left.has(one) && agrees(line, one));
  return { found, taken: found === undefined ? alike.filter((one) => agrees(line, one)) : [] };
}

const OWN_ID = /^po_/;

/**
 * Returns whether the RUT, amount, account and day of a line match the payout; empty cells match. If the line has an id
 * of this service, unreadable values such as hidden digits match too.
 */
function agrees(line: Line, payout: Payout): boolean {
  const { leftBefore } = line;
  const isInTime = leftBefore === null || payout.sent_at === null || payout.sent_at < leftBefore;
  return isInTime && rutAgrees(line, payout) && amountAgrees(line, payout) && accountAgrees(line, payout);
}

function rutAgrees({ rutHashes, isOurs }: Line, payout: Payout): boolean {
  if (rutHashes === null) return true;
  return rutHashes.length === 0 ? isOurs : rutHashes.includes(payout.rut_hash);
}

/** Returns whether an amount matches. 0 also matches if the line has a RUT: banks write 0 for a rejected payout. */
function amountAgrees({ amountText: text, amount, rutHashes, isOurs }: Line, payout: Payout): boolean {
  if (text === '' || (rutHashes !== null && NOTHING_PAID.test(text))) return true;
  return amount === null ? isOurs : amount === payout.amount;
}

const NOTHING_PAID = /^\$?\s*0(?:[.,]0{1,2})?$/;

/**
 * Returns whether an account matches. Banks hide digits; such an account matches if the line has an id of this service
 * or a RUT.
 */
function accountAgrees({ accountsAt, rutHashes, isOurs }: Line, payout: Payout): boolean {
  if (accountsAt === null) return true;
  const accounts = accountsAt(payout.bank_code);
  return accounts.length === 0 ? isOurs || rutHashes !== null : accounts.includes(payout.account_hash);
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
    for (const key of [id, reference, `${rut_hash} ${amount}`]) index.getOrInsert(key, []).push(payout);
  }
  return index;
}

/**
 * Returns the reason of a bank's rejection on one line, without long numbers or reversed text: people read it for
 * ever, and a number may be an account or a RUT.
 */
function reasonOf(text: string, outcome: PayoutOutcome): string | null {
  if (outcome === 'confirmed') return null;
  return (
    replaceMisleading(text, ' ')
      .replace(/\d[\d.]{3,}(?:-[\dkK])?/g, '…')
      .trim()
      .slice(0, 200) || ('the bank gave no reason' satisfies KeptReason)
  );
}
