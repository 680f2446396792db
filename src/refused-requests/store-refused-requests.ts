import type { Field } from '../../protocol/field.ts';
import { readFormFields } from '../../protocol/read-form-fields.ts';
import { readJsonFields } from '../../protocol/read-json-fields.ts';
import type { App } from '../app.ts';
import { authenticateBearer } from '../auth/tokens/authenticate-bearer.ts';
import type { InBoth } from '../error-catalogue.ts';
import { perInstance } from '../lib/per-instance.ts';
import { type Refusal, takeRefusals } from './note-refused-request.ts';
import { countProved } from './prove-refused-key.ts';
import { addRefusedKey, deleteRefusedKeysBefore, type RefusedKey } from './refused-key-queries.ts';
import { hidingNames, KEPT_REFUSED, type RefusedRequest, shownFields, withoutSecrets } from './refused-request.ts';
import {
  addRepeated,
  deleteBeyond,
  deleteRefusedBefore,
  insertRefused,
  type RefusingEnvironment,
  selectEnvironmentsAmong,
  selectEnvironmentsOfTransactionsAnywhere,
  selectTokensAmong,
} from './refused-request-queries.ts';

/**
 * Stores the refusals since the last call in one group; the worker calls it. Requests with production tokens are stored
 * only if REFUSED_REQUESTS allows it. In a flood the first of each hour and code are stored, and the others counted.
 */
export async function storeRefusedRequests(app: App): Promise<void> {
  const refusals = takeRefusals(app);
  if (refusals.length === 0) return;
  const owned = await findOwners(app, refusals);
  const { kept, repeated } = sample(
    app,
    owned.filter(({ place }) => isRefusalKept(app, place.environment)).map(({ row }) => row),
  );
  const keys = await refusedKeysOf(app, owned);
  if (kept.length === 0 && repeated.length === 0 && keys.length === 0) return;
  await app.db.transaction(async (tx) => {
    if (kept.length > 0) await insertRefused(tx, kept);
    for (const { last, times } of repeated) await addRepeated(tx, last, times);
    // Each in one order, so that two processes do not deadlock.
    const codes = new Map(kept.map((row) => [`${row.environment_id} ${row.code}`, row]));
    for (const [, { environment_id, code }] of [...codes].sort(([a], [b]) => (a < b ? -1 : 1)))
      await deleteBeyond(tx, environment_id, code, KEPT_REFUSED.ofCode);
    for (const key of keys.toSorted((a, b) => a.environment_id - b.environment_id))
      await addRefusedKey(tx, key, RUN_GAP_MS);
  });
}

/** After a day without a wrong signature the next one begins a new run. */
const RUN_GAP_MS = 86_400_000;

/**
 * Counts the wrong signatures of each payment service, also in production, where the requests themselves are not
 * stored.
 */
async function refusedKeysOf(app: App, owned: readonly Owned[]): Promise<RefusedKey[]> {
  // The signatures of a disabled payment service may be right.
  const wrong = owned.filter(
    ({ place, row }) => place !== NOBODY && place.disabled_at === null && row.code === 'SIGNATURE_INVALID',
  );
  const keys: RefusedKey[] = [];
  for (const [environment_id, of] of Map.groupBy(wrong, ({ place }) => place.id)) {
    const times = of.map(({ row }) => row.at);
    const owner = of[0]?.place.payment_service_id ?? '';
    const proved = await countProved(
      app,
      owner,
      of.map(({ fields }) => fields),
    );
    const run = { since: Math.min(...times), last_at: Math.max(...times), refusals: of.length };
    keys.push({ environment_id, ...run, proved });
  }
  return keys;
}

/** Deletes requests that are too old to keep; returns how many. */
export function forgetRefusedRequests(app: App, limit: number): Promise<number> {
  return app.db.transaction(async (tx) => {
    const before = app.now() - KEPT_REFUSED.ms;
    await deleteRefusedKeysBefore(tx, before);
    return deleteRefusedBefore(tx, before, limit);
  });
}

const NOBODY: RefusingEnvironment = { id: 0, environment: '', payment_service_id: '', disabled_at: null };

type Owned = { place: RefusingEnvironment; row: RefusedRequest; fields: readonly Field[] };

/** Returns each request as a row, with its owner. */
async function findOwners(app: App, refusals: readonly Refusal[]): Promise<Owned[]> {
  const read = refusals.map((refusal) => ({ refusal, ...readBody(refusal) }));
  const tokens = [...new Set(read.flatMap(({ token }) => token ?? []))];
  const known = tokens.length === 0 ? [] : await selectTokensAmong(app.db, tokens);
  const byToken = new Map(known.map(({ service_token, ...place }) => [service_token, place]));
  const byTransaction = await findTransactions(app, refusals);
  return read.map(({ refusal, token, fields }) => {
    const place = byToken.get(token ?? '') ?? byTransaction.get(refusal) ?? NOBODY;
    return { place, row: rowOf(refusal, place, fields), fields };
  });
}

