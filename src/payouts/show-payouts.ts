import type { App } from '../app.ts';
import { currentDirectory } from '../bank-validation/directory/current-directory.ts';
import { dayOf } from '../lib/calendar-day.ts';
import type { AccountType } from '../payout-senders/payout-sender.ts';
import { ALIKE_MS, type AlikePayout, selectAlike } from './approval/alike-payout-queries.ts';
import { type Barred, barredFrom, type PayableTerms, whyNotPayable } from './approval/approval-rule.ts';
import { selectApprovers } from './approval/approver-queries.ts';
import { findPeopleBehind } from './approval/find-people-behind.ts';
import { selectAccountTypes } from './files/payout-file-queries.ts';
import { STATE_NAMES } from './kept-texts.ts';
import { type Payout, payoutMoney } from './payout.ts';
import { payableBalance } from './payout-balance.ts';
import { selectLastAccounts } from './payout-queries.ts';
import { wishOf } from './payout-wish.ts';
import type { RecipientDetails, RecipientRow } from './recipients/recipient.ts';
import { selectRecipientVersions } from './recipients/recipient-queries.ts';
import { detailsPaid } from './recipients/seal-recipient.ts';

/** A warning for the approver. The codes are stable; the text is for people, in both languages. */
export type PayoutWarning = {
  code: 'ACCOUNT_CHANGED' | 'SAME_AMOUNT' | 'EQUAL_WITHOUT_RESULT' | 'NOT_PAYABLE' | 'NO_APPROVER' | 'NOT_COVERED';
  text: { en: string; es: string };
};

/**
 * A payout with its recipient and warnings. `recipient` null: erased, or changed in the store. `accountType` null: no
 * person set the type of the account. `verdictDays`: the age of the verdict in days. `isFirst`: it waits for approval,
 * and no payout to the RUT has left.
 */
export type ShownPayout = {
  payout: Payout;
  recipient: (Pick<RecipientDetails, 'name' | 'rut' | 'email'> & { id: string; version: number }) | null;
  accountType: AccountType | null;
  verdictDays: number;
  isFirst: boolean;
  warnings: PayoutWarning[];
  /** The people who may never approve the payout. */
  barred: Barred;
  /** The addresses of the people who may approve it now; none if it does not wait for approval. */
  signers: readonly string[];
};

const DAY_MS = 86_400_000;
const WITHOUT_RESULT = ['awaiting_approval', 'approved', 'sent', 'unknown'];

/** Returns payouts with their recipients and warnings, in the same order. */
export async function showPayouts(app: App, payouts: readonly Payout[]): Promise<ShownPayout[]> {
  const groups = Map.groupBy(payouts, ({ environment_id }) => environment_id);
  const shown = new Map<string, ShownPayout>();
  for (const [environmentId, some] of groups) {
    for (const one of await showSome(app, environmentId, some)) shown.set(one.payout.id, one);
  }
  return payouts.map(({ id }) => shown.get(id) as ShownPayout);
}

async function showSome(app: App, environmentId: number, payouts: readonly Payout[]): Promise<ShownPayout[]> {
  const now = app.now();
  const ids = payouts.map(({ id }) => id);
  const kept = await selectRecipientVersions(app.db, payouts);
  const versions = Map.groupBy(kept, ({ id }) => id);
  const detailsOf = detailsPaid(app, kept);
  const types = await selectAccountTypes(app.db, environmentId, payouts);
  const alike = alikeOf(await selectAlike(app.db, environmentId, ids, now - ALIKE_MS));
  const waits = payouts.some(({ state }) => state === 'awaiting_approval');
  const approvers = waits ? await selectApprovers(app.db, environmentId) : new Map<string, string>();
  const behind = waits ? await findPeopleBehind(app.db, payouts, kept) : { users: [], holders: [] };
  const paid = waits ? await selectLastAccounts(app.db, environmentId, rutsOf(payouts)) : [];
  const paidRuts = new Set(paid.map(({ rut_hash }) => rut_hash));
  const directory = await currentDirectory(app);
  const available = waits ? await payableBalance(app, environmentId) : 0;
  return payouts.map((payout) => {
    const own = versions.get(payout.recipient_id) ?? [];
    const barred = barredFrom(payout, own, behind);
    const warnings = [...changed(payout), ...same(alike(payout))];
    if (payout.state === 'awaiting_approval') {
      const terms = { now, maxAgeDays: app.config.verdictMaxAgeDays, users: behind.users, directory };
      warnings.push(...hindrances(payout, own, { ...terms, approvers, barred }));
      if (payout.amount > available) {
        const left = payoutMoney(available);
        const text = {
          en: `Only ${left} are available: it cannot be approved now.`,
          es: `Solo hay ${left} disponibles: no se puede aprobar ahora.`,
        };
        warnings.push({ code: 'NOT_COVERED', text });
      }
    }
    return {
      payout,
      recipient: shownRecipient(payout, detailsOf(payout)),
      accountType: types.get(payout.account_hash) ?? null,
      verdictDays: Math.floor((now - payout.validated_at) / DAY_MS),
      isFirst: payout.state === 'awaiting_approval' && !paidRuts.has(payout.rut_hash),
      warnings,
      barred,
      signers:
        payout.state === 'awaiting_approval'
          ? [...approvers].flatMap(([id, email]) => (barred.has(id) ? [] : [email]))
          : [],
    };
  });
}

