import type { App } from '../app.ts';
import { readServerTime } from '../db/anchor-clock.ts';
import { whyFeedIsElsewhere } from '../db/citus-placement.ts';
import { isReadOnly, readDurability } from '../db/read-durability.ts';
import { worldTime } from '../lib/clock.ts';
import { measureFeedHold } from '../outbox/feed/measure-feed-hold.ts';
import { type Finding, fine, problem } from './finding.ts';

const LONGEST_HOLD_MS = 60_000;

/** Checks whether the feed advances. A long transaction in any database of the server stops it. */
export async function feedFinding(app: App): Promise<Finding> {
  const elsewhere = await whyFeedIsElsewhere(app.db);
  if (elsewhere !== null)
    return problem('feed', { en: 'cannot be correct on this node', es: 'no puede estar bien en este nodo' }, elsewhere);
  const hold = await measureFeedHold(app);
  if (hold === null) return fine('feed', { en: 'not blocked', es: 'nada lo detiene' });
  const { pid, application, database, ageMs } = hold;
  const seconds = Math.round(ageMs / 1000);
  const who = `${pid === 0 ? 'no process' : `pid ${pid}`}, ${application || 'without a name'}, database ${database}`;
  const quien = `${pid === 0 ? 'ningún proceso' : `pid ${pid}`}, ${application || 'sin nombre'}, base ${database}`;
  const says = {
    en: `is blocked by a transaction of ${seconds} s (${who})`,
    es: `está detenido detrás de una transacción de ${seconds} s (${quien})`,
  };
  if (ageMs < LONGEST_HOLD_MS) return fine('feed', says);
  const command = pid === 0 ? 'commit prepared, rollback prepared' : `select pg_terminate_backend(${pid})`;
  return problem('feed', says, {
    en: `GET /events returns nothing newer. Wait for that transaction, or end it: ${command}.`,
    es: `Quienes leen GET /events no ven nada nuevo. Deja que termine, o termínala: ${command}.`,
  });
}

/** Examines the PostgreSQL of a process, apart from the store's content. */
export async function postgresFindings(app: App): Promise<Finding[]> {
  const refusing = (await isReadOnly(app.db)) ? [problem('database', READ_ONLY, NAME_THE_PRIMARY)] : [];
  return [await clockFinding(app), ...refusing, await durabilityFinding(app)];
}

const READ_ONLY = {
  en: 'takes no changes: it is read-only, as a standby is',
  es: 'no acepta cambios: es de solo lectura, como una réplica',
};

const NAME_THE_PRIMARY = {
  en: 'Let DATABASE_URL name the primary, or set default_transaction_read_only = off.',
  es: 'Haz que DATABASE_URL nombre el primario, o pon default_transaction_read_only = off.',
};

const MOST_SKEW_MS = 5000;

async function clockFinding(app: App): Promise<Finding> {
  // The clock of a development installation may be advanced; the database's is not.
  const skew = worldTime(app.now) - (await readServerTime(app.db));
  const ms = Math.abs(skew);
  const says = {
    en: `PostgreSQL answers; this machine's clock is ${ms} ms ${skew < 0 ? 'behind' : 'ahead'}`,
    es: `PostgreSQL responde; el reloj de esta máquina está ${ms} ms ${skew < 0 ? 'atrasado' : 'adelantado'}`,
  };
  if (ms <= MOST_SKEW_MS) return fine('database', says);
  return problem('database', says, {
    en: 'The service uses the clock of the database. Run NTP on both machines.',
    es: 'El servicio sigue el reloj de la base. Usa NTP en las dos máquinas.',
  });
}

const WITHOUT_FSYNC = {
  en: 'Set fsync = on: a crash of the server can lose acknowledged data and corrupt the store.',
  es: 'Pon fsync = on: si el servidor se cae se pierde lo confirmado, y se puede dañar todo lo guardado.',
};

async function durabilityFinding(app: App): Promise<Finding> {
  const { fsync, fullPageWrites, synchronousCommit, isolation } = await readDurability(app.db);
  const pages =
    fullPageWrites === 'on' ? 'on' : `${fullPageWrites} (safe only where the disk writes pages of 8 KiB whole)`;
  const waits = ['off', 'local', 'remote_write'].includes(synchronousCommit)
    ? `${synchronousCommit} (the service commits with on)`
    : synchronousCommit;
  const level = isolation === 'read committed' ? isolation : `${isolation} (the service asks for read committed)`;
  const says = `fsync ${fsync}, full_page_writes ${pages}, synchronous_commit ${waits}, isolation ${level}`;
  return fsync === 'on' ? fine('durability', says) : problem('durability', says, WITHOUT_FSYNC);
}
