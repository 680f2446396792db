import type { FetchRequest } from '../../../src/lib/network/safe-fetch.ts';
import type { World } from './world.ts';

/**
 * Two tempers come from published shops: `once` answers 400 to a callback that it already has, `handing on` accepts a
 * callback and redirects to a page. `redirecting` has moved, `missing` is being deployed. `gone` answers 410 from some
 * time on. In the second phase all accept callbacks again, except half of the `gone` ones.
 */
export const TEMPERS = [
  'well',
  'well',
  'flaky',
  'hanging',
  'failing',
  'redirecting',
  'handing on',
  'missing',
  'busy',
  'refusing',
  'once',
  'gone',
] as const;

export type Temper = (typeof TEMPERS)[number];

export type Answer = { status: number; retryAfter: string | null; location?: string };

export type Merchant = {
  readonly name: string;
  readonly url: string;
  readonly temper: Temper;
  /** Returns the response, or null for none. */
  receive(request: FetchRequest): Answer | null;
  /** The callbacks that it accepted, and the last state of each transaction. */
  readonly taken: Set<string>;
  readonly lastSaid: Map<string, { sequence: number; result: string }>;
  /** The callbacks that came with a different body than the first time. */
  readonly changed: string[];
  /** Makes the merchant healthy, unless it is gone for good. */
  recover(): void;
  /** Whether it answers 410 for ever. */
  goneForGood(): boolean;
};

/** Creates a merchant's server, as far as the engine sees it. */
export function createMerchant(world: World, number: number, temper: Temper): Merchant {
  const name = `m${number}`;
  const taken = new Set<string>();
  const lastSaid = new Map<string, { sequence: number; result: string }>();
  const bodies = new Map<string, string>();
  const changed: string[] = [];
  const goneFrom = world.now() + world.between(0, 50) * 60_000;
  const comesBack = world.chance(0.5);
  let recovered = false;

  const gone = () => temper === 'gone' && world.now() >= goneFrom && !(recovered && comesBack);

  function takeIn(id: string, request: FetchRequest): Answer {
    taken.add(id);
    const fields = new URLSearchParams(String(request.body));
    const transaction = fields.get('x_gateway_reference') as string;
    const sequence = Number(request.headers['rubrica-sequence']);
    const before = lastSaid.get(transaction);
    if (before === undefined || before.sequence <= sequence) {
      lastSaid.set(transaction, { sequence, result: fields.get('x_result') as string });
    }
    if (temper === 'handing on') return { status: 302, retryAfter: null, location: '/thanks' };
    return { status: 200, retryAfter: null };
  }

  function receive(request: FetchRequest): Answer | null {
    const id = request.headers['webhook-id'] as string;
    const body = bodies.get(id) ?? String(request.body);
    if (body !== String(request.body)) changed.push(id);
    bodies.set(id, body);
    if (gone()) return { status: 410, retryAfter: null };
    if (temper === 'once' && taken.has(id)) return { status: 400, retryAfter: null };
    if (recovered) return takeIn(id, request);
    if (temper === 'hanging') return null;
    if (temper === 'failing') return { status: world.pick([500, 502, 503, 408]), retryAfter: null };
    if (temper === 'missing') return { status: world.pick([401, 403, 404]), retryAfter: null };
    if (temper === 'redirecting')
      return {
        status: world.pick([301, 302, 307]),
        retryAfter: null,
        location: `https://www.${name}.example/callback`,
      };
    if (temper === 'busy') return { status: 429, retryAfter: retryAfter(world) };
    if (temper === 'refusing') return { status: world.pick([400, 404, 422]), retryAfter: null };
    if (temper === 'flaky' && world.chance(0.4)) return { status: 500, retryAfter: null };
    return takeIn(id, request);
  }

  return {
    name,
    url: `https://${name}.example/callback?order=`,
    temper,
    receive,
    taken,
    lastSaid,
    changed,
    recover: () => {
      recovered = true;
    },
    goneForGood: () => temper === 'gone' && !comesBack,
  };
}

/** Returns a Retry-After in seconds or as a date; merchants send both. */
function retryAfter(world: World): string {
  const seconds = world.between(1, 600);
  return world.chance(0.5) ? String(seconds) : new Date(world.now() + seconds * 1000).toUTCString();
}
