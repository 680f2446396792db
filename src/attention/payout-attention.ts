import type { App } from '../app.ts';
import {
  type ApprovalTerms,
  type Hindrance,
  type LeftBefore,
  measureWaitingApprovals,
  measureWaitingPayouts,
  selectWaitingApprovals,
  selectWaitingPayouts,
  type WaitingApproval,
  type WaitingPayout,
} from '../payouts/waiting-payout-queries.ts';
import type { AttentionKind, Waiting } from './attention.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Longer than a sender takes as a rule, and than a bank needs for a file over a weekend. */
const UNKNOWN_MS = HOUR;
const AT_SENDER_MS = DAY;
const IN_FILE_MS = 3 * DAY;
/** A payout that can be approved, or is approved and can leave, is listed after so long. What cannot be is listed at once. */
const NOT_LEFT_MS = DAY;

/** Payouts that left and have no end, or that something contradicts. */
export const PAYOUT_ATTENTION: AttentionKind = {
  kind: 'payout',
  nouns: ['payout without a result', 'payouts without a result'],
  measure: (app) => measureWaitingPayouts(app.db, leftBefore(app)),
  list: async (app, limit) => (await selectWaitingPayouts(app.db, leftBefore(app), limit)).map(waitingPayout),
};

/** Payouts that have not left: nobody has approved them, or can; or they are approved and nothing takes them. */
export const APPROVAL_ATTENTION: AttentionKind = {
  kind: 'approval',
  nouns: ['batch or payout that has not left', 'batches and payouts that have not left'],
  measure: (app) => measureWaitingApprovals(app.db, termsOf(app)),
  list: async (app, limit) => (await selectWaitingApprovals(app.db, termsOf(app), limit)).map(waitingApproval),
};

function leftBefore(app: App): LeftBefore {
  const now = app.now();
  return { unknown: now - UNKNOWN_MS, sender: now - AT_SENDER_MS, file: now - IN_FILE_MS };
}

function termsOf(app: App): ApprovalTerms {
  const now = app.now();
  return { now, before: now - NOT_LEFT_MS, validatedBefore: now - app.config.verdictMaxAgeDays * DAY };
}

function waitingPayout(payout: WaitingPayout): Waiting {
  const { id, since, amount, currency, state, contradiction, file_id, reason } = payout;
  const seen = '--evidence FILE --reason TEXT';
  const said =
    contradiction !== null
      ? `it is ${state}, and somebody says: ${contradiction}. Settle it where that is right; clear it where the state is`
      : file_id === null
        ? (reason ?? 'its sender has not said what became of it')
        : `the bank has not said what became of it: bin/rubrica payout result FILE --file ${file_id}`;
  const command =
    contradiction !== null
      ? `bin/rubrica payout clear ${id} ${seen}`
      : `bin/rubrica payout settle ${id} --outcome confirmed|failed|returned ${seen}`;
  return { ...ownerOf(payout), id, since, amount, currency, reason: said, command };
}

const HINDRANCES: Readonly<Record<Exclude<Hindrance, ''>, string>> = {
  approver: 'nobody who may approve it is left',
  erased: 'its recipient was erased, so nobody can approve it',
  changed: 'the account of its recipient was changed after it was made, so nobody can approve it',
  stale: 'the verdict of its account is too old, so nobody can approve it: validate it anew with recipient change',
};

function waitingApproval(waiting: WaitingApproval): Waiting {
  const { id, since, payouts, amount, currency } = waiting;
  const { said, command } = endOf(waiting, `bin/rubrica ${id.startsWith('pb_') ? 'batch' : 'payout'}`);
  const reason = payouts === 1 ? said : `${payouts} payouts: ${said}`;
  return { ...ownerOf(waiting), id, since, amount, currency, reason, command };
}

/** Why they wait, and the command that ends it; `group` begins those of a batch, or of a payout. */
function endOf({ id, state, hindrance, by_sender, payment_service }: WaitingApproval, group: string) {
  if (state === 'approved' && by_sender === 1) {
    return { said: 'approved, and its sender cannot be reached', command: `${group} cancel ${id} --reason TEXT` };
  }
  if (state === 'approved') {
    const command = `bin/rubrica payout file --payment-service ${payment_service} --format CODE --account NUMBER`;
    return { said: 'approved, and in no file yet', command };
  }
  if (hindrance === '') return { said: 'nobody has approved it', command: `${group} approve ${id} --as PERSON` };
  if (hindrance === 'approver') {
    const command = `bin/rubrica user create --email PERSON --role approver --payment-service ${payment_service}`;
    return { said: HINDRANCES.approver, command };
  }
  return { said: HINDRANCES[hindrance], command: `${group} reject ${id} --reason TEXT` };
}

function ownerOf({ payment_service, name, environment }: WaitingPayout | WaitingApproval) {
  return { payment_service, name, environment, transaction: null };
}
