import type { SqlRow } from '../db/database.ts';
import { chainHash } from '../lib/hash-chain.ts';
import type { ActorKind } from './actor.ts';

/** A row of `audit_log`, which is also a link of its chain. `said_before` and `said_after` are JSON. */
export type AuditRow = SqlRow & {
  link: number;
  /** UTC milliseconds. */
  created_at: number;
  actor_kind: ActorKind;
  actor: string;
  user_id: string | null;
  origin: string | null;
  action: string;
  subject_kind: string;
  subject: string;
  said_before: string | null;
  said_after: string | null;
  reason: string | null;
  hash: string;
};

/** All columns except the hash, in hash order. */
export const AUDIT_COLUMNS = [
  'link',
  'created_at',
  'actor_kind',
  'actor',
  'user_id',
  'origin',
  'action',
  'subject_kind',
  'subject',
  'said_before',
  'said_after',
  'reason',
] as const;

/** Returns the hash of a row: over the previous row's hash and the JSON array of its columns, as in docs/audit.md. */
export function auditHash(previous: string, row: Omit<AuditRow, 'hash'>): string {
  return chainHash(previous, [AUDIT_COLUMNS.map((column) => row[column])]);
}
