import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import type { App } from '../../app.ts';
import { selectStoreMark } from '../../epochs/epoch-queries.ts';
import { notACursor } from '../../error-catalogue.ts';
import { perInstance } from '../../lib/per-instance.ts';
import { deriveKey } from '../../lib/seal.ts';
import { installationKey } from '../../sealing/kept-key.ts';
import { selectPlainCursorsEnd } from './feed-link-queries.ts';
import type { PlaceInFeed } from './feed-queries.ts';

/** A place in the feed of one epoch; events after it may be lost in another epoch. */
export type FeedPlace = PlaceInFeed & { epoch: number };

/** Stored when the service starts. */
export const CURSOR_KEY = installationKey('feed-cursor');

/** Epoch, commit and position, 48 bits each. */
const PLACE_BYTES = 18;
/** After them the mark of the database. Older cursors lack it, and so do those from before the database had a name. */
const STORE_BYTES = 4;
const IV_BYTES = 16;

/**
 * Returns a place as a text that does not reveal how many events precede it. The same place always gives the same text:
 * its bytes are encrypted with AES-256-CTR, with their HMAC, cut to 128 bits, as the IV. Reading the text checks the
 * HMAC.
 */
export async function writeCursor(app: App, place: FeedPlace): Promise<string> {
  const keys = keysFrom(await CURSOR_KEY.read(app));
  const store = await storeOf(app, keys);
  const plain = Buffer.concat([Buffer.alloc(PLACE_BYTES), store ?? Buffer.alloc(0)]);
  plain.writeUIntBE(place.epoch, 0, 6);
  plain.writeUIntBE(place.commit_id, 6, 6);
  plain.writeUIntBE(place.position, 12, 6);
  const iv = ivOf(keys, plain);
  const cipher = createCipheriv('aes-256-ctr', keys.encryption, iv);
  return Buffer.concat([iv, cipher.update(plain)]).toString('base64url');
}

/**
 * Returns the place of a cursor, in the cursor's epoch; `epoch` is the current one. `elsewhere`: another database of
 * the installation issued it, before the payment service moved. Throws `Problem` `INVALID_PARAMETER` for any other
 * text.
 */
export async function readCursor(app: App, text: string, epoch: number): Promise<FeedPlace | 'elsewhere'> {
  const place = (await readSealed(app, text)) ?? (await readPlain(app, text, epoch));
  if (place !== null) return place;
  throw notACursor();
}

async function readSealed(app: App, text: string): Promise<FeedPlace | 'elsewhere' | null> {
  const bytes = Buffer.from(text, 'base64url');
  const storeBytes = bytes.length - IV_BYTES - PLACE_BYTES;
  if ((storeBytes !== 0 && storeBytes !== STORE_BYTES) || bytes.toString('base64url') !== text) return null;
  const keys = keysFrom(await CURSOR_KEY.read(app));
  const iv = bytes.subarray(0, IV_BYTES);
  const plain = createDecipheriv('aes-256-ctr', keys.encryption, iv).update(bytes.subarray(IV_BYTES));
  if (!timingSafeEqual(ivOf(keys, plain), iv)) return null;
  const store = plain.subarray(PLACE_BYTES);
  if (store.length > 0 && (await storeOf(app, keys))?.equals(store) !== true) return 'elsewhere';
  return { epoch: plain.readUIntBE(0, 6), commit_id: plain.readUIntBE(6, 6), position: plain.readUIntBE(12, 6) };
}

/**
 * Reads an older cursor in plain text. Valid only up to the last one that was issued: with later places a client could
 * find out how many events other merchants have. A cursor from before a restore may also be later; it is then read as
 * that last place.
 */
async function readPlain(app: App, text: string, epoch: number): Promise<FeedPlace | null> {
  const match = /^(?:(\d{1,15})\.)?(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (match === null) return null;
  const place = { epoch: Number(match[1] ?? 0), commit_id: Number(match[2]), position: Number(match[3]) };
  if (plainCursor(place) !== text) return null;
  const end = await selectPlainCursorsEnd(app.db);
  if (place.commit_id <= end.commit_id && place.position <= end.position) return place;
  return place.epoch === epoch ? null : { ...end, epoch: place.epoch };
}

function plainCursor({ epoch, commit_id, position }: FeedPlace): string {
  const place = `${commit_id}.${position}`;
  return Buffer.from(epoch === 0 ? place : `${epoch}.${place}`).toString('base64url');
}

/**
 * Returns the ids of events without a transaction, by position: an HMAC of the position, 24 hexadecimal digits, so that
 * an id does not reveal it. Older events have the position itself.
 */
export async function nameEvents(app: App, positions: readonly number[]): Promise<Map<number, string>> {
  if (positions.length === 0) return new Map();
  const key = deriveKey(await CURSOR_KEY.read(app), 'event-ids');
  const plain = await selectPlainCursorsEnd(app.db);
  const hash = (position: number) => createHmac('sha256', key).update(String(position)).digest('hex').slice(0, 24);
  return new Map(positions.map((at) => [at, `evt_${at <= plain.position ? at : hash(at)}`]));
}

const storeNames = perInstance((_app: App): { name: string | null } => ({ name: null }));

/** Returns the mark of this database among databases with the same key; null before its first start. */
async function storeOf(app: App, { authentication }: CursorKeys): Promise<Buffer | null> {
  const cache = storeNames(app);
  cache.name ??= (await selectStoreMark(app.db)).store_id;
  if (cache.name === null) return null;
  return createHmac('sha256', authentication).update(`store ${cache.name}`).digest().subarray(0, STORE_BYTES);
}

type CursorKeys = { encryption: Buffer; authentication: Buffer };

function keysFrom(key: string): CursorKeys {
  return { encryption: deriveKey(key, 'encryption'), authentication: deriveKey(key, 'authentication') };
}

function ivOf({ authentication }: CursorKeys, plain: Buffer): Buffer {
  return createHmac('sha256', authentication).update(plain).digest().subarray(0, IV_BYTES);
}
