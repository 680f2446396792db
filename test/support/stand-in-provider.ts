import type { FetchOutcome, FetchRequest, SafeFetch } from '../../src/lib/safe-fetch.ts';

/** What a provider does with a transfer, by its amount; any other amount is confirmed at once. */
export type ProviderScript = {
  /** `lost`: it is done, and nobody hears of it. `dropped`: it never came. */
  sent?: 'lost' | 'dropped';
  status?: string;
  later?: string;
  says?: Record<string, unknown>;
};

/** A provider of transfers in this process that speaks what docs/payout-provider.md says, and remembers what it was given. */
export type StandInProvider = {
  fetch: SafeFetch;
  requests: FetchRequest[];
  /** Ids and amounts, each as often as it was handed over. */
  given: { id: string; amount: number }[];
  /** From now on it says what comes later. */
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
