import type { App } from '../app.ts';
import type { AttentionMeasure } from '../attention/attention.ts';
import { type MeasuredKind, measureAttention } from '../attention/measure-attention.ts';
import { selectFactsBegun } from '../books/fact-queries.ts';
import { measureWaitingAttempts } from '../checkout/waiting-attempt-queries.ts';
import { findHeld } from '../epochs/hold.ts';
import type { InBoth } from '../error-catalogue.ts';
import { clockOf } from '../lib/calendar-day.ts';
import { formatAge, timeText } from '../lib/time-text.ts';
import { causeOf } from '../outbox/answer-cause.ts';
import { selectFailing } from '../outbox/failing-endpoint-queries.ts';
import { countQueued, selectOldestDue } from '../outbox/outbox-queries.ts';
import { findElsewhere } from '../payment-services/elsewhere.ts';
import { measureWaitingRefunds } from '../refunds/waiting-refund-queries.ts';
import type { Duty } from '../upkeep/upkeep.ts';
import { selectUpkeep } from '../upkeep/upkeep-queries.ts';
import { type Finding, fine, problem } from './finding.ts';

const LATE_MS = 300_000;

/** Callbacks that are late, and what waits for a person. */
export async function workFindings(app: App): Promise<Finding[]> {
  const held = (await findHeld(app)) !== null;
  const late = held
    ? fine('callbacks', { en: 'wait for the release', es: 'esperan el release' })
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
  const seconds = Math.round(lateMs / 1000);
  const says = {
    en: `${wait.en}the oldest is due for ${seconds} s`,
    es: `${wait.es}el más antiguo debía salir hace ${seconds} s`,
  };
  if (lateMs < LATE_MS) return fine('callbacks', says);
  return problem('callbacks', says, {
    en: 'Is serve running? It delivers them.',
    es: '¿Está corriendo serve? Es quien los entrega.',
  });
}

function waitText(count: number): InBoth {
  return count === 1 ? { en: '1 waits', es: 'espera 1' } : { en: `${count} wait`, es: `esperan ${count}` };
}

/** A line for each kind of what waits for a person. */
async function attentionFindings(app: App): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const measured of await measureAttention(app)) {
    const { kind, nouns, count, oldest } = measured;
    const age = ageOf(app, oldest);
    const says = {
      en: `${count} ${nouns[count === 1 ? 0 : 1]}, the oldest for ${age}`,
      es: `${count} por resolver, lo más antiguo hace ${age}`,
    };
    findings.push(
      count === 0 ? await calmFinding(app, measured) : problem(kind, says, `bin/rubrica attention list --kind ${kind}`),
    );
  }
  return findings;
}

/** Where nothing of a kind waits for a person: what is under way, or when the duty was done. */
async function calmFinding(app: App, { kind, nouns }: MeasuredKind): Promise<Finding> {
  if (kind === 'backup' || kind === 'books') return doneFinding(app, kind);
  const none = { en: `no ${nouns[0]}`, es: 'nada por resolver' };
  const { count, oldest } = await measureUnderWay(app, kind);
  if (count === 0) return fine(kind, none);
  const age = ageOf(app, oldest);
  return fine(kind, {
    en: `${none.en}; ${count} under way, the oldest for ${age}`,
    es: `${none.es}; ${count} en curso, lo más antiguo hace ${age}`,
  });
}

function measureUnderWay(app: App, kind: MeasuredKind['kind']): Promise<AttentionMeasure> {
  const now = app.now();
  if (kind === 'payment') return measureWaitingAttempts(app.db, now);
  if (kind === 'refund') return measureWaitingRefunds(app.db, { accepted: now, asked: now });
  return Promise.resolve({ count: 0, oldest: null });
}

function ageOf(app: App, since: number | null): string {
  return formatAge(Math.max(0, app.now() - (since ?? app.now())));
}

async function doneFinding(app: App, duty: Duty): Promise<Finding> {
  const done = await selectUpkeep(app.db, duty);
  if (done !== null) {
    const age = ageOf(app, done.done_at);
    return fine(
      duty,
      duty === 'backup'
        ? { en: `the last is ${age} old`, es: `el último tiene ${age}` }
        : { en: `verified ${age} ago, and right`, es: `verificados hace ${age}, y están bien` },
    );
  }
  const age = ageOf(app, await selectFactsBegun(app.db));
  return fine(
    duty,
    duty === 'backup'
      ? { en: `none was made yet; the store is ${age} old`, es: `todavía no hay ninguno; la base tiene ${age}` }
      : { en: `not verified yet; they are ${age} old`, es: `todavía no se verifican; tienen ${age}` },
  );
}

const ENDPOINTS_NAMED = 5;

/** The endpoints that have failed for longest, by name: their merchants are not told now. */
async function endpointFindings(app: App): Promise<Finding[]> {
  const { environments } = await findElsewhere(app);
  return (await selectFailing(app.db, ENDPOINTS_NAMED, environments)).map((endpoint) => {
    const { address, name, payment_service, failing_since, waiting, next_attempt_at } = endpoint;
    const [english, spanish] = [causeOf(address, endpoint, 'en'), causeOf(address, endpoint, 'es')];
    const next = {
      en:
        next_attempt_at === null ? 'no attempt is planned' : `the next attempt is at ${timeText(next_attempt_at)} UTC`,
      es:
        next_attempt_at === null
          ? 'no hay un intento previsto'
          : `el próximo intento es el ${clockOf(next_attempt_at)}`,
    };
    const says = {
      en: `${address} of ${name} (${payment_service}) fails since ${timeText(failing_since)} UTC: ${waitText(waiting).en}, ${next.en}${english === null ? '' : `; ${english.cause}`}`,
      es: `${address} de ${name} (${payment_service}) falla desde ${clockOf(failing_since ?? app.now())}: ${waitText(waiting).es}, ${next.es}${spanish === null ? '' : `; ${spanish.cause}`}`,
    };
    const fallback = 'bin/rubrica callback endpoints';
    return problem('endpoint', says, { en: english?.fix ?? fallback, es: spanish?.fix ?? fallback });
  });
}
