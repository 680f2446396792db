import type { App } from '../../app.ts';
import { mayAny, readWith } from '../../auth/permission.ts';
import { currentDirectory } from '../../bank-validation/directory/current-directory.ts';
import { listOwners } from '../../books/list-books.ts';
import { Problem } from '../../error-catalogue.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { wordsOf } from '../../http/problem-words.ts';
import type { Language } from '../../lib/language.ts';
import { PAYOUT_STATES, type Payout, type PayoutState } from '../../payouts/payout.ts';
import { type ShownPayout, showPayouts } from '../../payouts/show-payouts.ts';
import { actorText, badge } from '../console-format.ts';
import type { Column, Filter } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { whoMay } from '../permission-texts.ts';

/** A payout for the screens: with the name of its merchant and its bank, and whether it is a test. */
export type SeenPayout = ShownPayout & { merchant: string; bank: string; isTest: boolean };

/** Adds the names to the payouts, in the same order. */
export async function seePayouts(app: App, payouts: readonly Payout[]): Promise<SeenPayout[]> {
  const environmentIds = [...new Set(payouts.map(({ environment_id }) => environment_id))];
  const [shown, owners, { banks }] = await Promise.all([
    showPayouts(app, payouts),
    listOwners(app, environmentIds),
    currentDirectory(app),
  ]);
  return shown.map((one) => {
    const owner = owners.get(one.payout.environment_id);
    return {
      ...one,
      merchant: owner?.name ?? '',
      bank: banks.get(one.payout.bank_code)?.name ?? one.payout.bank_code,
      isTest: owner?.environment === 'development',
    };
  });
}

const TONES: Readonly<Record<PayoutState, string>> = {
  draft: 'calm',
  awaiting_approval: 'warn',
  approved: 'calm',
  rejected: 'bad',
  cancelled: 'calm',
  sent: 'calm',
  unknown: 'warn',
  confirmed: 'good',
  failed: 'bad',
  returned: 'bad',
};

/** Shows a state, with the count of payouts in it if given. */
export function stateBadge(language: Language, state: PayoutState, count: number | null = null): Html {
  const text = tell(language, `payout_state.${state}`);
  return badge(TONES[state], count === null ? text : `${text}: ${count}`);
}

/**
 * Returns the person who approved the payout, or the text for the rule that approves payouts of programs; null if it is
 * not approved.
 */
export function approverText(language: Language, { approved_by, approval }: Payout): string | null {
  return approval === 'automatic'
    ? tell(language, 'payout.automatic')
    : approved_by && actorText(language, approved_by);
}

/** The column with the count of payouts of a batch or a file in each state. */
export function statesColumn<Row extends { sums: readonly { state: PayoutState; count: number }[] }>(
  language: Language,
): Column<Row> {
  return {
    name: 'states',
    text: 'column.state',
    value: ({ sums }) =>
      sums.map(({ state, count }) => `${tell(language, `payout_state.${state}`)}: ${count}`).join(', '),
    cell: ({ sums }) =>
      html`<span>${sums.map(({ state, count }) => html`${stateBadge(language, state, count)} `)}</span>`,
  };
}

/** The filter by the states of the payouts of a batch or a file. */
export function statesFilter(language: Language): Filter {
  const states = Object.keys(PAYOUT_STATES) as PayoutState[];
  return {
    name: 'state',
    text: 'filter.state',
    type: states.map((state) => [state, tell(language, `payout_state.${state}`)] as const),
  };
}

/**
 * Shows the state of a payout, whether it is the first to its RUT, a contradiction, its warnings, and whether it is a
 * test.
 */
export function payoutBadges(language: Language, { payout, isFirst, warnings, isTest }: SeenPayout): Html {
  return html`${stateBadge(language, payout.state)}${isFirst && html` ${badge('calm', tell(language, 'upload.new'))}`}${payout.contradiction !== null && html` ${badge('bad', tell(language, 'payout.contradicted'))}`}${
    warnings.length > 0 && html` ${badge('warn', tell(language, 'payout.warnings', { n: warnings.length }))}`
  }${isTest && html` ${badge('calm', tell(language, 'badge.test'))}`}`;
}

/** Shows the recipient: the name above the RUT. */
export function recipientCell(language: Language, { recipient }: ShownPayout): Html | string {
  if (recipient === null) return tell(language, 'payout.erased');
  return html`<span>${recipient.name}<br><span class="quiet whole">${recipient.rut}</span></span>`;
}

/** Shows the bank above the masked account, and below it the type of the account if it is known. */
export function accountCell(bank: string, masked: string, type: string | null = null): Html {
  return html`<span>${bank}<br><span class="code whole">${masked}</span>${type !== null && html`<br><span class="quiet">${type}</span>`}</span>`;
}

/** Shows the type of the account if a person set it: the bank's file says it, so it decides where the money goes. */
export function accountTypeText(language: Language, { accountType }: SeenPayout): string | null {
  return accountType && tell(language, `account_type.${accountType}`);
}

/**
 * Says who may approve all of the waiting payouts, by role or by a permission of their own: how many, and to those who
 * may read the list of people, who.
 */
export function signersText({ language, user }: ConsoleVisit, seen: readonly SeenPayout[]): string {
  const [first, ...others] = seen.map(({ signers }) => signers);
  const all = (first ?? []).filter((one) => others.every((signers) => signers.includes(one)));
  // Where nobody may, a warning says so.
  if (all.length === 0) return tell(language, 'decide.another', { who: whoMay(language, 'payouts:approve') });
  const named = all.slice(0, MOST_SIGNERS).join(', ') + (all.length > MOST_SIGNERS ? ', …' : '');
  const who = mayAny(user.may, readWith('users:manage')) ? `: ${named}` : '';
  return tell(language, 'decide.signers', { n: all.length, who });
}

const MOST_SIGNERS = 5;

/** Shows the warnings, one line each. */
export function warningNotices(app: App, language: Language, warnings: SeenPayout['warnings']): Html[] {
  return warnings.map(({ text }) => html`<p class="notice">${linkPayouts(app, text[language])}</p>`);
}

/** Shows a text in which the payouts that it names are links. */
export function linkPayouts(app: App, text: string): (Html | string)[] {
  return text
    .split(/(po_[a-z0-9]+)/)
    .map((part, at) =>
      at % 2 === 0 ? part : html`<a class="code" href="${publicPath(app)}/console/payouts/${part}">${part}</a>`,
    );
}

/** Returns the verdict of the account and its age at the time the payout was created. */
export function verdictText(language: Language, { payout, verdictDays }: ShownPayout): string {
  return agedVerdict(language, payout.verdict, verdictDays);
}

/** Returns the verdict of an account and its age in days. */
export function agedVerdict(language: Language, verdict: string, days: number): string {
  const said = tell(language, verdict === 'confirmed' ? 'verdict.confirmed' : 'verdict.plausible');
  return tell(language, days === 0 ? 'payout.verdict_new' : 'payout.verdict_age', { verdict: said, days });
}

/** Returns what is wrong with a file or a form where no payout is at fault; null for any other error. */
export function invalidDetail(language: Language, error: unknown): string | null {
  return error instanceof Problem && error.code === 'INVALID_PAYOUT' ? wordsOf(error, language).detail : null;
}
