import type { App } from '../app.ts';
import type { AttentionMeasure } from '../attention/attention.ts';
import { sayKept, selectUnreached } from '../attention/attention-kinds.ts';
import { type MeasuredKind, measureAttention } from '../attention/measure-attention.ts';
import { selectFactsBegun } from '../books/fact-queries.ts';
import { measureWaitingAttempts } from '../checkout/waiting-attempt-queries.ts';
import { findHeld } from '../epochs/hold.ts';
import type { InBoth } from '../error-catalogue.ts';
import { clockOf } from '../lib/calendar-day.ts';
import type { NextAttempt } from '../lib/next-attempt.ts';
import { formatAge } from '../lib/time-text.ts';
import { nextOfCallback } from '../outbox/callback-state.ts';
import { causeOf } from '../outbox/endpoints/answer-cause.ts';
import { countQueued, selectOldestDue } from '../outbox/outbox-queries.ts';
import { findElsewhere } from '../payment-services/elsewhere.ts';
import { measureWaitingRefunds } from '../refunds/waiting-refund-queries.ts';
import type { Duty } from '../upkeep/upkeep.ts';
import { selectUpkeep } from '../upkeep/upkeep-queries.ts';
import { type Finding, fine, problem } from './finding.ts';

const LATE_MS = 300_000;

/** Reports late callbacks, and what waits for a person. */
export async function workFindings(app: App): Promise<Finding[]> {
  const held = (await findHeld(app)) !== null;
  const late = held
    ? fine('callbacks', { en: 'wait for the release', es: 'esperan que se libere la restauración' })
    : lateFinding(
        app,
        await selectOldestDue(app.db),
        await countQueued(app.db, (await findElsewhere(app)).environments),
      );
  return [late, ...(await attentionFindings(app)), ...(await endpointFindings(app))];
}

function lateFinding(app: App, oldest: number | null, queued: number): Finding {
  const lateMs = oldest === null ? 0 : Math.max(0, app.now() - oldest);
  const wait = queued === 0 ? { en: '', es: '' } : { en: `${waitText(queued).en}, `, es: `${waitText(queued).es}, ` };
  if (lateMs === 0) return fine('callbacks', { en: `${wait.en}none is late`, es: `${wait.es}ninguno está atrasado` });
  const age = ageOf(app, oldest);
  const says = {
    en: `${wait.en}the oldest is ${age.en} late`,
    es: `${wait.es}el más antiguo debía salir hace ${age.es}`,
  };
  if (lateMs < LATE_MS) return fine('callbacks', says);
  return problem('callbacks', says, {
    en: 'Is serve running? It delivers the callbacks.',
    es: '¿Está corriendo serve? Es quien los entrega.',
  });
}

function waitText(count: number): InBoth {
  return count === 1 ? { en: '1 waits', es: 'espera 1' } : { en: `${count} wait`, es: `esperan ${count}` };
}

/** Returns a line for each kind of item that waits for a person. */
async function attentionFindings(app: App): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const measured of await measureAttention(app)) {
    const { kind, nouns, count, oldest } = measured;
    const age = ageOf(app, oldest);
    const says = {
      en: `${count} ${nouns[count === 1 ? 0 : 1]}, the oldest for ${age.en}`,
      es: `${count} por resolver, lo más antiguo hace ${age.es}`,
    };
    findings.push(
      count === 0 ? await calmFinding(app, measured) : problem(kind, says, `bin/rubrica attention list --kind ${kind}`),
    );
  }
  return findings;
}

/** For a kind without waiting items: says what is under way, or when the duty was done. */
async function calmFinding(app: App, { kind, nouns }: MeasuredKind): Promise<Finding> {
  if (kind === 'backup' || kind === 'books') return doneFinding(app, kind);
  const none = { en: `no ${nouns[0]}`, es: 'nada por resolver' };
  const { count, oldest } = await measureUnderWay(app, kind);
  if (count === 0) return fine(kind, none);
  const age = ageOf(app, oldest);
  return fine(kind, {
    en: `${none.en}; ${count} under way, the oldest for ${age.en}`,
    es: `${none.es}; ${count} en curso, lo más antiguo hace ${age.es}`,
  });
}

