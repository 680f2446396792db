import type { App } from '../app.ts';
import { checkOutboundUrl, type UrlRefusal } from '../lib/network/address-filter.ts';
import { ownPlaces } from '../lib/network/own-places.ts';
import type { Environment } from './payment-service.ts';

/** Returns why a URL cannot receive the callbacks of an environment; null if it can. */
export function refuseCallbackUrl(app: App, environment: Environment, url: string): UrlRefusal | null {
  return checkOutboundUrl(url, { allowPrivate: allowsPrivate(app, environment), ...ownPlaces(app.config) });
}

/** Returns whether callbacks may go to private addresses, by `http:` and to any port: only in development. */
export function allowsPrivate({ config }: App, environment: Environment): boolean {
  return config.allowPrivateCallbacks && environment === 'development';
}
