import type { App } from '../app.ts';
import { findIndirectHolders } from '../auth/tokens/token-holders.ts';
import { unpaidBanks } from '../bank-validation/bank-findings.ts';
import { currentDirectory } from '../bank-validation/directory/current-directory.ts';
import type { InBoth } from '../error-catalogue.ts';
import { SECOND_LINE, sayReason } from '../payouts/kept-texts.ts';
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
import { bookingCommand, findSecondLines, type SecondLine, sayMissing } from '../statements/find-second-lines.ts';
import type { AttentionKind, Waiting } from './attention.ts';
import { sayPayoutContradiction } from './say-contradiction.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Longer than a sender usually takes, and than a bank needs for a file over a weekend. */
const UNKNOWN_MS = HOUR;
const AT_SENDER_MS = DAY;
const IN_FILE_MS = 3 * DAY;
/**
 * How long a payout may wait for its approval, or approved to be sent, before it is listed. A payout that cannot be
 * approved or sent is listed at once.
 */
const NOT_LEFT_MS = DAY;

/** Payouts that were sent and have not ended, or that have a contradiction. */
export const PAYOUT_ATTENTION: AttentionKind = {
  kind: 'payout',
  nouns: ['payout without a result', 'payouts without a result'],
  measure: (app) => measureWaitingPayouts(app.db, leftBefore(app)),
  list: async (app, limit) => {
    const waiting = await selectWaitingPayouts(app.db, leftBefore(app), limit);
    const isTwice = waiting.some(({ contradiction }) => contradiction === SECOND_LINE);
    const lines = isTwice ? await findSecondLines(app) : [];
    return waiting.map((payout) =>
      waitingPayout(
        payout,
        lines.find((one) => one.payout === payout.id),
      ),
    );
  },
};

/**
 * Payouts that were not sent: they wait for an approval or cannot be approved, or are approved and nothing sends them.
 */
export const APPROVAL_ATTENTION: AttentionKind = {
  kind: 'approval',
  nouns: ['batch or payout that has not left', 'batches and payouts that have not left'],
  measure: async (app) => measureWaitingApprovals(app.db, await termsOf(app)),
  list: async (app, limit) => (await selectWaitingApprovals(app.db, await termsOf(app), limit)).map(waitingApproval),
};

function leftBefore(app: App): LeftBefore {
  const now = app.now();
  return { unknown: now - UNKNOWN_MS, sender: now - AT_SENDER_MS, file: now - IN_FILE_MS };
}

async function termsOf(app: App): Promise<ApprovalTerms> {
  const now = app.now();
  const validatedBefore = now - app.config.verdictMaxAgeDays * DAY;
  const indirect = await findIndirectHolders(app.db);
  const unpaid = unpaidBanks(await currentDirectory(app));
  return { now, before: now - NOT_LEFT_MS, validatedBefore, indirect, unpaid };
}

/** `line`: its first second line in suspense. */
function waitingPayout(payout: WaitingPayout, line: SecondLine | undefined): Waiting {
  const { id, since, amount, currency, contradiction } = payout;
  const seen = '--evidence FILE --reason TEXT --as EMAIL';
  const end =
    contradiction !== null
      ? `bin/rubrica payout clear ${id} ${seen}`
      : `bin/rubrica payout settle ${id} --outcome confirmed|failed|returned ${seen}`;
  const command = line === undefined ? end : bookingCommand(line);
  const reason = withMissing(named(payout.reference, sayPayoutDoubt(payout)), line);
  return { ...ownerOf(payout), id, since, amount, currency, reason, command };
}

/** Adds to a reason that a second line cannot be booked yet. */
export function withMissing({ en, es }: InBoth, line: SecondLine | undefined): InBoth {
  const missing = line === undefined ? null : sayMissing(line);
  return missing === null ? { en, es } : { en: `${en}. ${missing.en}`, es: `${es}. ${missing.es}` };
}

/** Puts the name by which people know it before a reason. */
function named(name: string, { en, es }: InBoth): InBoth {
  return { en: `${name}: ${en}`, es: `${name}: ${es}` };
}

type DoubtedPayout = Pick<
  WaitingPayout,
  | 'id'
  | 'payment_service'
  | 'environment'
  | 'amount'
  | 'currency'
  | 'state'
  | 'reason'
  | 'contradiction'
  | 'contradicted_by'
  | 'file_id'
>;

