/**
 * The kinds of actors. `command line`: the account of the machine, where no user was named. `stranger`: somebody who was
 * refused and only claims to be `name`, or who opened a link that was made for a person without a user.
 */
export type ActorKind = 'person' | 'program' | 'command line' | 'stranger';

/**
 * The actor of a change, and where it came from: `name` is what records carry for ever (`recorded_by` and the like): a user's
 * e-mail address, with the API token where one acted (`shop@example.cl (token till 4)`), or `command line: USER@HOST`.
 * `origin` is the network of a request, or `USER@HOST` of a command.
 */
export type Actor = { kind: ActorKind; name: string; userId: string | null; origin: string | null };

/** A user's name where an API token acts. No e-mail address has a space, so the two are told apart again. */
export function nameWithToken(email: string, token: string): string {
  return `${email} (token ${token})`;
}

/** The name without the token: whose act it is, by whichever of its tokens. */
export function accountOf(name: string): string {
  return /^(\S+) \(token [\w. -]{1,60}\)$/.exec(name)?.[1] ?? name;
}

/** Whether who knows an API token of somebody may have done what they are recorded for: a program did it, or a token of a person. */
export function isOfToken(kind: 'person' | 'program', name: string): boolean {
  return kind === 'program' || accountOf(name) !== name;
}

/**
 * Somebody who was refused, by the account that he claims to have. Of an account that does not exist no more is kept than its
 * first letter and its domain: it may be anybody's.
 */
export function strangerActor(claimed: string, user: { id: string; email: string } | null, network: string): Actor {
  const name = user?.email ?? maskedAccount(claimed);
  return { kind: 'stranger', name, userId: user?.id ?? null, origin: network };
}

function maskedAccount(claimed: string): string {
  const [, first, domain] = /^([!-?A-~])[!-?A-~]{0,99}@([\w.-]{1,100})$/.exec(claimed) ?? [];
  return first === undefined ? 'unknown account' : `unknown account ${first}***@${domain}`;
}
