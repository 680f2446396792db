import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { App } from '../app.ts';
import { publicBase } from '../checkout/pay-link.ts';

export type Asset = { type: string; content: Buffer; version: string };

export type AssetName =
  | 'pay.css'
  | 'docs.css'
  | 'console.css'
  | 'submit-form.js'
  | 'docs.js'
  | 'console.js'
  | 'passkey.js'
  | 'favicon.svg'
  | 'simulated-method.svg'
  | 'simulated-transfer.svg'
  | 'webpay-method.svg';

/** All files that pages load. Read once at program start, so a missing file is noticed then. */
export const ASSETS: Readonly<Record<AssetName, Asset>> = {
  'pay.css': read('../checkout/assets/pay.css', 'text/css; charset=utf-8'),
  'docs.css': read('../reference/assets/docs.css', 'text/css; charset=utf-8'),
  'console.css': read('../console/assets/console.css', 'text/css; charset=utf-8'),
  'submit-form.js': read('../checkout/assets/submit-form.js', 'text/javascript; charset=utf-8'),
  'docs.js': read('../reference/assets/docs.js', 'text/javascript; charset=utf-8'),
  'console.js': read('../console/assets/console.js', 'text/javascript; charset=utf-8'),
  'passkey.js': read('../console/assets/passkey.js', 'text/javascript; charset=utf-8'),
  'favicon.svg': read('../checkout/assets/favicon.svg', 'image/svg+xml'),
  'simulated-method.svg': read('../checkout/assets/simulated-method.svg', 'image/svg+xml'),
  'simulated-transfer.svg': read('../checkout/assets/simulated-transfer.svg', 'image/svg+xml'),
  'webpay-method.svg': read('../checkout/assets/webpay-method.svg', 'image/svg+xml'),
};

/** Returns the path of an asset with its version, so browsers may cache it until it changes. */
export function assetPath(app: App, name: AssetName): string {
  return `${publicPath(app)}/assets/${name}?v=${ASSETS[name].version}`;
}

/** Returns the prefix of every link on a page: the base path as browsers see it, or an empty text. */
export function publicPath(app: App): string {
  return new URL(publicBase(app)).pathname.replace(/\/$/, '');
}

function read(file: string, type: string): Asset {
  const content = readFileSync(new URL(file, import.meta.url));
  return { type, content, version: hash('sha256', content).slice(0, 12) };
}
