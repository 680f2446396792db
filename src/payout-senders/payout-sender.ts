/** The environment of the merchant's tokens. In `development` no sender may move money. */
type Environment = 'development' | 'production';

/** A transfer to look up at a sender. Amounts are in minor units of `currency`. */
export type Transfer = {
  /** Our id, never reused: the sender's idempotency key, and the key for look-ups. */
  readonly id: string;
  readonly environment: Environment;
  readonly amount: number;
  readonly currency: string;
  /** When it was sent, UTC milliseconds, stored before sending; null: not sent. */
  readonly sentAt: number | null;
};

/** The kinds of accounts: checking (corriente), savings (ahorro), sight (vista, CuentaRUT, prepaid). */
export const ACCOUNT_TYPES = ['checking', 'savings', 'sight'] as const;

export type AccountType = (typeof ACCOUNT_TYPES)[number];

/** The data that a sender or a line of a bank file needs to pay a payout. `amount` is in minor units: whole pesos. */
export type PayoutLine = {
  readonly amount: number;
  /** The merchant's id. */
  readonly reference: string;
  /** Canonical, such as `12345678-5`. */
  readonly rut: string;
  readonly name: string;
  readonly email: string | null;
  /** Three digits. */
  readonly bankCode: string;
  /** Digits, with leading zeros. */
  readonly account: string;
  /** Null: nobody has set it. */
  readonly accountType: AccountType | null;
  /** The text that the recipient reads. */
  readonly message: string;
};

/** A transfer with all data that a sender needs to send it. */
export type TransferOrder = Transfer & PayoutLine;

/**
 * A sender's answer about a transfer.
 *
 * `confirmed`: it arrived. `failed`: it did not arrive and never will. `returned`: it arrived and came back. `pending`:
 * the sender has it and will know later. `unknown`: no answer; the money may have left. `contradiction`: the answer is
 * about another transfer or amount, and changes no state. `reason` names no person and no account.
 */
export type SenderAnswer =
  | { readonly kind: 'confirmed' | 'pending' | 'unknown' }
  | { readonly kind: 'failed' | 'returned'; readonly reason: string }
  | { readonly kind: 'contradiction'; readonly says: SenderContradiction };

/** The answer is about another transfer or another amount. */
export type SenderContradiction = 'another transfer' | `amount ${string}`;

/** The reason that is stored if a sender gives none. */
export type SenderSilence = 'no reason was given';

/**
 * An answer, or `absent`: the sender is certain that it never received this transfer. A sender that is not certain
 * answers `unknown`.
 */
export type LookUpAnswer = SenderAnswer | { readonly kind: 'absent' };

/**
 * A program that sends payouts; `test/contracts/payout-sender.contract.ts` describes it.
 *
 * Each transfer is looked up first, then sent once, and afterwards only looked up. A transfer without an answer is
 * never sent again.
 */
export type PayoutSender = {
  readonly code: 'simulated' | 'http';
  /** Sends the transfer. Throwing means `unknown`. */
  send(order: TransferOrder): Promise<SenderAnswer>;
  /** Returns the state of a transfer and changes nothing. Throwing means `unknown`. */
  lookUp(transfer: Transfer): Promise<LookUpAnswer>;
};

/** A sender as set by the operator. */
export type SenderSetting = {
  readonly kind: 'simulated' | 'http';
  readonly environment: Environment;
  readonly url: string | null;
  /** Sent as a bearer token. */
  readonly key: string | null;
};

/**
 * Returns the adapter of a setting. Throws if it does not fit the environment: the simulated sender is only for
 * development.
 */
export type OpenPayoutSender = (setting: SenderSetting) => PayoutSender;
