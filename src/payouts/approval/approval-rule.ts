import { accountOf, isOfToken } from '../../audit/actor.ts';
import type { TokenHolder } from '../../auth/tokens/api-token-queries.ts';
import { type ActOfUser, holdersAt } from '../../auth/tokens/token-holders.ts';
import type { NamedUser } from '../../auth/user-queries.ts';
import { payeeRefusal } from '../../bank-validation/bank-findings.ts';
import type { BankDirectory } from '../../bank-validation/directory/bank-directory.ts';
import type { InBoth } from '../../error-catalogue.ts';
import type { Payout } from '../payout.ts';
import { type RecipientRow, validUntil } from '../recipients/recipient.ts';

/** `users`: the users behind the payouts, from `findPeopleBehind`. `directory`: the current bank list. */
export type PayableTerms = {
  readonly now: number;
  readonly maxAgeDays: number;
  readonly users: readonly NamedUser[];
  readonly directory: BankDirectory;
};

/**
 * Returns why nobody can approve a payout as it is; null if it can be approved. `versions`: all versions of its
 * recipient, oldest first.
 */
export function whyNotPayable(
  payout: Payout,
  versions: readonly RecipientRow[],
  { now, maxAgeDays, users, directory }: PayableTerms,
): InBoth | null {
  const own = versions.find(({ version }) => version === payout.recipient_version);
  const newest = versions.at(-1);
  if (own === undefined || newest === undefined) {
    return { en: 'its recipient was erased: reject it.', es: 'su destinatario fue borrado: recházalo.' };
  }
  if (newest.account_hash !== own.account_hash) {
    return {
      en: 'the account of its recipient was changed after it was made: reject it and propose it again.',
      es: 'la cuenta de su destinatario cambió después de proponerlo: recházalo y proponlo de nuevo.',
    };
  }
  const { account_changed_by: changer, proposed_by_id: maker } = payout;
  if (isMadeWithToken(payout) && users.every(({ id }) => id !== maker)) return MADE_ELSEWHERE;
  if (changer?.startsWith('usr_') === true && users.every(({ id }) => id !== changer)) return CHANGED_ELSEWHERE;
  // The list may have changed since the payout was made.
  if (payeeRefusal(directory, payout.bank_code) !== null) return BANK_NOT_PAID;
  if (validUntil(newest, maxAgeDays) > now) return null;
  const command = `bin/rubrica recipient change ${payout.recipient_id}`;
  return {
    en: `the verdict of its account is too old: ${command} validates it again.`,
    es: `el veredicto de su cuenta es demasiado antiguo: ${command} la valida de nuevo.`,
  };
}

/**
 * For a payout from the database from which its payment service moved: an approver here may have known the API token
 * there.
 */
const MADE_ELSEWHERE = {
  en: 'it was made with an API token of another database: reject it and propose it again.',
  es: 'se propuso con un token de API de otra base de datos: recházalo y proponlo de nuevo.',
};

/**
 * For a payout from the database from which its payment service moved: an approver here may have changed the account
 * there.
 */
const CHANGED_ELSEWHERE = {
  en: 'its account was changed by a user who is not known in this database: reject it, validate the account again and propose it again.',
  es: 'cambió su cuenta un usuario que esta base de datos no conoce: recházalo, valida la cuenta de nuevo y proponlo otra vez.',
};

const BANK_NOT_PAID = {
  en: 'no transfer catalogue has its bank: import a bank list that confirms it, or reject it.',
  es: 'ningún catálogo de transferencias tiene su banco: importa una lista de bancos que lo confirme, o recházalo.',
};

const MADE_IT = {
  en: 'you made it yourself: another person approves it.',
  es: 'lo propusiste tú: lo aprueba otra persona.',
};
const CHANGED_ACCOUNT = {
  en: 'you changed the account that it goes to: another person approves it.',
  es: 'tú cambiaste la cuenta a la que va: lo aprueba otra persona.',
};
const HOLDS_TOKEN = {
  en: 'you may know an API token or the password of the user that made it: another person approves it.',
  es: 'puede que conozcas un token de API o la contraseña del usuario que lo propuso: lo aprueba otra persona.',
};
const HOLDS_TOKEN_OF_CHANGER = {
  en: 'you may know an API token or the password of the user that changed the account that it goes to: another person approves it.',
  es: 'puede que conozcas un token de API o la contraseña del usuario que cambió la cuenta a la que va: lo aprueba otra persona.',
};

/** The ids of the people who may never approve a payout, whatever their permissions, each with the reason. */
export type Barred = ReadonlyMap<string, InBoth>;

/**
 * The users of this database who made payouts or changed accounts, and the people who know their API tokens or
 * passwords.
 */
export type PeopleBehind = { readonly users: readonly NamedUser[]; readonly holders: readonly TokenHolder[] };

/**
 * Returns the people who may never approve a payout:
 * - Its maker. The maker has another id in a database to which the payment service moved.
 * - If the account differs from the one paid last: everybody who changed it or validated it again since.
 * - If a program or an API token made the payout, or one of those who changed the account has ever used an API token:
 *   everybody who made a token of that user before the act, if the token was not yet revoked or expired, and everybody
 *   who had set a program's password.
 *
 * `versions`: all versions of its recipient. `behind`: the result of `findPeopleBehind`. `selectWaitingApprovals` has
 * the same rule in SQL.
 */
export function barredFrom(
  payout: Payout,
  versions: readonly RecipientRow[],
  { users, holders }: PeopleBehind,
): Barred {
  const { account_changed_by, account_hash, recipient_version, created_at } = payout;
  const barred = new Map<string, InBoth>();
  const barHolders = (known: readonly TokenHolder[], act: ActOfUser, why: InBoth) => {
    for (const holder of holdersAt(known, act)) barred.set(holder, why);
  };
  const makers = makersOf(payout, users);
  if (isMadeWithToken(payout)) for (const by of makers) barHolders(holders, { by, at: created_at }, HOLDS_TOKEN);
  if (account_changed_by !== null) {
    const kept = versions.filter((row) => row.account_hash === account_hash && row.version <= recipient_version);
    const changes = kept.map((row) => ({ by: row.created_by, at: row.created_at }));
    // A version of a recipient does not record whether an API token was used.
    const acting = holders.filter(({ any_act }) => any_act === 1);
    for (const change of changes) barHolders(acting, change, HOLDS_TOKEN_OF_CHANGER);
    for (const by of [account_changed_by, ...changes.map((change) => change.by)]) barred.set(by, CHANGED_ACCOUNT);
  }
  for (const maker of makers) barred.set(maker, MADE_IT);
  return barred;
}

/** Returns whether a program, or an API token of a person, made the payout. */
export function isMadeWithToken({ proposed_kind, proposed_by }: Payout): boolean {
  return isOfToken(proposed_kind, proposed_by);
}

/** Returns the maker's user ids: the one stored with the payout, and the one in this database. */
export function makersOf({ proposed_by, proposed_by_id }: Payout, users: readonly NamedUser[]): string[] {
  const email = accountOf(proposed_by);
  return [proposed_by_id, ...users.filter((user) => user.email === email).map(({ id }) => id)];
}
