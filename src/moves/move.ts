import type { App } from '../app.ts';
import type { SqlRow } from '../db/database.ts';
import type { BroughtCut } from '../outbox/feed/feed-cut.ts';
import type { SealedKind } from '../sealing/sealed-kind.ts';
import type { Scope } from './owner.ts';

/** A row of `moves`. Times are UTC milliseconds; `environment_ids` and `progress` are JSON. */
export type MoveRow = SqlRow & {
  id: string;
  payment_service_id: string;
  direction: 'out' | 'in';
  state: 'copying' | 'moved' | 'undone';
  environment_ids: string;
  /** The public address of the other database's service. */
  address: string;
  began_at: number;
  began_by: string;
  changed_at: number;
  paused_until: number | null;
  /** For an outgoing move: when this database learned of the arrival; null until then. */
  arrived_at: number | null;
  progress: string;
};

/** The progress of the copy, stored in the target database. */
export type Progress = {
  /** The name of the command that copies. A second command takes the move over, and the first stops. */
  mover: string;
  /** By table: the key of the last copied row, or `true` once all rows were copied. */
  tables: Record<string, readonly (string | number)[] | true>;
  /** The place in the source feed up to which events were copied. */
  feed: { commit_id: number; position: number; events: number };
  /** Up to when the source lacks events for their age; sealed by the target, and absent if nothing was ever deleted. */
  cut?: BroughtCut;
};

/** Both sides of a move under way. `kinds`: the kinds of encrypted columns in the store. */
export type Move = {
  readonly id: string;
  readonly from: App;
  readonly to: App;
  readonly kinds: readonly SealedKind[];
  readonly scope: Scope;
  readonly progress: Progress;
  /** The milliseconds until every process has read that requests wait. */
  readonly pauseSeenMs: number;
  /** Called now and then with the progress. */
  readonly onProgress: (said: MoveProgress) => void;
};

export type MoveProgress = {
  readonly step: 'copy' | 'compare' | 'switch';
  readonly table: string;
  readonly rows: number;
};

export type MoveRefusalCode =
  | 'MOVE_UNKNOWN'
  | 'MOVE_ELSEWHERE'
  | 'MOVE_TO_ITSELF'
  | 'MOVE_TAKEN'
  | 'MOVE_SECRET_HELD'
  | 'MOVE_UNDER_WAY'
  | 'MOVE_IDS_TAKEN'
  | 'MOVE_KEYS_DIFFER'
  | 'MOVE_AFTER_RESTORE'
  | 'MOVE_TAKEN_OVER'
  | 'MOVE_DIFFERS'
  | 'MOVE_SEAL_BROKEN'
  | 'MOVE_ARRIVED'
  | 'MOVE_WITHOUT_ADDRESS';

/** The reason why a payment service is not moved. The message tells the operator what to do. */
export class MoveRefusal extends Error {
  readonly code: MoveRefusalCode;

  constructor(code: MoveRefusalCode, message: string) {
    super(message);
    this.name = 'MoveRefusal';
    this.code = code;
  }
}

/** The progress before any copy. */
export const NO_PROGRESS: Omit<Progress, 'mover'> = { tables: {}, feed: { commit_id: 0, position: 0, events: 0 } };

/** Returns the public address of a database's service. Throws `MoveRefusal` if it is not set. */
export function addressOf({ config }: App): string {
  if (config.publicUrl === null)
    throw new MoveRefusal(
      'MOVE_WITHOUT_ADDRESS',
      'Set PUBLIC_URL on both sides: shops are told where a payment service went.',
    );
  return `${config.publicUrl}${config.basePath}`;
}
