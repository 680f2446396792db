import type { App } from '../../app.ts';
import { accountOf } from '../../audit/actor.ts';
import { sayLimits } from '../../auth/describe-rights.ts';
import { isPermission } from '../../auth/permission.ts';
import { saidPassword } from '../../auth/sign-in/password-proof.ts';
import type { FactContent } from '../../books/book-fact.ts';
import { type Findings, GONE } from '../proof-finding.ts';
import { selectAuditedSince, selectObjectsGone, selectUsersSaid, type UserSaid } from './act-check-queries.ts';
import { compareSaid } from './compare-said.ts';
import { type ActValues, pagesById, readAct, textsIn } from './read-acts.ts';

/** How many users were compared, and how many are older than the audit log: nothing vouches for their rights. */
export type RightsCoverage = { users: number; older: number };

const PAGE = 500;

/**
 * Compares every user with the last act about it: e-mail address, role, own permissions, payment services, own limits
 * of refunds, password, and whether the user is disabled. `arrivals`: payment services that arrived from another
 * database: with them users of the same address gain or lose the access without an act of their own.
 */
export async function verifyRights(
  app: App,
  findings: Findings,
  arrivals: ReadonlyMap<string, number>,
): Promise<RightsCoverage> {
  const coverage = { users: 0, older: 0 };
  const since = await selectAuditedSince(app.db);
  for await (const users of pagesById(PAGE, (after, limit) => selectUsersSaid(app.db, after, limit))) {
    for (const user of users) {
      coverage.users++;
      if (user.said === null && user.created_at < since) coverage.older++;
      else compareRights(findings, user, arrivals);
      comparePassword(findings, user);
    }
  }
  for (const { subject, said_at } of await selectObjectsGone(app.db, 'user.created', GONE)) {
    const says = `user ${subject} was deleted`;
    findings.add({ finding: 'rights_changed', environment_id: null, subject: `user ${subject}`, since: said_at, says });
  }
  return coverage;
}

function compareRights(findings: Findings, user: UserSaid, arrivals: ReadonlyMap<string, number>): void {
  const said = readAct(user.said);
  const [was, is] = [{ role: said['role'] ?? null } as FactContent, { role: user.role } as FactContent];
  for (const [member, [before, now]] of Object.entries({
    payment_services: servicesOf(user, said, arrivals),
    permissions: permissionsOf(user, said),
    refunds_a_day: limitsOf(user, said),
  })) {
    was[member] = before.toSorted().join(' ');
    is[member] = now.toSorted().join(' ');
  }
  was['disabled_at'] = user.turned === 'user.disabled' ? user.turned_at : null;
  is['disabled_at'] = user.disabled_at;
  // It never changes. Acts of earlier versions do not have it, but the user acted under it.
  const email = said['email'] ?? (user.acted_as === null ? null : accountOf(user.acted_as));
  if (email !== null) {
    was['email'] = textOf(email);
    is['email'] = user.email;
  }
  const act = { said: user.said === null ? null : JSON.stringify(was), said_at: user.turned_at ?? user.said_at };
  compareSaid(findings, 'rights_changed', null, `user ${user.id}`, act, is);
}

/**
 * An earlier password with its own proof would let in a person who knows it. Acts of earlier versions do not have the
 * proof.
 */
function comparePassword(findings: Findings, user: UserSaid): void {
  const { id, password_proof, set_at, set_link, set_said, accepted_at, accepted_link, accepted_said } = user;
  const isAccepted = (accepted_link ?? 0) > (set_link ?? 0);
  const [said, since] = isAccepted ? [accepted_said, accepted_at] : [set_said, set_at];
  const was = readAct(said)['password_proof_sha256'];
  if (was === undefined || was === saidPassword({ password_proof }).password_proof_sha256) return;
  const says = `user ${id}: the password is not the one that was set last`;
  findings.add({ finding: 'rights_changed', environment_id: null, subject: `user ${id}`, since, says });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The lists of an act and of the store. */
type Compared = [said: readonly string[], stored: readonly string[]];

function servicesOf(
  { all_payment_services, services }: UserSaid,
  said: ActValues,
  arrivals: ReadonlyMap<string, number>,
): Compared {
  const known = textsIn(said, 'payment_services') ?? [];
  const stored = all_payment_services === 1 ? ['all'] : listIn(services);
  const isVouchedFor = (id: string) => !arrivals.has(id);
  return [known.filter(isVouchedFor), stored.filter(isVouchedFor)];
}

/**
 * The permissions of the user alone. Acts of earlier versions have only the permissions together with the role's: a
 * granted one that is not among them was never granted, and a removed one cannot be told from one of the role.
 */
function permissionsOf({ granted }: UserSaid, said: ActValues): Compared {
  const stored = listIn(granted).filter(isPermission);
  const known = textsIn(said, 'granted');
  if (known !== null) return [known.filter(isPermission), stored];
  const all = textsIn(said, 'permissions') ?? [];
  return [stored.filter((permission) => all.includes(permission)), stored];
}

/** The limits of the user alone. Acts of earlier versions do not say whether limits are the user's or the role's. */
function limitsOf({ limits }: UserSaid, said: ActValues): Compared {
  const own = Object.fromEntries(
    listIn(limits).map((one) => {
      const [currency, most] = one.split(':');
      return [currency, Number(most)];
    }),
  );
  const stored = sayLimits(own);
  const isKnown = said['own_limits'] === true || (said['own_limits'] === undefined && stored.length > 0);
  return [isKnown ? (textsIn(said, 'refunds_a_day') ?? []) : [], stored];
}

function listIn(text: string | null): string[] {
  return text === null ? [] : text.split(' ');
}
