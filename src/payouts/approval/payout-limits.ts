import { payeeRefusal } from '../../bank-validation/bank-findings.ts';
import type { BankDirectory } from '../../bank-validation/directory/bank-directory.ts';
import type { Tx } from '../../db/database.ts';
import { findHeld } from '../../epochs/hold.ts';
import { type InBoth, Problem } from '../../error-catalogue.ts';
import { boundsOfDay, dayOf } from '../../lib/calendar-day.ts';
import type { Sum } from '../../lib/exact-sum.ts';
import type { WhyNotAutomatic } from '../kept-texts.ts';
import { type Payout, payoutMoney, totalOf } from '../payout.ts';
import { selectApprovedOfBatches, sumApproved, sumApprovedBy } from '../payout-queries.ts';
import { wishOf } from '../payout-wish.ts';
import { selectRecipientVersions } from '../recipients/recipient-queries.ts';
import { lockPersonLimit, type PayoutLimits, selectPayoutLimits } from './payout-limit-queries.ts';

const HOUR_MS = 3_600_000;

/**
 * Returns a sentence about the exceeded limit; null if no limit is exceeded. `amounts`: the requested amounts before
 * splitting. `inBatch`: the total of the batch; null for payouts without a batch.
 */
export function limitBroken(limits: PayoutLimits, amounts: readonly number[], inBatch: number | null): InBoth | null {
  const { per_payout, per_batch } = limits;
  if (per_payout !== null && amounts.some((amount) => amount > per_payout)) {
    return {
      en: `One payout may be ${payoutMoney(per_payout)} at most.`,
      es: `Un pago puede ser de ${payoutMoney(per_payout)} como máximo.`,
    };
  }
  if (inBatch !== null && per_batch !== null && inBatch > per_batch) {
    return {
      en: `A batch may be ${payoutMoney(per_batch)} at most, and this one is ${payoutMoney(inBatch)}.`,
      es: `Un lote puede ser de ${payoutMoney(per_batch)} como máximo, y este es de ${payoutMoney(inBatch)}.`,
    };
  }
  return null;
}

/**
 * Checks all limits for an approval. The caller holds the lock of the merchant's money, so that concurrent approvals
 * see each other; approvals by one person for several merchants wait for the lock of the personal limit. Throws
 * `Problem` PAYOUT_LIMIT_REACHED.
 */
export async function checkLimits(
  tx: Tx,
  { environmentId, userId, now }: Approval,
  payouts: readonly LimitedPayout[],
): Promise<void> {
  const total = totalOf(payouts);
  const limits = await selectPayoutLimits(tx, environmentId);
  if (limits.per_payout !== null || limits.per_batch !== null) await checkEach(tx, environmentId, limits, payouts);
  const since = boundsOfDay(dayOf(now)).from;
  if (limits.per_day !== null) {
    const approved = await sumApproved(tx, { environmentId, since });
    if (approved.total + total > limits.per_day) throw dayReached('merchant', limits.per_day, approved.total);
  }
  const own = await lockPersonLimit(tx, userId);
  if (own === null) return;
  const approved = await sumApprovedBy(tx, { userId, since });
  if (approved + total > own) throw dayReached('person', own, approved);
}

type Approval = { environmentId: number; userId: string; now: number };

type LimitedPayout = Pick<Payout, 'amount' | 'batch_id' | 'reference'>;

/**
 * Checks the limits per payout and per batch. Approved parts of the same wish and the same batch count too, so
 * approving in parts does not avoid a limit.
 */
