import type { FieldKind } from './field.ts';
import { SigningKey } from './hmac.ts';
import { needNode, node } from './platform.ts';
import type { CauseCode } from './signature-causes.ts';

/** A name and value as the signer may have joined them. `kind` is how the value was sent. */
export type Part = { readonly name: string; readonly text: string; readonly kind: FieldKind };

/** A way in which a signer may have computed a signature. A hypothesis changes one part of it. */
export type Draft = {
  readonly parts: readonly Part[];
  readonly order: Order;
  readonly layout: Layout;
  readonly encoding: 'utf8' | 'latin1';
  readonly secret: string | Uint8Array;
  readonly key: SigningKey;
  /** Null: the HMAC of the protocol. */
  readonly recipe: Recipe | null;
};

export type Order = (left: Part, right: Part) => number;
export type Layout = (parts: readonly Part[]) => string;
export type Recipe = (hash: string, message: Uint8Array, secret: string | Uint8Array) => Uint8Array;

/** A possible mistake in signing. `apply` returns null if it changes nothing. */
export type Hypothesis = {
  readonly code: CauseCode;
  readonly field: string | null;
  readonly apply: (draft: Draft) => Draft | null;
};

export const byName: Order = (left, right) => compareText(left.name, right.name);
export const concatenated: Layout = (parts) => {
  let message = '';
  for (const { name, text } of parts) message += name + text;
  return message;
};

/** Returns the draft with other parts, sorted in its order. */
export function withParts(draft: Draft, parts: readonly Part[]): Draft {
  return { ...draft, parts: parts.toSorted(draft.order) };
}

/** Returns the draft with one value changed; null if the part does not exist or does not change. */
export function withText(draft: Draft, name: string, change: (text: string) => string): Draft | null {
  const place = draft.parts.findIndex((part) => part.name === name);
  const part = draft.parts[place];
  const text = part === undefined ? undefined : change(part.text);
  if (part === undefined || text === undefined || text === part.text) return null;
  const parts = draft.parts.with(place, { ...part, text });
  // A changed value moves its part only if values affect the order.
  return draft.order === byName ? { ...draft, parts } : withParts(draft, parts);
}

/** Returns the draft with another key. */
export function withSecret(draft: Draft, secret: string | Uint8Array): Draft {
  return { ...draft, secret, key: new SigningKey(secret) };
}

/** Returns whether signing the draft gives the received digest, with HMAC or its own recipe. */
export function proves(draft: Draft, received: Uint8Array, hash: string): boolean {
  const message = draft.layout(draft.parts);
  const digest =
    draft.recipe === null && hash === 'sha256' && draft.encoding === 'utf8'
      ? Buffer.from(draft.key.sign(message), 'hex')
      : (draft.recipe ?? hmac)(hash, Buffer.from(message, draft.encoding), draft.secret);
  return digest.length === received.length && cryptoOfNode().timingSafeEqual(digest, received);
}

const hmac: Recipe = (hash, message, secret) => hmacOf(hash, secret, message);

/** Computes the HMAC of the pieces in sequence. */
export function hmacOf(
  hash: string,
  key: string | Uint8Array,
  ...pieces: readonly (string | Uint8Array)[]
): Uint8Array {
  const hmac = cryptoOfNode().createHmac(hash, key);
  for (const piece of pieces) hmac.update(piece);
  return hmac.digest();
}

/** Computes a plain hash of the pieces in sequence. */
export function digestOf(hash: string, ...pieces: readonly (string | Uint8Array)[]): Uint8Array {
  const digest = cryptoOfNode().createHash(hash);
  for (const piece of pieces) digest.update(piece);
  return digest.digest();
}

/** Compares two texts in byte order, for ASCII. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Returns Node's crypto: Web Crypto has no MD5 and is asynchronous. */
function cryptoOfNode(): NonNullable<typeof node>['crypto'] {
  return node?.crypto ?? needNode();
}
