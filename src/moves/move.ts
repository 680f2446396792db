import type { App } from '../app.ts';
import type { SqlRow } from '../db/database.ts';
import type { SealedKind } from '../sealing/sealed-kind.ts';
import type { Scope } from './owner.ts';

/** A row of `moves`. Times are UTC milliseconds; `environment_ids` and `progress` are JSON. */
export type MoveRow = SqlRow & {
  id: string;
  payment_service_id: string;
  direction: 'out' | 'in';
  state: 'copying' | 'moved' | 'undone';
  environment_ids: string;
  /** Of the other database's service, as the outside reaches it. */
  address: string;
  began_at: number;
  began_by: string;
  changed_at: number;
  paused_until: number | null;
  /** Of a move from here: when it was known here that it has arrived; null: it has not, or nobody has said so. */
  arrived_at: number | null;
  progress: string;
};

/** How far it is copied, as the database to which it goes says it. */
export type Progress = {
  /** The name of the command that copies: another that begins to takes the move over, and this one stops. */
  mover: string;
  /** By table: the key of the last row, or `true` where all were copied once. */
  tables: Record<string, readonly (string | number)[] | true>;
  /** The place in the feed it was copied from. */
  feed: { commit_id: number; position: number; events: number };
};

/** Both sides of a move that is under way. `kinds`: what is sealed in the store. */
export type Move = {
  readonly id: string;
  readonly from: App;
  readonly to: App;
  readonly kinds: readonly SealedKind[];
  readonly scope: Scope;
  readonly progress: Progress;
  /** Milliseconds after which every process has read that requests wait. */
  readonly pauseSeenMs: number;
  /** Told now and then of what was copied. */
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
  | 'MOVE_UNDER_WAY'
  | 'MOVE_IDS_TAKEN'
  | 'MOVE_KEYS_DIFFER'
  | 'MOVE_AFTER_RESTORE'
  | 'MOVE_TAKEN_OVER'
  | 'MOVE_DIFFERS'
  | 'MOVE_SEAL_BROKEN'
  | 'MOVE_ARRIVED'
  | 'MOVE_WITHOUT_ADDRESS';

/** Why a payment service is not moved. The message is a sentence for the operator, with what to do. */
export class MoveRefusal extends Error {
  readonly code: MoveRefusalCode;

  constructor(code: MoveRefusalCode, message: string) {
    super(message);
    this.name = 'MoveRefusal';
    this.code = code;
  }
}

/** Nothing is copied yet. */
export const NO_PROGRESS: Omit<Progress, 'mover'> = { tables: {}, feed: { commit_id: 0, position: 0, events: 0 } };

/** The address at which the outside reaches the service of a database. Throws `MoveRefusal` where it is not set. */
export function addressOf({ config }: App): string {
  if (config.publicUrl === null)
    throw new MoveRefusal(
      'MOVE_WITHOUT_ADDRESS',
      'Set PUBLIC_URL on both sides: shops are told where a payment service went.',
    );
  return `${config.publicUrl}${config.basePath}`;
}
