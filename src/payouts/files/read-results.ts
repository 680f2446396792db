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
 * has two outcomes, and the lines that do not say which of several equal payouts they mean.
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
 * may pay what it rejected before. Several payouts that the same lines may mean have an outcome only if it is the
 * outcome of each of them.
 *
 * Throws `Problem` INVALID_PAYOUT if the file is not such a table, or a workbook or page with several.
 */
export async function readResults(
  app: App,
  source: string | Readable,
  payouts: readonly Payout[],
): Promise<ReadResults> {
  const hashes = await identityHashes(app);
  const known = indexOf(payouts);
  const matcher = createMatcher(payouts);
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
      const outcome = readOutcome(cell('outcome'));
      matcher.add(payoutsOf(readLine(cell, hashes), known), {
        line,
        outcome,
        reason: outcome === null ? null : reasonOf(cell('reason'), outcome),
      });
    }
    await refuseUnseen(table, invalidPayout);
    return matcher.end(turn);
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

/** The outcome that a line says; null: it is not understood. */
type Told = { readonly line: number; readonly outcome: PayoutOutcome | null; readonly reason: string | null };

/** The outcome that a line says of a payout, with the lines that name the payout. */
type Said = Told & { readonly lines: number[] };

/** Payouts that a line may mean. `isNamed`: by their id or reference. `key`: equal for lines that may mean the same. */
type Meant = { readonly payouts: readonly Payout[]; readonly isNamed: boolean; readonly key: string };

/** Lines that name no payout, with the equal payouts that they may mean. */
type Unnamed = { readonly payouts: readonly Payout[]; readonly told: Told[] };

/**
 * Gives lines to payouts: first the lines that name one, as `add` gets them; then, at the `end`, the others, those with
 * the fewest payouts first. Lines that may mean the same payouts share one list of them: a file may have thousands of
 * both.
 */
function createMatcher(all: readonly Payout[]) {
  const left = new Set(all);
  const said = new Map<Payout, Said>();
  const unmatched: number[] = [];
  const unclear = new Set<number>();
  const unnamed = new Map<string, Unnamed>();

  const take = (payout: Payout, told: Told) => {
    left.delete(payout);
    said.set(payout, { ...told, lines: [told.line] });
  };
  /** Takes a line of payouts that other lines have. */
  const repeat = (payouts: readonly Payout[], { line, outcome }: Told) => {
    const others = payouts.flatMap((one) => said.get(one) ?? []).filter((one) => (one.outcome ?? outcome) !== outcome);
    for (const one of others) one.lines.push(line);
    if (others.length === 0) unmatched.push(line);
  };

  const add = ({ payouts, isNamed, key }: Meant, told: Told) => {
    if (!isNamed && payouts.length > 0) {
      unnamed.getOrInsertComputed(key, () => ({ payouts, told: [] })).told.push(told);
      return;
    }
    const free = payouts.find((one) => left.has(one));
    if (free === undefined) repeat(payouts, told);
    else take(free, told);
  };

  const settle = async ({ payouts, told }: Unnamed, turn: () => Promise<void> | null) => {
    const isLeft = (one: Payout) => left.has(one);
    const known = knownAlready(payouts.filter(isLeft), told);
    for (const [one, payout] of known) take(payout, one);
    const open = told.filter((one) => !known.has(one));
    const free = payouts.filter(isLeft);
    if (free.length > 0 && !isOfEach(open, free)) {
      // If a line is open, no later line decides about these payouts.
      if (open.length > 0) for (const payout of free) left.delete(payout);
      for (const { line } of open) unclear.add(line);
      return;
    }
    for (const [at, one] of open.entries()) {
      await turn();
      const payout = free[at];
      if (payout === undefined) repeat(payouts, one);
      else take(payout, one);
    }
  };

  const end = async (turn: () => Promise<void> | null): Promise<ReadResults> => {
    const groups = [...unnamed.values()].sort((one, other) => one.payouts.length - other.payouts.length);
    for (const group of groups) {
      await turn();
      await settle(group, turn);
    }
    const outcomes = sortOut(said, unclear);
    return { outcomes, unmatched: inOrder(unmatched), unclear: inOrder(unclear) };
  };

  return { add, end };
}

/** Returns the lines that say what equal payouts are already, each with its payout. */
function knownAlready(payouts: readonly Payout[], told: readonly Told[]): Map<Told, Payout> {
  const known = new Map<Told, Payout>();
  const saying = Map.groupBy(told, ({ outcome }) => outcome as string | null);
  for (const [state, some] of Map.groupBy(payouts, (one) => one.state)) {
    const lines = saying.get(state) ?? [];
    // Too few lines leave open which of these payouts they mean, unless all lines say what all payouts are.
    const isNoNews = some.length === payouts.length && lines.length === told.length;
    if (lines.length < some.length && !isNoNews) continue;
    for (const [at, one] of lines.slice(0, some.length).entries()) known.set(one, some[at] as Payout);
  }
  return known;
}

/** Returns the outcomes of the payouts whose lines agree on one, and adds the lines of the others to `unclear`. */
function sortOut(said: ReadonlyMap<Payout, Said>, unclear: Set<number>): ReadResults['outcomes'] {
  const outcomes: ReadResults['outcomes'] = [];
  for (const [{ id }, { outcome, reason, lines }] of said) {
    if (outcome === null || lines.length > 1) for (const line of lines) unclear.add(line);
    else outcomes.push({ id, outcome, reason });
  }
  return outcomes;
}

/**
 * Returns whether lines say one outcome of each of these payouts, so that it does not matter which line means which.
 */
function isOfEach(told: readonly Told[], payouts: readonly Payout[]): boolean {
  return told.length >= payouts.length && new Set(told.map(({ outcome }) => outcome)).size === 1;
}

function inOrder(lines: Iterable<number>): number[] {
  return [...lines].sort((one, other) => one - other);
}

/**
 * Returns the payouts that a line may mean. Banks number their rows, so a reference such as `1` may be a row number: if
 * the RUT, amount or account contradicts it, they decide. An id of this service is never a row number: a line that
 * contradicts it has no payout.
 */
function payoutsOf(line: Line, known: ReadonlyMap<string, readonly Payout[]>): Meant {
  const named = (known.get(line.reference) ?? []).filter((one) => agrees(line, one));
  if (named.length > 0 || line.rut === null || line.isOurs) return { payouts: named, isNamed: true, key: '' };
  const of = `${line.rut.hash} ${line.amount}`;
  const alike = known.get(of) ?? [];
  const payouts = alike.filter((one) => agrees(line, one));
  const isAll = payouts.length === alike.length;
  return { payouts, isNamed: false, key: isAll ? of : `${of} ${payouts.map(({ id }) => id).join(' ')}` };
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
      .replace(/\d(?:[ .-]?\d){3,}(?:-[kK])?/g, '…')
      .trim()
      .slice(0, 200) || ('the bank gave no reason' satisfies KeptReason)
  );
}
