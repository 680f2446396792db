/** A shop can have the order in the path of its URL, and then each callback has an endpoint of its own. */
const SENT_TO_HOST = 32;
/** To all hosts of one environment: a shop can have any number of names. */
const SENT_FOR_ENVIRONMENT = 128;
/** With so many that wait, an environment with a full host is left out whole: its URLs may be written in many ways. */
const HELD_OF_ENVIRONMENT = 5_120;

export type HostShare<Queue> = {
  readonly shop: ShopShare<Queue>;
  readonly origin: string;
  readonly queues: Set<Queue>;
  sending: number;
  /** The queues that can begin another request, the next one first. */
  turns: Set<Queue>;
};

type ShopShare<Queue> = {
  readonly hosts: Map<string, HostShare<Queue>>;
  sending: number;
  /** The hosts of such queues, the next one first. */
  turns: Set<HostShare<Queue>>;
};

type Queue<Self> = {
  readonly environmentId: number;
  readonly host: HostShare<Self>;
  readonly waiting: readonly unknown[];
};

export type LeftOut = {
  environments: readonly number[];
  hosts: readonly { environmentId: number; origin: string }[];
  /** The number of their requests. */
  sending: number;
};

export const NOTHING_LEFT_OUT: LeftOut = { environments: [], hosts: [], sending: 0 };

/**
 * Shares of what one worker sends at once: of each host of an environment, and of the environment. Hosts take turns, and so do
 * the endpoints of a host. `beginOne` begins one request of a queue, and answers whether it did.
 */
export function createCallbackShares<Q extends Queue<Q>>(beginOne: (queue: Q) => boolean) {
  const shops = new Map<number, ShopShare<Q>>();

  const hostOf = (environmentId: number, url: string): HostShare<Q> => {
    const origin = URL.parse(url)?.origin ?? '';
    const shop = shops.get(environmentId) ?? { hosts: new Map(), sending: 0, turns: new Set() };
    shops.set(environmentId, shop);
    const host = shop.hosts.get(origin) ?? { shop, origin, queues: new Set(), sending: 0, turns: new Set() };
    shop.hosts.set(origin, host);
    return host;
  };

  /** Begins what its shares have room for; the rest begins when others end. */
  const begin = (queues: Iterable<Q>) => {
    const asked = new Set<ShopShare<Q>>();
    for (const queue of queues) {
      const { host } = queue;
      host.queues.add(queue);
      if (queue.waiting.length > 0) host.turns.add(queue);
      host.shop.turns.add(host);
      asked.add(host.shop);
    }
    for (const shop of asked) takeTurns(shop, beginOne);
  };

  const ended = (queue: Q) => {
    queue.host.sending--;
    queue.host.shop.sending--;
    begin([queue]);
  };

  const remove = (queue: Q) => {
    const { environmentId, host } = queue;
    host.queues.delete(queue);
    if (host.queues.size === 0) host.shop.hosts.delete(host.origin);
    if (host.shop.hosts.size === 0) shops.delete(environmentId);
  };

  /** The full hosts and environments. A claim leaves their callbacks where they are. */
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

/** Whether nothing more can be sent to a host now. */
export function isFull({ sending, shop }: HostShare<unknown>): boolean {
  return sending >= SENT_TO_HOST || shop.sending >= SENT_FOR_ENVIRONMENT;
}

function takeTurns<Q>(shop: ShopShare<Q>, beginOne: (queue: Q) => boolean): void {
  while (shop.sending < SENT_FOR_ENVIRONMENT) {
    const [host] = shop.turns;
    if (host === undefined) return;
    shop.turns.delete(host);
    const [queue] = host.turns;
    // A full host has its turn again when one of its requests ends.
    if (queue === undefined || host.sending >= SENT_TO_HOST) continue;
    host.turns.delete(queue);
    shop.turns.add(host);
    if (!beginOne(queue)) continue;
    host.sending++;
    shop.sending++;
    host.turns.add(queue);
  }
}

function countWaiting(shop: ShopShare<{ waiting: readonly unknown[] }>): number {
  let waiting = 0;
  for (const { queues } of shop.hosts.values()) for (const queue of queues) waiting += queue.waiting.length;
  return waiting;
}
