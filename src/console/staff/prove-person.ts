import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import { hasFactor, selectFactorsOf } from '../../auth/factors/factor-queries.ts';
import { proveByCode } from '../../auth/factors/prove-factor.ts';
import { askForPasskey, proveByPasskey } from '../../auth/factors/prove-passkey.ts';
import { isProofDue } from '../../auth/sign-in/console-session.ts';
import { proveByPassword } from '../../auth/sign-in/log-in.ts';
import { issueAccessToken } from '../../auth/tokens/access-token.ts';
import { Problem } from '../../error-catalogue.ts';
import { publicPath } from '../../http/assets.ts';
import { html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { type ConsoleText, tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, sessionCookie } from '../console-visit.ts';
import { alertNotice, type Fault, formField, isAtFault } from '../notice.ts';
import { fieldsOf, pathOf, sayTooMany } from '../sign-in.ts';
import { passkeyForm } from './passkey-page.ts';

/** Asks for the second factor: after the password, and again before acts on money or people. */
export const getConsoleProve = consoleHandler(
  async (app, visit) => {
    const { next } = visit.request.query as Record<string, unknown>;
    return sendQuestion(app, visit, { status: 200, next: pathOf(next), said: '' });
  },
  ['prove'],
);

/**
 * Checks the code or the passkey; for a person without a second factor, the password. A new session replaces this one.
 */
export const postConsoleProve = consoleHandler(
  async (app, visit) => {
    const { request, reply, goTo } = visit;
    const { code = '', password = '', answer = '', setup = '', next } = fieldsOf(request);
    const { user, session } = visit;
    const address = request.ip;
    try {
      const prover = { user, session, address };
      const token = await ((await hasFactor(app.db, user.id))
        ? answer === ''
          ? proveByCode(app, prover, code)
          : proveByPasskey(app, prover, { setup, answer })
        : issueAccessToken(app, await proveByPassword(app, session, { email: user.email, password, address })));
      reply.header('set-cookie', sessionCookie(app, token.text));
      return await goTo(pathOf(next));
    } catch (error) {
      const refusal = error instanceof Problem ? refusalOf(visit.language, error, answer !== '') : undefined;
      if (refusal === undefined) throw error;
      // The person has answered in another tab meanwhile.
      if (isProved(app, visit)) return goTo(pathOf(next));
      return sendQuestion(app, visit, { ...refusal, next: pathOf(next) });
    }
  },
  ['prove'],
);

/** Whether the person has proved who they are and need not do so again yet. */
function isProved(app: App, { standing, session }: ConsoleVisit): boolean {
  return standing === 'in' && !isProofDue(app, session);
}

function refusalOf(
  language: Language,
  problem: Problem,
  hasPasskey: boolean,
): (Fault & { status: number }) | undefined {
  if (problem.code === 'RATE_LIMITED') return { status: 429, said: sayTooMany(language, problem) };
  // Nothing was typed beside a refused passkey.
  if (problem.code === 'FACTOR_REFUSED' && hasPasskey)
    return { status: 401, said: tell(language, 'prove.wrong_passkey') };
  const refusal = WRONG[problem.code];
  return refusal && { status: 401, said: tell(language, refusal.said), field: refusal.field };
}

const WRONG: Partial<Record<Problem['code'], { said: ConsoleText; field: string }>> = {
  FACTOR_REFUSED: { said: 'prove.wrong', field: 'code' },
  LOGIN_FAILED: { said: 'prove.wrong_password', field: 'password' },
};

type Question = Fault & { status: number; next: string };

async function sendQuestion(app: App, visit: ConsoleVisit, question: Question): Promise<FastifyReply> {
  const { status, next } = question;
  const { language, user, standing, send } = visit;
  const at = `${publicPath(app)}/console`;
  const factors = await selectFactorsOf(app.db, user.id);
  const withCode = factors.length > 0;
  const asked = withCode ? await askForPasskey(app, visit) : null;
  const withApp = factors.some(({ kind }) => kind === 'totp');
  const title = tell(language, 'prove.title');
  const main = html`<h1>${title}</h1>
<p>${tell(language, standing === 'prove' ? firstText({ withApp, withPasskey: asked !== null }) : 'prove.again')}</p>
${alertNotice(question)}
${asked !== null && passkeyForm('get', asked, language, { at: `${at}/prove`, next, fields: false })}
<form class="card pad" method="post" action="${at}/prove">
<input type="hidden" name="next" value="${next}">
${
  withCode
    ? formField(
        question,
        'code',
        (attributes) =>
          html`<label>${tell(language, withApp ? 'prove.code' : 'prove.recovery')}<input name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required${(withApp || asked === null) && !isAtFault(question, 'code') && html` autofocus`}${attributes}></label>`,
      )
    : formField(
        question,
        'password',
        (attributes) =>
          html`<label>${tell(language, 'prove.password')}<input type="password" name="password" autocomplete="current-password" required${attributes}></label>`,
      )
}
<p class="actions"><button class="primary">${tell(language, 'prove.button')}</button></p>
</form>
${withCode && html`<p class="quiet">${tell(language, 'prove.lost', { command: `bin/rubrica user factor reset ${user.email}` })}</p>`}
<form method="post" action="${at}/sign-out"><button class="link">${tell(language, 'prove.other')}</button></form>`;
  return send(status, { title, main, ...(asked !== null && { script: 'passkey.js' }) });
}

/** Asks for what the person has: an app, a passkey of this address, or neither and so a recovery code. */
function firstText({ withApp, withPasskey }: { withApp: boolean; withPasskey: boolean }): ConsoleText {
  if (withApp) return withPasskey ? 'prove.first_either' : 'prove.first';
  return withPasskey ? 'prove.first_passkey' : 'prove.first_recovery';
}
