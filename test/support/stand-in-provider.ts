import type { FetchOutcome, FetchRequest, SafeFetch } from '../../src/lib/network/safe-fetch.ts';

/** What a provider does with a transfer, by its amount; any other amount is confirmed at once. */
export type ProviderScript = {
  /** `lost`: the provider takes the transfer, but its response is lost. `dropped`: the request never arrives. */
  sent?: 'lost' | 'dropped';
  status?: string;
  later?: string;
  says?: Record<string, unknown>;
};

/** A transfer provider in this process that implements docs/payout-provider.md and records what it receives. */
export type StandInProvider = {
  fetch: SafeFetch;
  requests: FetchRequest[];
  /** Ids and amounts, once for each request. */
  given: { id: string; amount: number }[];
  /** Switches every transfer to its `later` status. */
  goOn(): void;
  isDown: boolean;
};

export const PROVIDER_URL = 'https://provider.example/transfers';

export function openStandInProvider(scripts: Record<number, ProviderScript> = {}): StandInProvider {
  const transfers = new Map<string, { id: string; amount: number; currency: string }>();
  let isLater = false;
  const statusOf = ({ status = 'confirmed', later = status }: ProviderScript) => (isLater ? later : status);
  const answer = (status: number, body: unknown): FetchOutcome => ({
    kind: 'answered',
    status,
    retryAfter: null,
    excerpt: JSON.stringify(body),
    durationMs: 1,
  });
  const describe = (transfer: { id: string; amount: number; currency: string }) => {
    const script = scripts[transfer.amount] ?? {};
    const status = statusOf(script);
    const reason = status === 'failed' || status === 'returned' ? { reason: 'Cuenta 0012345678 cerrada' } : {};
    return answer(200, { ...transfer, status, ...reason, ...script.says });
  };
  const provider: StandInProvider = {
    requests: [],
    given: [],
    isDown: false,
    goOn: () => {
      isLater = true;
    },
    fetch: async (request) => {
      provider.requests.push(request);
      if (provider.isDown) return { kind: 'failed', reason: 'timeout', detail: 'TIMEOUT', durationMs: 15_000 };
      if (request.method === 'GET') {
        const id = decodeURIComponent(new URL(request.url).pathname.split('/').at(-1) ?? '');
        const found = transfers.get(id);
        return found === undefined ? answer(404, { id, status: 'absent' }) : describe(found);
      }
      const { id, amount, currency } = JSON.parse(String(request.body)) as {
        id: string;
        amount: number;
        currency: string;
      };
      const script = scripts[amount] ?? {};
      if (script.sent !== 'dropped') {
        provider.given.push({ id, amount });
        transfers.set(id, { id, amount, currency });
      }
      if (script.sent !== undefined)
        return { kind: 'failed', reason: 'timeout', detail: 'TIMEOUT', durationMs: 15_000 };
      return describe(transfers.get(id) as { id: string; amount: number; currency: string });
    },
  };
  return provider;
}
