import type { App } from '../app.ts';
import { selectFactsBegun } from '../books/fact-queries.ts';
import type { InBoth } from '../error-catalogue.ts';
import { formatAge } from '../lib/time-text.ts';
import type { Duty } from '../upkeep/upkeep.ts';
import { selectUpkeep } from '../upkeep/upkeep-queries.ts';
import type { AttentionKind, Waiting } from './attention.ts';

const DAY_MS = 86_400_000;

/** Turns a duty into a kind with one item at most. */
export function dutyKind(kind: Duty, nouns: AttentionKind['nouns']): AttentionKind {
  return {
    kind,
    nouns,
    measure: async (app) => {
      const waiting = await neglected(app, kind);
      return { count: waiting === null ? 0 : 1, oldest: waiting?.since ?? null };
    },
    list: async (app) => {
      const waiting = await neglected(app, kind);
      return waiting === null ? [] : [waiting];
    },
  };
}

/** Returns an item if the duty is overdue by its setting, was never done in that time, or found an error. */
async function neglected(app: App, duty: Duty): Promise<Waiting | null> {
  const limit = { backup: app.config.backupMaxAgeDays, books: app.config.verifyMaxAgeDays }[duty];
  const done = await selectUpkeep(app.db, duty);
  if (done?.ok === false) return waitingDuty(duty, done.done_at, WRONG);
  if (limit === null) return null;
  const since = done?.done_at ?? (await selectFactsBegun(app.db));
  if (since === null || app.now() - since <= limit * DAY_MS) return null;
  const age = formatAge(app.now() - since);
  return waitingDuty(duty, since, done === null ? NEVER[duty](age) : OLD[duty](age));
}

const WRONG: InBoth = {
  en: 'the last books verify found places that are not as posted',
  es: 'la última verificación de los libros encontró lugares que no están como se registraron',
};

const NEVER: Record<Duty, (age: string) => InBoth> = {
  backup: (age) => ({
    en: `no backup was made, and the store is ${age} old`,
    es: `no se ha hecho ningún respaldo, y la base tiene ${age}`,
  }),
  books: (age) => ({
    en: `the books were never verified, and they are ${age} old`,
    es: `los libros nunca se verificaron, y tienen ${age}`,
  }),
};

const OLD: Record<Duty, (age: string) => InBoth> = {
  backup: (age) => ({ en: `the last backup is ${age} old`, es: `el último respaldo tiene ${age}` }),
  books: (age) => ({
    en: `the books were last verified ${age} ago`,
    es: `los libros se verificaron por última vez hace ${age}`,
  }),
};

const COMMANDS: Record<Duty, string> = {
  backup: 'bin/rubrica backup FILE, or after a backup by other means: bin/rubrica backup-made',
  books: 'bin/rubrica books verify',
};

function waitingDuty(duty: Duty, since: number, reason: InBoth): Waiting {
  return {
    payment_service: '—',
    name: '—',
    environment: '—',
    transaction: null,
    id: duty,
    since,
    amount: null,
    currency: null,
    reason,
    command: COMMANDS[duty],
  };
}
