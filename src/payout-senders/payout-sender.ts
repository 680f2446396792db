/** The environment of the merchant's tokens. In `development` no sender may move money. */
type Environment = 'development' | 'production';

/** A transfer of ours, as a sender is asked what became of it. Amounts are in minor units of `currency`. */
export type Transfer = {
  /** Ours, unique for ever: the sender's idempotency key, and what the transfer is looked up by. */
  readonly id: string;
  readonly environment: Environment;
  readonly amount: number;
  readonly currency: string;
  /** UTC milliseconds at which it was handed over, written down before; null: it was not. */
  readonly sentAt: number | null;
};

/** A transfer with everything that a sender needs to carry it. */
export type TransferOrder = Transfer & {
  /** The id that the merchant gave it. */
  readonly reference: string;
  /** Canonical: `12345678-5`. */
  readonly rut: string;
  readonly name: string;
  readonly email: string | null;
  /** Three digits. */
  readonly bankCode: string;
  /** Digits, zeros kept. */
  readonly account: string;
  /** Null: nobody has said it. */
  readonly accountType: 'checking' | 'savings' | 'sight' | null;
  /** The text that the recipient reads. */
  readonly message: string;
};

/**
 * The answer of a sender about a transfer.
 *
 * `confirmed`: it arrived. `failed`: it did not and never will. `returned`: it arrived and came back. `pending`: the sender has
 * it and will know later. `unknown`: no answer, which is no refusal: the money may have left. `contradiction`: the answer is about
 * something else than was asked; it decides nothing. `reason` names no person and no account.
 */
export type SenderAnswer =
  | { readonly kind: 'confirmed' | 'pending' | 'unknown' }
  | { readonly kind: 'failed' | 'returned'; readonly reason: string }
  | { readonly kind: 'contradiction'; readonly says: SenderContradiction };

/** An answer about something else than was asked: another transfer, or another amount. */
export type SenderContradiction = 'another transfer' | `amount ${string}`;

/** Kept where a sender refuses without a reason. */
export type SenderSilence = 'no reason was given';

/** An answer, or `absent`: the sender is certain that it was never given this transfer. Where it cannot be, it says `unknown`. */
export type LookUpAnswer = SenderAnswer | { readonly kind: 'absent' };

/**
 * How payouts leave by a program; `test/contracts/payout-sender.contract.ts` describes it.
 *
 * Every transfer is looked up before it is handed over, handed over once, and from then on only looked up: what is not answered
 * is never sent again.
 */
export type PayoutSender = {
  readonly code: 'simulated' | 'http';
  /** Hands it over. Throwing means the same as `unknown`. */
  send(order: TransferOrder): Promise<SenderAnswer>;
  /** Asks what became of it, and changes nothing. Throwing means the same as `unknown`. */
  lookUp(transfer: Transfer): Promise<LookUpAnswer>;
};

/** A sender as an operator has set it. */
export type SenderSetting = {
  readonly kind: 'simulated' | 'http';
  readonly environment: Environment;
  readonly url: string | null;
  /** Sent as a bearer token. */
  readonly key: string | null;
};

/** The adapter for a setting. Throws where it does not fit the environment: the simulated one is for development alone. */
export type OpenPayoutSender = (setting: SenderSetting) => PayoutSender;
