import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import { isReason } from '../../audit/reason.ts';
import { publicPath } from '../../http/assets.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { type Erasure, erasePerson } from '../../privacy/erase-person.ts';
import { exportPerson } from '../../privacy/export-person.ts';
import { sayKept } from '../../privacy/kept.ts';
import { lookUpPerson } from '../../privacy/look-up-person.ts';
import { type Person, personOfEmail, personOfRut } from '../../privacy/person.ts';
import { tableOf } from '../console-format.ts';
import { fileNameOf } from '../console-sections.ts';
import { tell, tellAll, tellKind } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, inParts, requireProof } from '../console-visit.ts';
import { keptPath, sealedOf } from '../kept-typing.ts';
import { alertNotice, doneNotice, type Fault, formField, isAtFault, reasonField } from '../notice.ts';
import { fieldsOf } from '../sign-in.ts';

const PATH = '/personal-data';

/** Shows a field for a RUT or an e-mail address. The form posts it, so it is in no address and no log. */
export const getConsolePersonalData = consoleHandler(async (app, visit) => {
  const typed = sealedOf(visit);
  return requireProof(app, visit, addressOf(visit, typed)) ?? sendPage(app, visit, 200, { typed });
});

/** Shows, exports or erases the data of a person, by the button of the form. */
export const postConsolePersonalData = consoleHandler(async (app, visit) => {
  const { language, by, request } = visit;
  const fields = fieldsOf(request);
  const asked = requireProof(app, visit, addressOf(visit, fields));
  if (asked !== null) return asked;
  const person = personOf(fields['who']);
  if (person === null)
    return sendPage(app, visit, 400, { fault: { said: tell(language, 'privacy.wrong'), field: 'who' } });
  if (fields['do'] === 'export') return sendExport(app, visit, person);
  if (fields['do'] === 'erase') return erase(app, visit, person, fields);
  return sendPage(app, visit, 200, { person, found: await lookUpPerson(app, person, by) });
});

/** Returns the address of the form that keeps, encrypted, whom it is about and the reason. */
function addressOf(visit: ConsoleVisit, { who = '', reason = '' }: Readonly<Record<string, string>>): string {
  return keptPath(visit, PATH, { who, reason });
}

function personOf(text: string | undefined): Person | null {
  return text === undefined ? null : (personOfRut(text) ?? personOfEmail(text));
}

async function sendExport(app: App, { by, reply, language }: ConsoleVisit, person: Person): Promise<FastifyReply> {
  const exported = await exportPerson(app, person, by);
  return reply
    .header('content-disposition', `attachment; filename="${fileNameOf(language, '/personal-data')}.json"`)
    .header('content-type', 'application/json; charset=utf-8')
    .send(`${JSON.stringify(exported, null, 2)}\n`);
}

async function erase(app: App, visit: ConsoleVisit, person: Person, fields: Record<string, string>) {
  const { language, by } = visit;
  const reason = (fields['reason'] ?? '').trim();
  const isSame = personOf(fields['confirm'])?.name === person.name;
  if (!isSame || !isReason(reason)) {
    const fault = isSame
      ? { said: tell(language, 'privacy.no_reason'), field: 'reason' }
      : { said: tell(language, 'privacy.erase_wrong'), field: 'confirm' };
    return sendPage(app, visit, 400, { fault, person, found: await lookUpPerson(app, person, by) });
  }
  const erasure = await inParts(() => erasePerson(app, person, by, { reason }));
  return sendPage(app, visit, 200, { erasure });
}

/** `typed`: the fields of an address of `addressOf`. */
type Shown = {
  fault?: Fault;
  person?: Person;
  found?: Erasure;
  erasure?: Erasure;
  typed?: Readonly<Record<string, string>>;
};

function sendPage(app: App, visit: ConsoleVisit, status: number, shown: Shown): FastifyReply {
  const { language, request, send } = visit;
  const { fault = { said: '' }, person, found, erasure, typed = {} } = shown;
  const { who = '', reason = '' } = isAtFault(fault, 'who') ? fieldsOf(request) : typed;
  const title = tell(language, 'privacy.title');
  const main = html`<h1>${title}</h1>
${alertNotice(fault)}
${erasure !== undefined && doneNotice(tell(language, 'privacy.done', { count: erasure.erased }))}
<p>${tell(language, 'privacy.text')}</p>
<form class="card pad" method="post" action="${publicPath(app)}/console${PATH}">
${formField(fault, 'who', (attributes) => html`<label>${tell(language, 'privacy.who')}<input name="who" required maxlength="254" value="${who}" autocomplete="off" autocapitalize="none" spellcheck="false"${attributes}></label>`)}
${reason !== '' && html`<input type="hidden" name="reason" value="${reason}">`}
<p class="actions"><button class="primary">${tell(language, 'privacy.find')}</button></p></form>
${person !== undefined && found !== undefined && html`<h2>${person.name}</h2>${parts(language, found, 'privacy.would_go')}${acts(app, visit, person, fault)}`}
${erasure !== undefined && parts(language, erasure, 'privacy.went')}`;
  return send(status, { title, main });
}

/** Shows which data can be erased, which is still needed, and which stays and why. */
function parts(
  language: Language,
  { records, waiting, kept }: Erasure,
  heading: 'privacy.would_go' | 'privacy.went',
): Html {
  const named = (kind: string) => tellKind(language, 'kept', kind);
  const gone = Object.entries(records).filter(([, count]) => count > 0);
  const stays = kept.map((one) => sayKept(one, language));
  return html`<h2>${tell(language, heading)}</h2>
${
  gone.length === 0
    ? html`<div class="card pad">${tell(language, 'privacy.nothing')}</div>`
    : tableOf(
        tellAll(language, ['column.kind', 'column.records']),
        gone.map(([kind, count]) => [named(kind), count]),
        [1],
      )
}
${waiting > 0 && html`<p class="notice">${tell(language, 'privacy.waiting', { count: waiting })}</p>`}
<h2>${tell(language, 'privacy.stays')}</h2>
${
  stays.length === 0
    ? html`<div class="card pad">${tell(language, 'privacy.stays_none')}</div>`
    : tableOf(
        tellAll(language, ['column.kind', 'column.records', 'column.why', 'column.rows']),
        stays.map(({ kind, why, rows }) => [named(kind), rows.length, why, rows.slice(0, 5).join(' ')]),
        [1],
      )
}`;
}

function acts(app: App, { language, request }: ConsoleVisit, { name }: Person, fault: Fault): Html {
  const { confirm = '', reason } = fieldsOf(request);
  const action = `${publicPath(app)}/console${PATH}`;
  return html`<form class="card pad" method="post" action="${action}"><input type="hidden" name="who" value="${name}">
<p class="actions"><button name="do" value="export">${tell(language, 'privacy.export')}</button></p></form>
<h2>${tell(language, 'privacy.erase')}</h2>
<form class="card pad" method="post" action="${action}"><input type="hidden" name="who" value="${name}">
<p>${tell(language, 'privacy.erase_text')}</p>
${formField(fault, 'confirm', (attributes) => html`<label>${tell(language, 'privacy.confirm')}<input name="confirm" required maxlength="254" value="${confirm}" autocomplete="off" autocapitalize="none" spellcheck="false"${attributes}></label>`)}
${reasonField(language, fault, { value: reason })}
<p class="actions"><button class="primary" name="do" value="erase">${tell(language, 'privacy.erase')}</button></p></form>`;
}