function measureUnderWay(app: App, kind: MeasuredKind['kind']): Promise<AttentionMeasure> {
  const now = app.now();
  if (kind === 'payment') return measureWaitingAttempts(app.db, now);
  if (kind === 'refund') return measureWaitingRefunds(app.db, { accepted: now, asked: now });
  return Promise.resolve({ count: 0, oldest: null });
}

function ageOf(app: App, since: number | null): InBoth {
  const age = app.now() - (since ?? app.now());
  return { en: formatAge(age), es: formatAge(age, 'es') };
}

async function doneFinding(app: App, duty: Duty): Promise<Finding> {
  const done = await selectUpkeep(app.db, duty);
  if (done !== null) {
    const age = ageOf(app, done.done_at);
    return fine(
      duty,
      duty === 'backup'
        ? { en: `the last backup is ${age.en} old`, es: `el último tiene ${age.es}` }
        : { en: `verified ${age.en} ago, without findings`, es: `verificados hace ${age.es}, y están bien` },
    );
  }
  const age = ageOf(app, await selectFactsBegun(app.db));
  return fine(
    duty,
    duty === 'backup'
      ? { en: `no backup yet; the store is ${age.en} old`, es: `todavía no hay ninguno; la base tiene ${age.es}` }
      : { en: `not verified yet; the books are ${age.en} old`, es: `todavía no se verifican; tienen ${age.es}` },
  );
}

const ENDPOINTS_NAMED = 5;

/** Names the endpoints that have failed for longest or answered 410, whose merchants did not get all callbacks. */
async function endpointFindings(app: App): Promise<Finding[]> {
  const { environments } = await findElsewhere(app);
  return (await selectUnreached(app, ENDPOINTS_NAMED, environments)).map((endpoint) => {
    const { address, name, payment_service, waiting } = endpoint;
    const kept = sayKept(endpoint);
    if (kept !== null) {
      const owner = `${name} (${payment_service})`;
      const says = { en: `${owner}: ${kept.en}`, es: `${owner}: ${kept.es}` };
      return problem('endpoint', says, `bin/rubrica callback resend --endpoint ${endpoint.id}`);
    }
    const since = endpoint.failing_since ?? endpoint.disabled_at ?? app.now();
    const [english, spanish] = [causeOf(address, endpoint, 'en'), causeOf(address, endpoint, 'es')];
    const waits = waitsText(waiting, nextOfCallback(endpoint, app.now()));
    const says = {
      en: `${address} of ${name} (${payment_service}) has failed since ${clockOf(since)}: ${waits.en}${english === null ? '' : `; ${english.cause}`}`,
      es: `${address} de ${name} (${payment_service}) falla desde ${clockOf(since)}: ${waits.es}${spanish === null ? '' : `; ${spanish.cause}`}`,
    };
    const fallback = 'bin/rubrica callback endpoints';
    return problem('endpoint', says, { en: english?.fix ?? fallback, es: spanish?.fix ?? fallback });
  });
}

/**
 * Says how many callbacks wait for an endpoint, and when the next is tried or since when an attempt is under way. An
 * endpoint that answered 410 has no waiting callbacks.
 */
function waitsText(waiting: number, { next_attempt_at: next, under_way_since: since }: NextAttempt): InBoth {
  if (waiting === 0)
    return { en: 'its callbacks are stored and not sent', es: 'sus callbacks se guardan y no se envían' };
  const { en, es } = waitText(waiting);
  if (since !== null)
    return {
      en: `${en}, an attempt has been under way since ${clockOf(since)}`,
      es: `${es}, hay un intento en curso desde el ${clockOf(since)}`,
    };
  if (next === null) return { en: `${en}, no attempt is scheduled`, es: `${es}, no hay un intento previsto` };
  return {
    en: `${en}, the next attempt is at ${clockOf(next)}`,
    es: `${es}, el próximo intento es el ${clockOf(next)}`,
  };
}
