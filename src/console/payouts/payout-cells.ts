import type { App } from '../../app.ts';
import { currentDirectory } from '../../bank-validation/directory/current-directory.ts';
import { listOwners } from '../../books/list-books.ts';
import type { Language } from '../../checkout/texts.ts';
import { CATALOGUE, Problem } from '../../error-catalogue.ts';
import { type Html, html } from '../../http/html.ts';
import { wordsOf } from '../../http/problem-words.ts';
import { PAYOUT_STATES, type Payout, type PayoutState } from '../../payouts/payout.ts';
import { type ShownPayout, showPayouts } from '../../payouts/show-payouts.ts';
import { badge } from '../console-format.ts';
import type { Column, Filter } from '../console-list.ts';
import { tell } from '../console-texts.ts';
import { MOVED } from '../console-visit.ts';

/** A payout as the screens show it: with the name of its merchant, of its bank, and whether it is a test. */
export type SeenPayout = ShownPayout & { merchant: string; bank: string; isTest: boolean };

/** The same payouts with all that a person is shown of them, in their order. */
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

/** A state, and how many are in it where that is said. */
export function stateBadge(language: Language, state: PayoutState, count: number | null = null): Html {
  const text = tell(language, `payout_state.${state}`);
  return badge(TONES[state], count === null ? text : `${text}: ${count}`);
}

/** The person who approved it, or in words that the rule for programs did; null: nobody has. */
export function approverText(language: Language, { approved_by, approval }: Payout): string | null {
  return approval === 'automatic' ? tell(language, 'payout.automatic') : approved_by;
}

/** The column that says how many payouts of a batch or a file are in each state. */
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

/** A filter by the states that payouts of a batch or a file are in. */
export function statesFilter(language: Language): Filter {
  const states = Object.keys(PAYOUT_STATES) as PayoutState[];
  return {
    name: 'state',
    text: 'filter.state',
    type: states.map((state) => [state, tell(language, `payout_state.${state}`)] as const),
  };
}

/** Whether one of them passes it. */
export function isInState(sums: readonly { state: PayoutState }[], state = ''): boolean {
  return state === '' || sums.some((sum) => sum.state === state);
}

/** The state of a payout, whether it contradicts what was said of it, and whether it is a test. */
export function payoutBadges(language: Language, { payout, warnings, isTest }: SeenPayout): Html {
  return html`${stateBadge(language, payout.state)}${payout.contradiction !== null && html` ${badge('bad', tell(language, 'payout.contradicted'))}`}${
    warnings.length > 0 && html` ${badge('warn', tell(language, 'payout.warnings', { n: warnings.length }))}`
  }${isTest && html` ${badge('calm', tell(language, 'badge.test'))}`}`;
}

/** Whom a payout goes to: the name over the RUT. */
export function recipientCell(language: Language, { recipient }: ShownPayout): Html | string {
  if (recipient === null) return tell(language, 'payout.erased');
  return html`<span>${recipient.name}<br><span class="quiet whole">${recipient.rut}</span></span>`;
}

/** The bank over the masked account. */
export function accountCell(bank: string, masked: string): Html {
  return html`<span>${bank}<br><span class="code whole">${masked}</span></span>`;
}

/** Shows the warnings, one line each. */
export function warningNotices(language: Language, warnings: SeenPayout['warnings']): Html[] {
  return warnings.map(({ text }) => html`<p class="notice">${text[language]}</p>`);
}

/** The verdict of an account with its age, as it was when the payout was made. */
export function verdictText(language: Language, { payout, verdictDays }: ShownPayout): string {
  return tell(language, 'payout.verdict_age', {
    verdict: tell(language, payout.verdict === 'confirmed' ? 'verdict.confirmed' : 'verdict.plausible'),
    days: verdictDays,
  });
}

/** An expected refusal as a page says it; `lines`: where each row of a file stands. Throws anything else, and what is not there. */
export function refusalOf(
  language: Language,
  error: unknown,
  lines: readonly number[] = [],
): { status: number; said: string; errors: string[] } {
  if (!(error instanceof Problem) || error.code === 'NOT_FOUND' || MOVED.includes(error.code)) throw error;
  const { title, detail, errors } = wordsOf(error, language);
  return {
    status: CATALOGUE[error.code].status,
    said: detail.startsWith(title) ? detail : `${title}. ${detail}`,
    errors: errors.map(({ pointer, message, fix }) => {
      const line = lines[Number(/^\/(\d+)\//.exec(pointer)?.[1] ?? -1)];
      const text = `${message} ${fix}`;
      return line === undefined ? text : tell(language, 'upload.line', { line, text });
    }),
  };
}
