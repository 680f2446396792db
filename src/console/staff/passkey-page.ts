import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import { beginPasskey, finishPasskey } from '../../auth/factors/enrol-passkey.ts';
import { isFactorName } from '../../auth/factors/factor.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, requireProof } from '../console-visit.ts';
import { alertNotice, type Fault } from '../notice.ts';
import { fieldsOf, pathOf } from '../sign-in.ts';
import { factorNameField, letIn } from './enrol-totp-page.ts';

const PATH = '/account/factors/passkey';

/** Shows the form that creates a passkey. It needs a script; an authenticator app does not. */
export const getConsolePasskey = consoleHandler(
  async (app, visit) => {
    const asked = requireProof(app, visit, PATH);
    if (asked !== null) return asked;
    const { next } = visit.request.query as Record<string, unknown>;
    return sendSetup(app, visit, { status: 200, next: pathOf(next), said: '' });
  },
  ['enrol'],
);

/** Adds the passkey that the browser created. */
export const postConsolePasskey = consoleHandler(
  async (app, visit) => {
    const asked = requireProof(app, visit, PATH);
    if (asked !== null) return asked;
    const { language } = visit;
    const { setup = '', answer = '', name = '', next: path } = fieldsOf(visit.request);
    const next = pathOf(path);
    const refuse = (fault: Fault) => sendSetup(app, visit, { status: 400, next, name, ...fault });
    if (!isFactorName(name)) return refuse({ said: tell(language, 'totp.bad_name'), field: 'name' });
    const added = await finishPasskey(app, visit, { setup, answer, name }, visit.by);
    if (added === null) return refuse({ said: tell(language, 'passkey.refused') });
    return letIn(app, visit, added.recoveryCodes, next);
  },
  ['enrol'],
);

/** Writes the form for `passkey.js`: the options of the request, and the fields for the response. */
export function passkeyForm(
  kind: 'create' | 'get',
  asked: { options: string; setup: string },
  language: ConsoleVisit['language'],
  { at, next, fields }: { at: string; next: string; fields: Html | false },
): Html {
  return html`<form class="card pad" method="post" action="${at}" data-passkey="${kind}" data-options="${asked.options}" hidden>
<input type="hidden" name="setup" value="${asked.setup}"><input type="hidden" name="answer" value=""><input type="hidden" name="next" value="${next}">
${fields}
<p class="notice" role="alert" data-failed hidden>${tell(language, kind === 'create' ? 'passkey.none_made' : 'passkey.none_given')}</p>
${kind === 'create' && html`<p class="notice" role="alert" data-known hidden>${tell(language, 'passkey.known')}</p>`}
<p class="actions"><button class="primary">${tell(language, kind === 'create' ? 'passkey.button' : 'passkey.prove')}</button></p>
</form>`;
}

type Shown = Fault & { status: number; next: string; name?: string };

async function sendSetup(app: App, visit: ConsoleVisit, shown: Shown): Promise<FastifyReply> {
  const { language, send } = visit;
  const { status, next, name = tell(language, 'passkey.default_name') } = shown;
  const at = `${publicPath(app)}/console/account/factors`;
  const title = tell(language, 'passkey.title');
  const asked = await beginPasskey(app, visit);
  const fields = html`<p>${tell(language, 'passkey.text')}</p>
${factorNameField(language, shown, name)}`;
  const main = html`<h1>${title}</h1>
${alertNotice(shown)}
${asked === null ? html`<p class="notice">${tell(language, 'passkey.no_site')}</p>` : passkeyForm('create', asked, language, { at: `${at}/passkey`, next, fields })}
${asked !== null && html`<p class="notice" data-without-passkey>${tell(language, 'passkey.no_script')}</p>`}
<p class="actions"><a class="button" href="${at}/totp">${tell(language, 'me.add_totp')}</a></p>`;
  return send(status, { title, main, script: 'passkey.js' });
}
