import type { ClaimedCallback } from './outbox-queries.ts';

/**
 * Concurrent requests per host. Not per endpoint, because a shop whose URL path contains the order has one endpoint per
 * callback.
 */
const SENT_TO_HOST = 32;
/** Concurrent requests to all hosts of an environment, because a shop may have any number of host names. */
const SENT_FOR_ENVIRONMENT = 128;
/**
 * With more waiting callbacks than this, an environment with a full host is excluded entirely, because its URLs may be
 * spelled in many ways.
 */
const HELD_OF_ENVIRONMENT = 5_120;

export type Claim = ClaimedCallback & { claimedAt: number };

/** The claimed callbacks of one endpoint. A dead merchant fills only its own queue and delays nobody. */
export type EndpointQueue = {
  readonly endpointId: number;
  readonly environmentId: number;
  readonly host: HostShare;
  waiting: Claim[];
  /**
   * The subjects of callbacks under way: see `subjectOf`. Another callback of the same subject waits, so that they
   * arrive in order.
   */
  sending: Set<number | string>;
  /** The last claim of this endpoint may have left callbacks of it unclaimed. */
  more: boolean;
  /** The endpoint responded 410, and this is being stored. */
  gone: boolean;
};

/** Returns the id of the transaction that a callback is about; without a transaction the id of the payout. */
export function subjectOf({ transaction_id, webhook_id }: ClaimedCallback): number | string {
  return transaction_id === 0 ? (PAYOUT.exec(webhook_id)?.[0] ?? webhook_id) : transaction_id;
}

const PAYOUT = /^evt_[a-z]+_[0-9a-z]+/;

/** One host of an environment: its queues, and its part of the concurrent requests. */
export type HostShare = {
  readonly shop: ShopShare;
  readonly origin: string;
  readonly queues: Set<EndpointQueue>;
  sending: number;
  /** The queues that may start another request, the next one first. */
  turns: Set<EndpointQueue>;
};

/** The hosts of one environment, and their concurrent requests. */
type ShopShare = {
  readonly hosts: Map<string, HostShare>;
  sending: number;
  /** The hosts with such queues, the next one first. */
  turns: Set<HostShare>;
};

export type LeftOut = {
  environments: readonly number[];
  hosts: readonly { environmentId: number; origin: string }[];
  /** The number of their running requests. */
  sending: number;
};

export const NOTHING_LEFT_OUT: LeftOut = { environments: [], hosts: [], sending: 0 };

/**
 * Limits the concurrent requests of one worker, per host and per environment. Hosts take turns, and so do the endpoints
 * of a host. `beginOne` starts one request of a queue and returns whether it did.
 */
export function createCallbackShares(beginOne: (queue: EndpointQueue) => boolean) {
  const shops = new Map<number, ShopShare>();

  const hostOf = (environmentId: number, url: string): HostShare => {
    const origin = URL.parse(url)?.origin ?? '';
    const shop = shops.get(environmentId) ?? { hosts: new Map(), sending: 0, turns: new Set() };
    shops.set(environmentId, shop);
    const host = shop.hosts.get(origin) ?? { shop, origin, queues: new Set(), sending: 0, turns: new Set() };
    shop.hosts.set(origin, host);
    return host;
  };

  /** Starts requests up to the limits; the rest start when others end. */
  const begin = (queues: Iterable<EndpointQueue>) => {
    const asked = new Set<ShopShare>();
    for (const queue of queues) {
      const { host } = queue;
      host.queues.add(queue);
      if (queue.waiting.length > 0) host.turns.add(queue);
      host.shop.turns.add(host);
      asked.add(host.shop);
    }
    for (const shop of asked) takeTurns(shop, beginOne);
  };

  const ended = (queue: EndpointQueue) => {
    queue.host.sending--;
    queue.host.shop.sending--;
    begin([queue]);
  };

  const remove = (queue: EndpointQueue) => {
    const { environmentId, host } = queue;
    host.queues.delete(queue);
    if (host.queues.size === 0) host.shop.hosts.delete(host.origin);
    if (host.shop.hosts.size === 0) shops.delete(environmentId);
  };

  /** Returns the hosts and environments at their limit. A claim skips their callbacks. */
  const leftOut = (): LeftOut => {
    const full = { environments: [] as number[], hosts: [] as LeftOut['hosts'][number][], sending: 0 };
    for (const [environmentId, shop] of shops) {
      const hosts = [...shop.hosts.values()].filter(isFull);
      if (hosts.length === 0) continue;
      const isWhole = shop.sending >= SENT_FOR_ENVIRONMENT || countWaiting(shop) > HELD_OF_ENVIRONMENT;
      if (isWhole) full.environments.push(environmentId);
      else full.hosts.push(...hosts.map(({ origin }) => ({ environmentId, origin })));
      full.sending += isWhole ? shop.sending : hosts.reduce((sum, { sending }) => sum + sending, 0);
    }
    return full;
  };

  return { hostOf, begin, ended, remove, leftOut };
}

/** Returns whether a host is at its limit. */
export function isFull({ sending, shop }: HostShare): boolean {
  return sending >= SENT_TO_HOST || shop.sending >= SENT_FOR_ENVIRONMENT;
}

function takeTurns(shop: ShopShare, beginOne: (queue: EndpointQueue) => boolean): void {
  while (shop.sending < SENT_FOR_ENVIRONMENT) {
    const [host] = shop.turns;
    if (host === undefined) return;
    shop.turns.delete(host);
    const [queue] = host.turns;
    // A full host gets its next turn when one of its requests ends.
    if (queue === undefined || host.sending >= SENT_TO_HOST) continue;
    host.turns.delete(queue);
    shop.turns.add(host);
    if (!beginOne(queue)) continue;
    host.sending++;
    shop.sending++;
    host.turns.add(queue);
  }
}

function countWaiting(shop: ShopShare): number {
  let waiting = 0;
  for (const { queues } of shop.hosts.values()) for (const queue of queues) waiting += queue.waiting.length;
  return waiting;
}
