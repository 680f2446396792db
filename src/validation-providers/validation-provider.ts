import type { NameMatch } from './compare-names.ts';

/** The question to a provider: does this account belong to this RUT? */
export type HolderQuestion = {
  /** Our id, the same each time this question is asked: the provider's idempotency key. */
  readonly id: string;
  /** Canonical, such as `12345678-5`. */
  readonly rut: string;
  /** Three digits. */
  readonly bankCode: string;
  /** The digits as the caller sent them, with zeros. */
  readonly account: string;
  /** The caller's name for the holder; null: not sent. Never stored longer than the question. */
  readonly name: string | null;
  /** How often this question was asked before. */
  readonly asks: number;
};

/**
 * The answer of a provider.
 *
 * `no_match` means no such account, another holder or a closed account; `detail` says which for the operator and is
 * never shown to the caller. `nameMatch`: how well the caller's name matches the holder's; null if nobody compared
 * them. The holder's name never leaves the provider's module. From `not_checkable` on, the answers say nothing about
 * the account.
 */
export type HolderAnswer =
  | { readonly kind: 'match' | 'close_match'; readonly expiresAt: number | null; readonly nameMatch: NameMatch | null }
  | { readonly kind: 'no_match'; readonly expiresAt: number | null; readonly detail: string | null }
  | { readonly kind: 'not_checkable' | 'opted_out' | 'timeout' | 'unavailable' }
  /** The provider will know later: ask the same question again. */
  | { readonly kind: 'pending' }
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number };

/** The interface of all providers; `test/contracts/validation-provider.contract.ts` describes it. */
export type ValidationProvider = {
  readonly name: string;
  readonly version: string;
  /** Whether the holders are real people. An invented holder needs no budget per RUT. */
  readonly realHolders: boolean;
  /** Returns whether the provider can answer about this account. Other accounts are not sent to it and cost nothing. */
  covers(question: HolderQuestion): boolean;
  /** Never rejects: a failure of the provider is an answer that says nothing about the account. */
  ask(question: HolderQuestion): Promise<HolderAnswer>;
};
