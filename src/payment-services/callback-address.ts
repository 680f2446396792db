import { holdsCardNumber } from '../../protocol/card-number.ts';
import type { App } from '../app.ts';
import { checkOutboundUrl, type UrlRefusal } from '../lib/network/address-filter.ts';
import { ownPlaces } from '../lib/network/own-places.ts';
import type { Environment } from './payment-service.ts';

/** The reason why a URL that a merchant gives is refused. */
export type GivenUrlRefusal = Omit<UrlRefusal, 'code'> & { code: UrlRefusal['code'] | 'CARD_NUMBER' };

/** Returns why a URL cannot receive the callbacks of an environment; null if it can. */
export function refuseCallbackUrl(app: App, environment: Environment, url: string): GivenUrlRefusal | null {
  return refuseGivenUrl(app, allowsPrivate(app, environment), url);
}

/**
 * Returns why a merchant's URL cannot be stored and called; null if it can. `allowPrivate`: the address may be private.
 */
export function refuseGivenUrl(app: App, allowPrivate: boolean, url: string): GivenUrlRefusal | null {
  const refusal = checkOutboundUrl(url, { allowPrivate, ...ownPlaces(app.config) });
  return refusal ?? (holdsCardNumber(url) ? HOLDS_CARD : null);
}

const HOLDS_CARD: GivenUrlRefusal = {
  code: 'CARD_NUMBER',
  message: 'The URL contains what looks like a card number.',
  fix: 'Put your own number there. If it only looks like one, write a letter directly before it, such as A.',
  es: {
    message: 'La URL lleva lo que parece un número de tarjeta.',
    fix: 'Pon ahí tu propio número. Si solo se parece a uno, escribe una letra justo antes, como A.',
  },
};

/** Returns whether callbacks may go to private addresses, by `http:` and to any port: only in development. */
export function allowsPrivate({ config }: App, environment: Environment): boolean {
  return config.allowPrivateCallbacks && environment === 'development';
}
