import type { App } from '../app.ts';
import type { InBoth } from '../error-catalogue.ts';
import { formatAge } from '../lib/time-text.ts';
import {
  type ListedRefusedKey,
  measureRefusedKeys,
  type RefusedKeyFilter,
  selectRefusedKeys,
} from '../refused-requests/refused-key-queries.ts';
import { isRefusalKept } from '../refused-requests/store-refused-requests.ts';
import type { AttentionKind, Waiting } from './attention.ts';

const HOUR = 3_600_000;
/** Fewer wrong requests may be first tries of a person; this many come from a service with a wrong key. */
const LEAST = 5;

/** Merchants whose service signs with a wrong key, so that its payments are refused. */
export const KEY_ATTENTION: AttentionKind = {
  kind: 'key',
  nouns: ['merchant whose signatures are refused', 'merchants whose signatures are refused'],
  measure: (app) => measureRefusedKeys(app.db, filterOf(app)),
  list: async (app, limit) =>
    (await selectRefusedKeys(app.db, filterOf(app), limit)).map((key) => waitingKey(app, key)),
};

/**
 * The item ends an hour after the last refusal if the right key is in use again, at once if it is used for the first
 * time, and otherwise after a day.
 */
function filterOf(app: App): RefusedKeyFilter {
  return { after: app.now() - 24 * HOUR, least: LEAST, healedMs: HOUR };
}

function waitingKey(
  app: App,
  { payment_service, name, environment, since, last_at, refusals, proved }: ListedRefusedKey,
): Waiting {
  const age = app.now() - last_at;
  const isKept = isRefusalKept(app, environment);
  const cause = causeOf(refusals, proved);
  const list = `bin/rubrica request list --payment-service ${payment_service}`;
  return {
    payment_service,
    name,
    environment,
    transaction: null,
    id: payment_service,
    since,
    amount: null,
    currency: null,
    reason: {
      en: `${refusals} requests in its name were signed wrongly, the last ${formatAge(age)} ago: ${cause.en}. ${isKept ? 'Which' : 'Which, from the next on, with REFUSED_REQUESTS=all'}: ${list}`,
      es: `${refusals} solicitudes en su nombre vinieron mal firmadas, la última hace ${formatAge(age, 'es')}: ${cause.es}. ${isKept ? 'Cuáles' : 'Cuáles, desde la próxima, con REFUSED_REQUESTS=all'}: ${list}`,
    },
    command: `bin/rubrica payment-service hand-over ${payment_service} --environment ${environment}`,
  };
}

/** Says what the signatures prove. A stranger who knows the Service Token can add wrong ones: they prove nothing. */
function causeOf(refusals: number, proved: number): InBoth {
  if (proved === 0) {
    return {
      en: 'its service has another Secret Token; none was ever signed rightly',
      es: 'su servicio tiene otro Secret Token; ninguna vino nunca bien firmada',
    };
  }
  const some = proved < refusals;
  return {
    en: `its service signed ${some ? `${proved} of them` : 'them'} with another Secret Token of its own, one that has ended or of the other environment`,
    es: `su servicio firmó ${some ? `${proved} de ellas` : 'estas'} con otro Secret Token suyo, uno que terminó o del otro ambiente`,
  };
}