function rutsOf(payouts: readonly Payout[]): string[] {
  return [...new Set(payouts.map(({ rut_hash }) => rut_hash))];
}

function changed({ account_changed_by }: Payout): PayoutWarning[] {
  if (account_changed_by === null) return [];
  const text = {
    en: 'When it was proposed, the account of this RUT had changed, and nothing had been paid to the new one.',
    es: 'Cuando se propuso, la cuenta de este RUT había cambiado, y a la nueva no se le había pagado nada.',
  };
  return [{ code: 'ACCOUNT_CHANGED', text }];
}

/** `first`: the newest payout like another; `waiting`: the newest of those without a result. */
type Alike = { first: AlikePayout | undefined; waiting: AlikePayout | undefined };

/**
 * Returns a function that finds the payouts like a given one in `all`, which is newest first. Parts of one wish are not
 * duplicates, and there may be thousands, so it keeps only two payouts of each group, of different wishes.
 */
function alikeOf(all: readonly AlikePayout[]): (payout: Payout) => Alike {
  const groupOf = ({ rut_hash, amount, currency }: AlikePayout | Payout) => `${rut_hash} ${amount} ${currency}`;
  const firstsOf = (some: readonly AlikePayout[]) =>
    new Map(
      [...Map.groupBy(some, groupOf)].map(([group, [first, ...others]]) => {
        const wish = wishOf(first?.reference ?? '');
        return [group, [first, others.find(({ reference }) => wishOf(reference) !== wish)]] as const;
      }),
    );
  const [firsts, waiting] = [firstsOf(all), firstsOf(all.filter(({ state }) => WITHOUT_RESULT.includes(state)))];
  return (payout) => {
    const wish = wishOf(payout.reference);
    const otherIn = (found: typeof firsts) =>
      found.get(groupOf(payout))?.find((one) => one !== undefined && wishOf(one.reference) !== wish);
    return { first: otherIn(firsts), waiting: otherIn(waiting) };
  };
}

function same({ first, waiting }: Alike): PayoutWarning[] {
  const inEnglish = ({ id, state, created_at }: AlikePayout) =>
    `${id} of ${dayOf(created_at)} (${STATE_NAMES[state].en})`;
  const inSpanish = ({ id, state, created_at }: AlikePayout) =>
    `${id} del ${dayOf(created_at)} (${STATE_NAMES[state].es})`;
  if (first === undefined) return [];
  const warnings: PayoutWarning[] = [
    {
      code: 'SAME_AMOUNT',
      text: {
        en: `Same RUT and amount as ${inEnglish(first)}.`,
        es: `Mismo RUT y monto que ${inSpanish(first)}.`,
      },
    },
  ];
  if (waiting !== undefined) {
    warnings.push({
      code: 'EQUAL_WITHOUT_RESULT',
      text: {
        en: `An equal one is still without a result: ${inEnglish(waiting)}.`,
        es: `Uno igual sigue sin resultado: ${inSpanish(waiting)}.`,
      },
    });
  }
  return warnings;
}

type Terms = PayableTerms & { approvers: ReadonlyMap<string, string>; barred: Barred };

function hindrances(payout: Payout, versions: readonly RecipientRow[], terms: Terms): PayoutWarning[] {
  const why = whyNotPayable(payout, versions, terms);
  const warnings: PayoutWarning[] = [];
  if (why !== null) {
    const text = { en: `It cannot be approved: ${why.en}`, es: `No se puede aprobar: ${why.es}` };
    warnings.push({ code: 'NOT_PAYABLE', text });
  }
  if ([...terms.approvers.keys()].every((id) => terms.barred.has(id))) {
    const text = {
      en: 'There is nobody who may approve it: bin/rubrica user create --role approver.',
      es: 'No hay nadie que pueda aprobarlo: bin/rubrica user create --role approver.',
    };
    warnings.push({ code: 'NO_APPROVER', text });
  }
  return warnings;
}

function shownRecipient(payout: Payout, details: RecipientDetails | null): ShownPayout['recipient'] {
  if (details === null) return null;
  const { name, rut, email } = details;
  return { id: payout.recipient_id, version: payout.recipient_version, name, rut, email };
}
