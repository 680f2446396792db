import type { FieldKind } from './field.ts';
import { SigningKey } from './hmac.ts';
import { needNode, node } from './platform.ts';
import type { CauseCode } from './signature-causes.ts';

/** One name and value as the signer may have joined them. `kind` is how the value was sent. */
export type Part = { readonly name: string; readonly text: string; readonly kind: FieldKind };

/** One way in which a signer may have come to a signature. A hypothesis changes one thing about it. */
export type Draft = {
  readonly parts: readonly Part[];
  readonly order: Order;
  readonly layout: Layout;
  readonly encoding: 'utf8' | 'latin1';
  readonly secret: string | Uint8Array;
  readonly key: SigningKey;
  /** Null for the HMAC of the protocol. */
  readonly recipe: Recipe | null;
};

export type Order = (left: Part, right: Part) => number;
export type Layout = (parts: readonly Part[]) => string;
export type Recipe = (hash: string, message: Uint8Array, secret: string | Uint8Array) => Uint8Array;

/** One thing that may have been different where the signature was made. `apply` gives null when it changes nothing. */
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

/** The draft with other parts, brought into its order. */
export function withParts(draft: Draft, parts: readonly Part[]): Draft {
  return { ...draft, parts: parts.toSorted(draft.order) };
}

/** The draft with one value changed; null when there is no such part or nothing changes. */
export function withText(draft: Draft, name: string, change: (text: string) => string): Draft | null {
  const place = draft.parts.findIndex((part) => part.name === name);
  const part = draft.parts[place];
  const text = part === undefined ? undefined : change(part.text);
  if (part === undefined || text === undefined || text === part.text) return null;
  const parts = draft.parts.with(place, { ...part, text });
  // A value moves its part only where values take part in the order.
  return draft.order === byName ? { ...draft, parts } : withParts(draft, parts);
}

/** The draft with another key. */
export function withSecret(draft: Draft, secret: string | Uint8Array): Draft {
  return { ...draft, secret, key: new SigningKey(secret) };
}

/** True when signing the draft with HMAC or its own recipe gives the received digest. */
export function proves(draft: Draft, received: Uint8Array, hash: string): boolean {
  const message = draft.layout(draft.parts);
  const digest =
    draft.recipe === null && hash === 'sha256' && draft.encoding === 'utf8'
      ? Buffer.from(draft.key.sign(message), 'hex')
      : (draft.recipe ?? hmac)(hash, Buffer.from(message, draft.encoding), draft.secret);
  return digest.length === received.length && cryptoOfNode().timingSafeEqual(digest, received);
}

const hmac: Recipe = (hash, message, secret) => hmacOf(hash, secret, message);

/** The HMAC of the pieces, one after the other. */
export function hmacOf(
  hash: string,
  key: string | Uint8Array,
  ...pieces: readonly (string | Uint8Array)[]
): Uint8Array {
  const hmac = cryptoOfNode().createHmac(hash, key);
  for (const piece of pieces) hmac.update(piece);
  return hmac.digest();
}

/** A plain hash of the pieces, one after the other. */
export function digestOf(hash: string, ...pieces: readonly (string | Uint8Array)[]): Uint8Array {
  const digest = cryptoOfNode().createHash(hash);
  for (const piece of pieces) digest.update(piece);
  return digest.digest();
}

/** Byte order for ASCII, as a comparison function. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Web Crypto has no MD5, and answers later. */
function cryptoOfNode(): NonNullable<typeof node>['crypto'] {
  return node?.crypto ?? needNode();
}
