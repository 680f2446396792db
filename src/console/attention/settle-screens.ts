import type { FastifyReply } from 'fastify';
import type { App } from '../../app.ts';
import type { Screen } from '../../http/endpoint.ts';
import { tell } from '../console-texts.ts';
import { type ConsoleVisit, consoleHandler, notFoundPage, requireProof } from '../console-visit.ts';
import { sealedOf } from '../kept-typing.ts';
import { readSentFile } from '../payouts/kept-upload.ts';
import {
  type Place,
  type Refused,
  type Sent,
  type SettleAnswer,
  type SettleQuestion,
  sendSettleForm,
  typedPath,
} from './settle-form.ts';

/**
 * The part of one screen. `find`: null if the person may not see the thing. `sendNothing`: says that it is not in
 * doubt. `preview`: shows the act, rolled back. `decide`: acts only if the effect equals the preview’s.
 */
type Settling<Thing, Wish extends object> = {
  find: (app: App, visit: ConsoleVisit) => Promise<Thing | null>;
  placeOf: (thing: Thing) => Place;
  isInDoubt: (thing: Thing, now: number) => boolean;
  sendNothing: (app: App, visit: ConsoleVisit) => Promise<FastifyReply>;
  question: (visit: ConsoleVisit, thing: Thing, typed: Sent['fields']) => SettleQuestion;
  read: (visit: ConsoleVisit, thing: Thing, sent: Sent) => Wish | Refused;
  preview: (app: App, visit: ConsoleVisit, thing: Thing, wish: Wish) => Promise<FastifyReply>;
  decide: (app: App, visit: ConsoleVisit, thing: Thing, wish: Wish & { effect: string }) => Promise<FastifyReply>;
};

/**
 * Returns the screens with which a person ends what is in doubt. `get` asks how it ended. `post` shows what that would
 * do, and with `confirm` decides. A second click finds nothing in doubt any more: `decide` knows its own act again.
 */
export function settleScreens<Thing, Wish extends object>(
  settling: Settling<Thing, Wish>,
): Record<'get' | 'post', Screen> {
  const { find, placeOf, isInDoubt, sendNothing, question, read, preview, decide } = settling;
  const get = consoleHandler(async (app, visit) => {
    const thing = await find(app, visit);
    if (thing === null) return visit.send(404, notFoundPage(visit.language));
    const place = placeOf(thing);
    const asked = requireProof(app, visit, place.at);
    if (asked !== null) return asked;
    if (!isInDoubt(thing, app.now())) return sendNothing(app, visit);
    const answer = keptAnswer(visit);
    return sendSettleForm(app, visit, place, question(visit, thing, answer.sent.fields), answer);
  });
  const post = consoleHandler(async (app, visit) => {
    const thing = await find(app, visit);
    if (thing === null) return visit.send(404, notFoundPage(visit.language));
    const place = placeOf(thing);
    const sent = await readSent(visit);
    const asked = requireProof(app, visit, typedPath(visit, place.at, sent));
    if (asked !== null) return asked;
    const wish = read(visit, thing, sent);
    if (sent.isConfirmed && !isRefused(wish)) return decide(app, visit, thing, { ...wish, effect: sent.effect });
    if (!isInDoubt(thing, app.now())) return sendNothing(app, visit);
    if (!isRefused(wish)) return preview(app, visit, thing, wish);
    const answer = { status: 400, fault: wish.refusal, sent };
    return sendSettleForm(app, visit, place, question(visit, thing, sent.fields), answer);
  });
  return { get, post };
}

/**
 * Returns the answer with the fields that the address of the form keeps; it says that the file must be chosen again.
 */
function keptAnswer(visit: ConsoleVisit): SettleAnswer {
  const { file, ...fields } = sealedOf(visit);
  const said = file === undefined ? '' : tell(visit.language, 'settle.file_again');
  return { fault: { said }, sent: { fields, file: null, isEmpty: false, isConfirmed: false, effect: '' } };
}

/** Reads the form. Throws `Problem` HTTP_MALFORMED. */
async function readSent({ request }: ConsoleVisit): Promise<Sent> {
  const upload = await readSentFile(request);
  const { confirm, effect = '' } = upload.fields;
  return { ...upload, isConfirmed: confirm !== undefined, effect };
}

function isRefused(read: object): read is Refused {
  return 'refusal' in read;
}
