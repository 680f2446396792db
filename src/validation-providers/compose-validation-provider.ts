import type { SafeFetch } from '../lib/network/safe-fetch.ts';
import { createHttpProvider } from './http-provider.ts';
import { createSimulatedProvider } from './simulated-provider.ts';
import type { ValidationProvider } from './validation-provider.ts';

export type ProviderSettings = {
  mode: 'development' | 'production';
  validationProviderUrl: string | null;
  validationProviderKey: string | null;
};

/** Returns the configured provider; without one, the simulated provider in development and null in production. */
export function composeValidationProvider(
  settings: ProviderSettings,
  fetch: SafeFetch,
  now: () => number,
): ValidationProvider | null {
  const { mode, validationProviderUrl: url, validationProviderKey: key } = settings;
  if (url !== null) return createHttpProvider({ url, key, fetch, now });
  return mode === 'development' ? createSimulatedProvider(now) : null;
}
