import type { App } from '../app.ts';
import { StorageError } from '../db/database.ts';
import { perInstance } from '../lib/per-instance.ts';
import type { Actor } from './actor.ts';
import { type Act, recordAudit } from './record-audit.ts';

/** An act that may be frequent and changes nothing: a sign-in or a refusal. */
export type CountedAct = Pick<Act, 'action' | 'subject' | 'after'> & { by: Actor };

const HOUR_MS = 3_600_000;
/** The most accounts and networks per hour with separate rows; the rest is counted together. */
const MOST_KNOWN = 1000;
/** The same for unknown accounts, so that invented names fill nothing. */
const MOST_UNKNOWN = 100;

/** `missed`: a write failed, so the next row has its time. */
type Group = { act: CountedAct; count: number; written: number; since: number; missed: boolean };
type Hour = { hour: number; groups: Map<string, Group>; known: number; unknown: number };

const counts = perInstance((_app: App) => ({
  current: newHour(0),
  ended: [] as Group[],
  /** The last write. Writes run one after the other, so they use one connection and keep their order. */
  writing: Promise.resolve(),
}));

/**
 * Counts such an act by actor, origin, action, subject and values, per process and hour. The 1st, 10th, 100th … act
 * becomes a row of the audit log, and so does the last count of the hour, so a stranger cannot fill the store. The
 * caller does not wait for the write.
 */
export function countAct(app: App, act: CountedAct): void {
  const now = app.now();
  const group = groupOf(app, act, now);
  group.count++;
  if (/^10*$/.test(String(group.count))) write(app, group);
}

/** Writes the counts of past hours; with `end` also of the current hour. Called by the worker. */
export async function writeCounts(app: App, when: 'hourly' | 'end' = 'hourly'): Promise<void> {
  const state = counts(app);
  if (when === 'end' || hourOf(app.now()) !== state.current.hour) endHour(app, hourOf(app.now()));
  for (const group of state.ended.splice(0)) if (group.count > group.written) write(app, group);
  await state.writing;
}

function groupOf(app: App, act: CountedAct, now: number): Group {
  const { by, action, subject, after = null } = act;
  if (counts(app).current.hour !== hourOf(now)) endHour(app, hourOf(now));
  const { current } = counts(app);
  const key = JSON.stringify([action, by.kind, by.name, by.origin, subject.kind, subject.id, after]);
  const found = current.groups.get(key);
  if (found !== undefined) return found;
  const isKnown = by.userId !== null;
  if (isKnown ? current.known >= MOST_KNOWN : current.unknown >= MOST_UNKNOWN) return othersOf(current, act, now);
  current[isKnown ? 'known' : 'unknown']++;
  return addGroup(current, key, act, now);
}

/** Returns the group of all acts without a separate row. */
function othersOf(current: Hour, { by, action, subject }: CountedAct, now: number): Group {
  const key = JSON.stringify([action, by.kind, subject.kind]);
  const others = { kind: by.kind, name: 'others', userId: null, origin: null };
  return (
    current.groups.get(key) ??
    addGroup(current, key, { by: others, action, subject: { ...subject, id: 'others' } }, now)
  );
}

function addGroup({ groups }: Hour, key: string, act: CountedAct, now: number): Group {
  const group = { act, count: 0, written: 0, since: now, missed: false };
  groups.set(key, group);
  return group;
}

function endHour(app: App, hour: number): void {
  const state = counts(app);
  state.ended.push(...state.current.groups.values());
  state.current = newHour(hour);
}

function newHour(hour: number): Hour {
  return { hour, groups: new Map(), known: 0, unknown: 0 };
}

function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS);
}

function write(app: App, group: Group): void {
  const { act, count, written, since, missed } = group;
  group.written = count;
  const at = app.now();
  const counted = { ...act.after, ...((count > 1 || missed) && { count, since: new Date(since).toISOString() }) };
  const after = Object.keys(counted).length > 0 ? counted : null;
  const state = counts(app);
  state.writing = state.writing
    .then(() => app.db.transaction((tx) => recordAudit(tx, { ...act, at, after })))
    .catch((error: unknown) => {
      app.log.error({ err: error, action: act.action }, 'an act could not be written down');
      // A commit of unknown outcome may have it, and a later write of the group has its count too.
      const isLost = error instanceof StorageError && error.code !== 'OUTCOME_UNKNOWN' && group.written === count;
      if (!isLost) return;
      // The end of the hour writes it; if that has been, the next call of the worker.
      Object.assign(group, { written, missed: true });
      if (![...state.current.groups.values()].includes(group)) state.ended.push(group);
    });
}