/**
 * Returns whether refused requests of an environment are stored. '' (no payment service): as in the mode of the
 * program.
 */
export function isRefusalKept({ config }: Pick<App, 'config'>, environment: string): boolean {
  return config.refusedRequests === 'all' || (environment || config.mode) === 'development';
}

/** Returns the payment service of the transaction in the URL, if the user of the access token may see it. */
async function findTransactions(app: App, refusals: readonly Refusal[]): Promise<Map<Refusal, RefusingEnvironment>> {
  const naming = refusals.filter(({ bearer }) => bearer !== null && bearer.transactionId > 0);
  if (naming.length === 0) return new Map();
  const ids = [...new Set(naming.map(({ bearer }) => bearer?.transactionId as number))];
  const rows = await selectEnvironmentsOfTransactionsAnywhere(app.db, ids);
  const environments = await selectEnvironmentsAmong(app.db, [...new Set(rows.map((row) => row.environment_id))]);
  const found = new Map<Refusal, RefusingEnvironment>();
  for (const refusal of naming) {
    const row = rows.find(({ id }) => id === refusal.bearer?.transactionId);
    const place = environments.find(({ id }) => id === row?.environment_id);
    if (place === undefined) continue;
    const user = await authenticateBearer(app, refusal.bearer?.authorization, undefined).catch(() => null);
    if (user !== null && (user.environmentIds?.has(place.id) ?? true)) found.set(refusal, place);
  }
  return found;
}

function readBody({ body, serviceToken }: Refusal): { token: string | null; fields: readonly Field[] } {
  if (body === null) return { token: serviceToken, fields: [] };
  try {
    const fields = body.isForm ? readFormFields(body.bytes) : readJsonFields(body.bytes);
    return { token: fields.find(({ name }) => name === 'x_account_id')?.text ?? null, fields };
  } catch {
    // The body cannot be read and was refused for that; its Service Token may still be found.
    const text = body.bytes.toString('latin1');
    return { token: /x_account_id["\s]{0,4}[:=]["\s]{0,4}([\w-]{1,100})/.exec(text)?.[1] ?? null, fields: [] };
  }
}

function rowOf(refusal: Refusal, place: RefusingEnvironment, fields: readonly Field[]): RefusedRequest {
  const { requestId, at, method, route, status, code, errors } = refusal;
  const { id } = place;
  const detail = place.disabled_at !== null && BY_TOKEN.includes(code) ? disabled(place) : refusal.detail;
  const hide = hidingNames(errors.map(({ pointer }) => pointer));
  const said = { detail: storable(hide(detail.en)), detail_es: storable(hide(detail.es)) };
  const answered = { at, method, route, status, code, ...said };
  const storedErrors = JSON.stringify(errors.slice(0, 20), (_, value) =>
    typeof value === 'string' ? storable(hide(value)) : value,
  );
  const texts = { errors: storedErrors, fields: JSON.stringify(shownFields(fields)) };
  return { request_id: requestId, environment_id: id, ...answered, ...texts, repeated: 0 };
}

/** The answers of a disabled payment service. They do not say why, because a stranger may have asked. */
const BY_TOKEN: readonly string[] = ['SIGNATURE_INVALID', 'SERVICE_TOKEN_INVALID'];

function disabled({ payment_service_id }: RefusingEnvironment): InBoth {
  const command = `\`bin/rubrica payment-service enable ${payment_service_id}\`.`;
  return {
    en: `The payment service is disabled and refuses every request: ${command}`,
    es: `El servicio de pago está deshabilitado y rechaza toda solicitud: ${command}`,
  };
}

/**
 * Makes a text safe to store. PostgreSQL refuses a NUL and half a character, and with it the whole group; other control
 * characters would change an operator's terminal.
 */
function storable(text: string): string {
  return withoutSecrets(text.slice(0, 1_000))
    .replace(/\p{Cc}/gu, '\uFFFD')
    .toWellFormed();
}

type Counted = { hour: number; count: number; last: RefusedRequest };

const counts = perInstance((_app: App) => new Map<string, Counted>());

const HOUR_MS = 3_600_000;
const MOST_COUNTED = 10_000;

/** Selects the first rows of each hour, environment and code; the others are counted with the last selected one. */
function sample(app: App, rows: readonly RefusedRequest[]) {
  const known = counts(app);
  if (known.size > MOST_COUNTED) known.clear();
  const repeated = new Map<Counted, number>();
  const kept = rows.filter((row) => {
    const key = `${row.environment_id} ${row.code}`;
    const hour = Math.floor(row.at / HOUR_MS);
    const before = known.get(key);
    if (before === undefined || before.hour !== hour) known.set(key, { hour, count: 1, last: row });
    else if (before.count < KEPT_REFUSED.ofHour) Object.assign(before, { count: before.count + 1, last: row });
    else {
      repeated.set(before, (repeated.get(before) ?? 0) + 1);
      return false;
    }
    return true;
  });
  return { kept, repeated: [...repeated].map(([{ last }, times]) => ({ last, times })) };
}
