import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { App } from '../app.ts';
import { publicBase } from '../checkout/pay-link.ts';

export type Asset = { type: string; content: Buffer; version: string };

export type AssetName = 'pay.css' | 'submit-form.js' | 'favicon.svg' | 'simulated-method.svg';

/** Every file that pages load. Read once, when the program starts: a missing one is noticed then. */
export const ASSETS: Readonly<Record<AssetName, Asset>> = {
  'pay.css': read('pay.css', 'text/css; charset=utf-8'),
  'submit-form.js': read('submit-form.js', 'text/javascript; charset=utf-8'),
  'favicon.svg': read('favicon.svg', 'image/svg+xml'),
  'simulated-method.svg': read('simulated-method.svg', 'image/svg+xml'),
};

/** The path of a file for a page, with its version: browsers keep it until it changes. */
export function assetPath(app: App, name: AssetName): string {
  return `${publicPath(app)}/assets/${name}?v=${ASSETS[name].version}`;
}

/** What stands before every path of a link on a page; empty, or the base path as browsers see it. */
export function publicPath(app: App): string {
  return new URL(publicBase(app)).pathname.replace(/\/$/, '');
}

function read(name: AssetName, type: string): Asset {
  const content = readFileSync(new URL(`../checkout/assets/${name}`, import.meta.url));
  return { type, content, version: createHash('sha256').update(content).digest('hex').slice(0, 12) };
}
