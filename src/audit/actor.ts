import type { Tx } from '../db/database.ts';

/**
 * The kinds of actors. `command line`: the account of the machine, if no user was named. `stranger`: a refused caller
 * who only claims to be `name`, or a person without a user who opened a one-time link.
 */
export type ActorKind = 'person' | 'program' | 'command line' | 'stranger';

/**
 * The actor of a change, and its origin. `name` is stored permanently (`recorded_by` and the like): a user's e-mail
 * address, with the API token if one acted (`shop@example.cl (token till 4)`), or `command line: USER@HOST`. `origin`
 * is the network of a request, or `USER@HOST` of a command. `requireStill`: of a user; `recordAudit` calls it in the
 * commit of the act, with `environmentId` of the act. It throws `Problem`, or for a command `CommandError`, if the user
 * may no longer do it.
 */
export type Actor = {
  kind: ActorKind;
  name: string;
  userId: string | null;
  origin: string | null;
  requireStill?: (tx: Tx, environmentId?: number) => Promise<unknown>;
};

/** Returns how the other database of a move names the actor: the user is not known there. */
export function actorElsewhere({ kind, name, origin }: Actor): Actor {
  return { kind, name, userId: null, origin };
}

/** Adds an API token to a user's name. E-mail addresses have no spaces, so the two can be separated again. */
export function nameWithToken(email: string, token: string): string {
  return `${email} (token ${token})`;
}

const WITH_TOKEN = /^(\S+) \(token ([\w. -]{1,60})\)$/;

/** Returns the name without the token: the account that acted. */
export function accountOf(name: string): string {
  return WITH_TOKEN.exec(name)?.[1] ?? name;
}

/** Returns the name of the API token that acted; null: none. */
export function tokenOf(name: string): string | null {
  return WITH_TOKEN.exec(name)?.[2] ?? null;
}

/** Returns whether the holder of an API token may have done this: the actor is a program, or a token of a person. */
export function isOfToken(kind: 'person' | 'program', name: string): boolean {
  return kind === 'program' || accountOf(name) !== name;
}

/** Returns as a condition, for two SQL expressions, whether `accountOf` of the name is the account. */
export function isOfAccountSql(name: string, account: string): string {
  return `(${name} = ${account} or substr(${name}, 1, length(${account}) + 8) = ${account} || ' (token ')`;
}

/** Returns `isOfToken` as a condition on two columns. An e-mail address has no space. */
export function ofTokenSql(kind: string, name: string): string {
  return `(${kind} = 'program' or ${name} like '%@% (token %')`;
}

/**
 * Returns the actor for a refused caller by the claimed account. For an unknown account only its first letter and its
 * domain are stored, because it may be anybody's address.
 */
export function strangerActor(claimed: string, user: { id: string; email: string } | null, network: string): Actor {
  const name = user?.email ?? maskedAccount(claimed);
  return { kind: 'stranger', name, userId: user?.id ?? null, origin: network };
}

function maskedAccount(claimed: string): string {
  const [, first, domain] = /^([!-?A-~])[!-?A-~]{0,99}@([\w.-]{1,100})$/.exec(claimed) ?? [];
  return first === undefined ? 'unknown account' : `unknown account ${first}***@${domain}`;
}
