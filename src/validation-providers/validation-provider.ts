import type { NameMatch } from './compare-names.ts';

/** What a provider is asked: does this account belong to this RUT? */
export type HolderQuestion = {
  /** Ours, the same each time this question is put again: the provider's idempotency key. */
  readonly id: string;
  /** Canonical: `12345678-5`. */
  readonly rut: string;
  /** Three digits. */
  readonly bankCode: string;
  /** The digits as the caller sent them, zeros kept. */
  readonly account: string;
  /** The name that the caller expects the holder to have; null where none was given. Never kept longer than the question. */
  readonly name: string | null;
  /** How often this question has been put before. */
  readonly asks: number;
};

/**
 * The answer of a provider.
 *
 * `no_match` stands alike for no such account, another holder and a closed account; `detail` tells them apart for the
 * operator and is never shown to the caller. `nameMatch` says how well the name that was asked about fits that of the holder, null
 * where nobody compared them; the holder's name itself never leaves the provider's file. Everything from `not_checkable` on says nothing about the account.
 */
export type HolderAnswer =
  | { readonly kind: 'match' | 'close_match'; readonly expiresAt: number | null; readonly nameMatch: NameMatch | null }
  | { readonly kind: 'no_match'; readonly expiresAt: number | null; readonly detail: string | null }
  | { readonly kind: 'not_checkable' | 'opted_out' | 'timeout' | 'unavailable' }
  /** It will know later: put the same question again. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number };

/** The interface of every provider; `test/contracts/validation-provider.contract.ts` describes it. */
export type ValidationProvider = {
  readonly name: string;
  readonly version: string;
  /** Whether it speaks of real people. An invented holder needs no budget of his own, and a sandbox shares one. */
  readonly realHolders: boolean;
  /** Whether it has anything to say about this account. What it does not cover is never sent to it, nor charged. */
  covers(question: HolderQuestion): boolean;
  /** Never rejects: a failure of the provider is an answer, and no reason to think badly of the account. */
  ask(question: HolderQuestion): Promise<HolderAnswer>;
};
