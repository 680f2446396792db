import type { App } from '../../app.ts';
import { isReason } from '../../audit/reason.ts';
import { CATALOGUE, Problem } from '../../error-catalogue.ts';
import { wordsOf } from '../../http/problem-words.ts';
import type { Language } from '../../lib/language.ts';
import { findLine, findStatement, readLines } from '../../statements/find-statement.ts';
import { NOTHING_KNOWN } from '../../statements/line-notes.ts';
import { previewLine } from '../../statements/preview-line.ts';
import { type LineDecision, type LineSubject, resolveLine } from '../../statements/resolve-line.ts';
import { canBeExplained, type KeptLine, type ListedStatement } from '../../statements/statement.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, requireProof } from '../console-visit.ts';
import { typedQuery } from '../kept-typing.ts';
import type { Fault } from '../notice.ts';
import { fieldsOf, lineNumberIn } from '../sign-in.ts';
import { sendAllQuestion, sendLineQuestion } from './ask-line.ts';
import { sendStatement } from './bank-statement-page.ts';
import { REASON_OF_ALL } from './explain-forms.ts';

/**
 * Records the subject of a line in suspense or called unrelated, puts a wrongly matched one into suspense, or marks all
 * unexplained ones as unrelated to this installation.
 */
export const postConsoleStatementUses = consoleHandler(async (app, visit) => {
  const { language, user, by, request, goTo } = visit;
  const { id } = request.params as { id: string };
  const fields = fieldsOf(request);
  const line = lineNumberIn(fields['line']);
  const statement = await findStatement(app, user.environmentIds, id);
  const explained = line === null ? null : await findLine(app, id, line);
  const reason = (fields['reason'] ?? '').trim();
  const isUnrelated = explained?.used_as === 'other';
  const isMatched = fields['is'] === 'suspense' && fields['use'] !== undefined;
  const use = isUnrelated ? 'other' : isMatched ? (fields['use'] as string) : 'suspense';
  const typed = { ...fields, use, reason };
  const refuse = (status: number, fault: Fault) => sendStatement(app, visit, status, fault, typed);
  const is = subjectOf(app, language, fields);
  if ('said' in is) return refuse(400, is);
  // Somebody called it unrelated while this form was open: the person sees that first.
  if (isUnrelated && is.use !== 'other' && fields['use'] !== 'other')
    return refuse(409, { said: tell(language, 'explain.gone') });
  if (!isReason(reason)) {
    const field = line === null ? REASON_OF_ALL : 'reason';
    return refuse(400, { said: tell(language, 'refund.no_reason'), field });
  }
  const asked = requireProof(app, visit, `/statements/${id}?${typedQuery(visit, typed)}`);
  if (asked !== null) return asked;
  try {
    const decision = { statementId: id, fileLine: line ?? 'unknown', is, reason, by, shown: fields['shown'] } as const;
    if (fields['confirm'] === undefined) {
      const question = await questionOf(app, visit, statement, { decision, line: explained, typed });
      if (question !== null) return question;
    }
    const lines = await resolveLine(app, decision);
    if (is.use === 'suspense') return await goTo(`/statements/${id}?use=suspense&line=${line}&done=reopened`);
    return await goTo(`/statements/${id}?resolved=${lines.length}`);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const said = wordsOf(error, language).detail;
    const field = namesOne(is) ? 'subject' : error.code === 'PAYMENT_SERVICE_AMBIGUOUS' ? 'merchant' : undefined;
    return refuse(CATALOGUE[error.code].status, { said, field });
  }
});

type Deciding = { decision: LineDecision; line: KeptLine | null; typed: Record<string, string> };

/** Asks first, if a decision adds entries to the books or is about all lines; null: nothing to ask. */
async function questionOf(
  app: App,
  visit: ConsoleVisit,
  statement: ListedStatement,
  { decision, line, typed }: Deciding,
) {
  if (decision.fileLine === 'unknown') {
    const lines = (await readLines(app, statement.id, 'suspense')).filter(({ note }) => note === NOTHING_KNOWN);
    return lines.length === 0 ? null : sendAllQuestion(app, visit, statement, { lines, typed });
  }
  const adds = decision.is.use !== 'other' && decision.is.use !== 'suspense';
  if (!adds || line === null || !canBeExplained(line)) return null;
  const preview = await previewLine(app, decision);
  return preview.entries.length === 0 ? null : sendLineQuestion(app, visit, statement, { line, preview, typed });
}

/** Whether the subject was typed: the id of a payout or a deposit. */
function namesOne(is: LineSubject): boolean {
  return 'payoutId' in is || (is.use === 'deposit' && 'id' in is.deposit);
}

/** Parses the subject of a line. Returns the fault if it is not valid. */
function subjectOf(app: App, language: Language, fields: Record<string, string>): LineSubject | Fault {
  const { is = '', subject: text = '', merchant = '', commission: kept = '' } = fields;
  const [subject, commission] = [text.trim(), kept.trim()];
  if (is === '') return { said: tell(language, 'explain.choose'), field: 'is' };
  const badCommission = { said: tell(language, 'explain.bad_commission'), field: 'commission' };
  if (commission !== '' && !is.startsWith('method ')) return badCommission;
  if (is === 'other' || is === 'suspense') return { use: is };
  const paymentServiceId = merchant === '' ? null : merchant;
  if (is === 'to-merchant') {
    if (subject !== '') return { said: tell(language, 'explain.books_new'), field: 'subject' };
    return { use: 'payout', toMerchant: { paymentServiceId } };
  }
  if (is === 'payout' || is === 'return' || is === 'deposit') {
    if (subject === '') return { said: tell(language, 'explain.no_subject'), field: 'subject' };
    return is === 'deposit' ? { use: is, deposit: { id: subject } } : { use: is, payoutId: subject };
  }
  const method = app.paymentMethods.find(({ code }) => is === `method ${code}`)?.code ?? null;
  if (method === null && is !== 'merchant') throw new Problem('INVALID_PARAMETER');
  if (!/^\d{0,12}$/.test(commission)) return badCommission;
  return { use: 'deposit', deposit: { paymentServiceId, paymentMethod: method, commission: Number(commission) } };
}