async function checkEach(
  tx: Tx,
  environmentId: number,
  limits: PayoutLimits,
  payouts: readonly LimitedPayout[],
): Promise<void> {
  const ids = new Set(payouts.flatMap(({ batch_id }) => batch_id ?? []));
  const before = ids.size === 0 ? [] : await selectApprovedOfBatches(tx, environmentId, [...ids]);
  const approved = Map.groupBy(before, ({ batch_id }) => batch_id);
  for (const [batchId, asked] of Map.groupBy(payouts, ({ batch_id }) => batch_id)) {
    const all = [...(approved.get(batchId) ?? []), ...asked];
    const wishes = Map.groupBy(all, ({ reference }) => wishOf(reference));
    const amounts = [...new Set(asked.map(({ reference }) => wishOf(reference)))].map((wish) =>
      totalOf(wishes.get(wish) ?? []),
    );
    const broken = limitBroken(limits, amounts, batchId === null ? null : totalOf(all));
    if (broken !== null) throw new Problem('PAYOUT_LIMIT_REACHED', { detail: broken });
  }
}

type AutomaticTerms = { environmentId: number; now: number; payable: Sum; directory: BankDirectory };

/**
 * Returns why a program's payout waits for a person; null if it is approved automatically. The caller holds the lock of
 * the merchant's money. `directory`: the current bank list.
 */
export async function whyNotAutomatic(
  tx: Tx,
  { environmentId, now, payable, directory }: AutomaticTerms,
  payout: Payout,
): Promise<WhyNotAutomatic | null> {
  const { amount, account_changed_by } = payout;
  const limits = await selectPayoutLimits(tx, environmentId);
  const { automatic_per_payout: automatic, automatic_per_day: perDay, automatic_count_per_hour: perHour } = limits;
  if (automatic === null) return 'no automatic approval is set';
  // A program may request again what was paid after the backup was made.
  if ((await findHeld({ db: tx })) !== null) return 'the service was restored and is being compared';
  // A person may have lowered the limit of one payout since the request was checked.
  const most = Math.min(automatic, limits.per_payout ?? automatic);
  if (amount > most) return `above ${payoutMoney(most)}`;
  if (account_changed_by !== null) return 'the account was changed since the last payment';
  const why = await whyNotPaid(tx, payout, directory);
  if (why !== null) return why;
  if (amount > payable) return 'the balance does not cover it';
  const since = boundsOfDay(dayOf(now)).from;
  const day = await sumApproved(tx, { environmentId, since });
  if (limits.per_day !== null && day.total + amount > limits.per_day) return 'the limit of the day is reached';
  if (perDay !== null && day.automatic + amount > perDay) return 'the limit of a day for programs is reached';
  if (perHour === null) return null;
  const hour = await sumApproved(tx, { environmentId, since: now - HOUR_MS });
  return hour.automaticCount < perHour ? null : `more than ${perHour} in an hour`;
}

/**
 * Returns why the recipient is not paid as the program named it, although its account was checked: the validation of
 * the account may have taken a minute, and the list of banks and the recipient may have changed meanwhile.
 */
async function whyNotPaid(tx: Tx, payout: Payout, directory: BankDirectory): Promise<WhyNotAutomatic | null> {
  const newest = (await selectRecipientVersions(tx, [payout])).at(-1);
  if (newest === undefined) return 'its recipient was erased';
  if (newest.account_hash !== payout.account_hash) return 'the account of its recipient was changed';
  return payeeRefusal(directory, payout.bank_code) === null ? null : 'no transfer catalogue has its bank';
}

/** Names whose limit of a day is reached. Another person may have a higher one than this person. */
function dayReached(whose: 'merchant' | 'person', most: number, approved: number): Problem {
  const left = payoutMoney(Math.max(0, most - approved));
  const detail = {
    merchant: {
      en: `${payoutMoney(most)} a day may be approved for this merchant, and ${left} of it is left today.`,
      es: `Para este comercio se pueden aprobar ${payoutMoney(most)} al día, y hoy quedan ${left}.`,
    },
    person: {
      en: `You may approve ${payoutMoney(most)} a day, and ${left} of it is left today. Another person may approve it.`,
      es: `Puedes aprobar ${payoutMoney(most)} al día, y hoy te quedan ${left}. Puede aprobarlo otra persona.`,
    },
  };
  return new Problem('PAYOUT_LIMIT_REACHED', { detail: detail[whose] });
}
