import type { App } from '../app.ts';
import { ConfigError } from '../config.ts';
import { StorageError } from '../db/database.ts';
import { inspectSchema } from '../db/migrate.ts';
import { nameMigrations, refusalOf, type SchemaDifference } from '../db/schema.ts';
import type { InBoth } from '../error-catalogue.ts';
import { findEnvironmentById } from '../payment-services/find-environment.ts';
import { listPaymentServices } from '../payment-services/list-payment-services.ts';
import type { TokenRow } from '../payment-services/payment-service-queries.ts';
import { countSeals } from '../sealing/reseal.ts';
import { anchorFindings } from './anchor-findings.ts';
import { auditFinding } from './audit-finding.ts';
import { bankListFinding } from './bank-list-finding.ts';
import { type Finding, fine, problem } from './finding.ts';
import { runningFindings } from './list-processes.ts';
import { feedFinding } from './postgres-findings.ts';
import { passkeyFindings } from './process-findings.ts';
import { SEALED_KINDS } from './sealed-kinds.ts';
import { secretFindings } from './secret-findings.ts';
import { workFindings } from './work-findings.ts';

/** Examines the store. `doctor` and the console report the same, whichever process looks. Reads only. */
export async function examineStore(app: App): Promise<Finding[]> {
  const schema = schemaFinding(await inspectSchema(app.db));
  if (schema.fix !== null) return [schema];
  const feed = app.db.engine === 'postgres' ? [await feedFinding(app)] : [];
  return [
    schema,
    await masterKeyFinding(app),
    ...(await secretFindings(app)),
    ...feed,
    ...(await workFindings(app)),
    ...(await anchorFindings(app)),
    await auditFinding(app),
    await bankListFinding(app),
    ...(await passkeyFindings(app)),
    ...(await runningFindings(app)),
  ];
}

function schemaFinding(difference: SchemaDifference): Finding {
  const refusal = refusalOf(difference);
  if (refusal !== null)
    return problem('schema', { en: 'belongs to another version', es: 'es de otra versión' }, refusal.message);
  const { pending, newer } = difference;
  if (pending.length > 0) {
    const says = lackOf(pending);
    return problem('schema', says, {
      en: 'serve migrates the store when it starts. Without it: bin/rubrica migrate',
      es: 'serve lo hace al partir; sin él: bin/rubrica migrate',
    });
  }
  if (newer.length === 0) return fine('schema', { en: 'up to date', es: 'al día' });
  return fine('schema', {
    en: `a newer version added ${newer.join(', ')}; this version works with it`,
    es: `una versión más nueva agregó ${newer.join(', ')}, y esta sigue al lado`,
  });
}

function lackOf(pending: readonly string[]): InBoth {
  const [first, last, n] = [pending[0], pending.at(-1), pending.length];
  const es = n <= 3 ? `le falta ${pending.join(', ')}` : `le faltan ${n} migraciones, de ${first} a ${last}`;
  return { en: `lacks ${nameMigrations(pending)}`, es };
}

function asError(error: unknown): unknown {
  if (error instanceof StorageError) throw error;
  return error;
}

const RIGHT_KEY = {
  en: 'Set the MASTER_KEY that encrypted it, or in development put back master.key in DATA_DIR.',
  es: 'Pon la MASTER_KEY con que se selló, o en desarrollo devuelve master.key a DATA_DIR.',
};

/** Reports that the master key is right and yet no Secret Token of an environment can be decrypted. */
function secretsChanged({ payment_service_id: id, environment }: TokenRow): Finding {
  const says = {
    en: `cannot decrypt any Secret Token of ${id} (${environment}): somebody changed or moved them in the store`,
    es: `no abre ningún Secret Token de ${id} (${environment}): alguien los cambió o los movió en la base`,
  };
  const rotate = `bin/rubrica payment-service rotate ${id} --environment ${environment}`;
  return problem('master-key', says, {
    en: `Find out who writes to the database. To create a new Secret Token: ${rotate}`,
    es: `Averigua quién escribe en la base de datos. Otro Secret Token: ${rotate}`,
  });
}

/** Checks MASTER_KEY by decrypting what it should have encrypted. */
async function masterKeyFinding(app: App): Promise<Finding> {
  const services = await listPaymentServices(app);
  for (const token of services.flatMap(({ tokens }) => tokens)) {
    const failure = await findEnvironmentById(app, token.environment_id).then(() => null, asError);
    if (failure === null) continue;
    if (!(failure instanceof ConfigError)) return secretsChanged(token);
    const says = { en: 'cannot decrypt a stored Secret Token', es: 'no abre un Secret Token guardado' };
    return problem('master-key', says, RIGHT_KEY);
  }
  const seals = await Promise.all(
    SEALED_KINDS.map(async (kind) => ({ name: kind.name, ...(await countSeals(app, kind)) })),
  );
  const stranger = seals.find(({ unknown }) => unknown > 0);
  if (stranger !== undefined) {
    const { unknown, name } = stranger;
    const says = { en: `${unknown} ${name} are encrypted with another key`, es: `otra clave selló ${unknown} ${name}` };
    return problem('master-key', says, RIGHT_KEY);
  }
  const opens = {
    en: `decrypts every Secret Token; payment services: ${services.length}`,
    es: `abre todos los Secret Token; servicios de pago: ${services.length}`,
  };
  if (app.config.masterKeyPrevious === null) return fine('master-key', opens);
  const left = seals.reduce((sum, { previous }) => sum + previous, 0);
  if (left === 0)
    return fine('master-key', {
      en: `${opens.en}; nothing is encrypted with MASTER_KEY_PREVIOUS: it may be removed`,
      es: `${opens.es}; nada está sellado con MASTER_KEY_PREVIOUS: se puede quitar`,
    });
  const says = {
    en: `${left} secrets are encrypted with MASTER_KEY_PREVIOUS`,
    es: `${left} textos están sellados con MASTER_KEY_PREVIOUS`,
  };
  return problem('master-key', says, 'bin/rubrica master-key rotate');
}