/** Says why a payout without an end, or with a contradiction, waits for a person. */
export function sayPayoutDoubt(payout: DoubtedPayout): InBoth {
  const { contradiction, file_id, reason } = payout;
  if (contradiction !== null) return sayPayoutContradiction(payout, contradiction);
  if (file_id !== null) {
    const command = `bin/rubrica payout result FILE --file ${file_id} --as EMAIL`;
    return {
      en: `the bank has not said what became of it. Import its result at the page of the file ${file_id}, or with ${command}`,
      es: `el banco no ha dicho en qué terminó. Importa su resultado en la página del archivo ${file_id}, o con ${command}`,
    };
  }
  if (reason !== null) return sayReason(reason);
  return { en: 'its sender has not said what became of it', es: 'su proveedor no ha dicho en qué terminó' };
}

const HINDRANCES: Readonly<Record<Exclude<Hindrance, ''>, InBoth>> = {
  approver: { en: 'nobody who may approve it is left', es: 'no queda nadie que pueda aprobarlo' },
  erased: {
    en: 'its recipient was erased, so nobody can approve it',
    es: 'su destinatario fue borrado, y nadie puede aprobarlo',
  },
  changed: {
    en: 'the account of its recipient was changed after it was made, so nobody can approve it',
    es: 'la cuenta de su destinatario cambió después de proponerlo, y nadie puede aprobarlo',
  },
  made_elsewhere: {
    en: 'it was made with an API token of another database, so nobody can approve it: propose it again',
    es: 'se propuso con un token de API de otra base de datos, y nadie puede aprobarlo: proponlo otra vez',
  },
  elsewhere: {
    en: 'its account was changed by a user of another database, so nobody can approve it: validate the account again and propose it again',
    es: 'cambió su cuenta un usuario de otra base de datos, y nadie puede aprobarlo: valida la cuenta de nuevo y proponlo otra vez',
  },
  bank: {
    en: 'no transfer catalogue has its bank, so nobody can approve it until an imported bank list confirms the bank',
    es: 'ningún catálogo de transferencias tiene su banco, y nadie puede aprobarlo hasta que una lista de bancos importada lo confirme',
  },
  stale: {
    en: 'the verdict of its account is too old, so nobody can approve it: validate it anew with recipient change',
    es: 'el veredicto de su cuenta es demasiado antiguo, y nadie puede aprobarlo: valídala de nuevo con recipient change',
  },
};

function waitingApproval(waiting: WaitingApproval): Waiting {
  const { id, since, payouts, reference, amount, currency } = waiting;
  const { said, command } = endOf(waiting, `bin/rubrica ${id.startsWith('pb_') ? 'batch' : 'payout'}`);
  const reason =
    payouts === 1
      ? named(reference, said)
      : { en: `${payouts} payouts: ${said.en}`, es: `${payouts} pagos: ${said.es}` };
  return { ...ownerOf(waiting), id, since, amount, currency, reason, command };
}

/** Returns why they wait, and the command that ends it. `group` begins the command, for a batch or a payout. */
function endOf(waiting: WaitingApproval, group: string) {
  const { id, state, hindrance, by_sender, payment_service } = waiting;
  if (state === 'approved' && by_sender === 1) {
    const said = { en: 'approved, and its sender cannot be reached', es: 'aprobado, y su proveedor no responde' };
    return { said, command: `${group} cancel ${id} --reason TEXT --as EMAIL` };
  }
  if (state === 'approved') {
    const command = `bin/rubrica payout file --payment-service ${payment_service} --format CODE --account NUMBER --as EMAIL`;
    return { said: { en: 'approved, and in no file yet', es: 'aprobado, y todavía en ningún archivo' }, command };
  }
  if (hindrance === '') {
    const said = { en: 'nobody has approved it', es: 'nadie lo ha aprobado' };
    return { said, command: `${group} approve ${id} --as EMAIL` };
  }
  if (hindrance === 'approver') {
    const command = `bin/rubrica user create --email PERSON --role approver --payment-service ${payment_service}`;
    return { said: HINDRANCES.approver, command };
  }
  return rejectionOf(waiting, HINDRANCES[hindrance], group);
}

/** A rejection of the whole batch would also take payouts that can be approved. */
function rejectionOf({ id, payout, payouts, of_state }: WaitingApproval, said: InBoth, group: string) {
  const end = '--reason TEXT --as EMAIL';
  if (payouts === of_state) return { said, command: `${group} reject ${id} ${end}` };
  if (payouts === 1) return { said, command: `bin/rubrica payout reject ${payout} ${end}` };
  const named = `bin/rubrica batch show ${id}`;
  const which = { en: `${said.en}. They are named by ${named}`, es: `${said.es}. Los nombra ${named}` };
  return { said: which, command: `bin/rubrica payout reject ID... ${end}` };
}

function ownerOf({ payment_service, name, environment }: WaitingPayout | WaitingApproval) {
  return { payment_service, name, environment, transaction: null };
}
