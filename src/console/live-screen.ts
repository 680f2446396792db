import { PassThrough } from 'node:stream';
import type { App } from '../app.ts';
import { perInstance } from '../lib/per-instance.ts';
import { selectNewestChange } from '../search/today-queries.ts';
import { consoleHandler } from './console-visit.ts';

/**
 * The interval of the query for changes. One query serves all open pages of this process; without an open page it does
 * not run.
 */
const LOOK_MS = 3_000;
/** A stream ends after this time. The browser connects again, so an ended session receives no more events. */
const LONGEST_MS = 60_000;
/** The most streams of one process, and of one person in it. Further pages show the state at their loading. */
const MOST = 100;
const MOST_OF_A_PERSON = 10;
/** The interval at which pages fetch themselves for people who see only some merchants. */
const REFRESH_MS = 15_000;

/** The open streams of a process, each with the id of its person. */
const streamsOf = perInstance((_app: App) => new Map<PassThrough, string>());

/**
 * Tells the open pages of the console that something has changed, as server-sent events without content. The page then
 * fetches itself again, with its person's rights. A person who sees only some merchants would learn from the changes
 * how busy the others are, so these pages are told at a fixed interval. Status 204 tells a browser not to reconnect.
 */
export const getConsoleLive = consoleHandler(async (app, { request, reply, user, goTo }) => {
  if (!(request.headers.accept ?? '').includes('text/event-stream')) return goTo('');
  const streams = streamsOf(app);
  const own = [...streams.values()].filter((id) => id === user.id).length;
  if (streams.size >= MOST || own >= MOST_OF_A_PERSON || app.stopping.aborted) return reply.code(204).send();
  const stream = new PassThrough();
  streams.set(stream, user.id);
  const end = () => stream.end();
  const timer = setTimeout(end, LONGEST_MS).unref();
  app.stopping.addEventListener('abort', end, { once: true });
  stream.once('close', () => {
    clearTimeout(timer);
    app.stopping.removeEventListener('abort', end);
    streams.delete(stream);
  });
  stream.write('retry: 3000\n\n');
  if (user.environmentIds === null) await followChanges(app, stream);
  else refreshRegularly(stream);
  return reply.headers({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).send(stream);
});

/** Tells a page to fetch itself again. A stream that has ended stays open until a slow browser has read the rest. */
function tellChange(stream: PassThrough): void {
  if (stream.writable) stream.write('data: changed\n\n');
}

async function followChanges(app: App, stream: PassThrough): Promise<void> {
  const watch = watchOf(app);
  watch.listeners.add(stream);
  stream.once('close', () => watch.listeners.delete(stream));
  await watch.begin().catch((error: unknown) => {
    // Nobody reads this stream, so it would keep its place for ever.
    stream.destroy();
    throw error;
  });
}

function refreshRegularly(stream: PassThrough): void {
  const timer = setInterval(tellChange, REFRESH_MS, stream).unref();
  stream.once('close', () => clearInterval(timer));
}

type Watch = { listeners: Set<PassThrough>; begin(): Promise<void> };

/** `begin` resolves when the newest change is known; every later change is announced. */
const watchOf = perInstance((app: App): Watch => {
  const listeners = new Set<PassThrough>();
  let seen: Promise<string> | null = null;
  let isLooking = false;
  const look = async () => {
    const [before, newest] = [await seen, await selectNewestChange(app.db)];
    if (newest !== before) for (const listener of listeners) tellChange(listener);
    seen = Promise.resolve(newest);
  };
  const lookLater = () => void setTimeout(() => void lookAgain(), LOOK_MS).unref();
  const lookAgain = async () => {
    // If the store does not answer, the next round asks again.
    if (listeners.size > 0) await look().catch(() => {});
    if (listeners.size > 0) lookLater();
    else [seen, isLooking] = [null, false];
  };
  const begin = async () => {
    if (seen === null) {
      seen = selectNewestChange(app.db);
      seen.catch(() => {
        seen = null;
      });
      // The loop of a page that failed may still run. A second loop would never end.
      if (!isLooking) lookLater();
      isLooking = true;
    }
    await seen;
  };
  return { listeners, begin };
});
