import type { SqlRow } from '../db/database.ts';
import { openUnlessChanged, type SealedKind, sealAs } from '../sealing/sealed-kind.ts';
import { AHEAD_MS } from './copied-row-queries.ts';
import { type Move, MoveRefusal } from './move.ts';
import { type Due, MOVED_TABLES, type MoveRule } from './moved-tables.ts';

/** Converts a row for the other database: encrypted with its key, never due yet, and not claimed. */
export function carryRow(move: Move, table: string, row: SqlRow): SqlRow {
  return withDueAway(table, sealAnew(move, table, row));
}

/**
 * Converts a row of either database for comparison: decrypted, with the real due time, and without ids of one database
 * only.
 */
export function plainRow(move: Move, side: 'from' | 'to', table: string, row: SqlRow): SqlRow {
  const plain = { ...row };
  for (const kind of move.kinds.filter((each) => each.table === table)) {
    const sealed = row[kind.column];
    if (typeof sealed === 'string') plain[kind.column] = plainText(move, side, kind, row, sealed);
  }
  const due = dueOf(table);
  if (due !== undefined) {
    const time = plain[due.column];
    if (typeof time === 'number' && time >= AHEAD_MS) plain[due.column] = time - AHEAD_MS;
    if (due.lease === true) delete plain.lease;
  }
  return plain;
}

function sealAnew(move: Move, table: string, row: SqlRow): SqlRow {
  const kinds = move.kinds.filter((kind) => kind.table === table && typeof row[kind.column] === 'string');
  if (kinds.length === 0 || haveOneKey(move)) return row;
  const sealed = kinds.map((kind) => {
    const text = plainText(move, 'from', kind, row, row[kind.column] as string);
    return [kind.column, sealAs(move.to, kind, row, text)] as const;
  });
  return { ...row, ...Object.fromEntries(sealed) };
}

/**
 * Decrypts a text. A text that was changed in the store outside this service cannot be decrypted: with one MASTER_KEY
 * on both sides it is copied as it is, otherwise `MoveRefusal` MOVE_SEAL_BROKEN is thrown.
 */
function plainText(move: Move, side: 'from' | 'to', kind: SealedKind, row: SqlRow, sealed: string): string {
  const text = openUnlessChanged(move[side], kind, row, sealed);
  if (text !== null) return text;
  if (haveOneKey(move)) return sealed;
  const name = kind.key.map((column) => String(row[column])).join(' ');
  throw new MoveRefusal(
    'MOVE_SEAL_BROKEN',
    `${kind.table} ${name}: somebody changed or moved its sealed text in the store, so it cannot be sealed with the key of the other database. Give both databases one MASTER_KEY, or put the text back from a backup.`,
  );
}

function haveOneKey({ from, to }: Move): boolean {
  return from.config.masterKey.equals(to.config.masterKey) && from.config.masterKeyPrevious === null;
}

function withDueAway(table: string, row: SqlRow): SqlRow {
  const due = dueOf(table);
  const time = due === undefined ? null : row[due.column];
  if (due === undefined || (due.state !== undefined && row.state !== due.state)) return row;
  const freed = due.lease === true ? { lease: null } : {};
  return typeof time === 'number' && time < AHEAD_MS ? { ...row, ...freed, [due.column]: time + AHEAD_MS } : row;
}

function dueOf(table: string): Due | undefined {
  const rule = (MOVED_TABLES as Record<string, MoveRule>)[table];
  return rule !== undefined && 'due' in rule ? rule.due : undefined;
}
