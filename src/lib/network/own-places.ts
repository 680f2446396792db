import type { OwnPlaces } from './address-filter.ts';
import { originsAt } from './origins-at.ts';
import type { Network } from './private-networks.ts';

/** Returns the addresses of this service, so that it never calls itself. `port` is 0 until it listens. */
export function ownPlaces(config: {
  publicUrl: string | null;
  host: string;
  port: number;
  metricsHost: string;
  metricsPort: number | null;
  callbackNetworks: readonly Network[];
}): Required<OwnPlaces> {
  const { publicUrl, host, port, metricsHost, metricsPort, callbackNetworks: networks } = config;
  const url = publicUrl === null ? null : new URL(publicUrl);
  const metrics = metricsPort === null ? [] : originsAt(metricsHost, metricsPort);
  const listening = [...originsAt(host, port), ...metrics];
  return url === null
    ? { ownAddresses: [], ownOrigins: listening, networks }
    : { ownAddresses: [url.hostname], ownOrigins: [url.origin, ...listening], networks };
}
