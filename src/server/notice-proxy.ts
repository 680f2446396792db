import type { FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { isPublicAddress } from '../lib/network/address-filter.ts';
import { perInstance } from '../lib/per-instance.ts';

const noticedBy = perInstance((_app: App) => ({ any: false, near: false }));

/**
 * Warns once that a proxy forwards requests while TRUST_PROXY is off: all of them then count as one client. A stranger
 * can send the header too, so the metrics count only a peer on the same machine or network as a proxy.
 */
export function noticeProxy(app: App, { raw }: FastifyRequest): void {
  const noticed = noticedBy(app);
  if (noticed.near) return;
  noticed.near = !isPublicAddress(raw.socket.remoteAddress ?? '');
  if (noticed.near) app.metrics.untrustedProxy.set(1);
  if (noticed.any) return;
  noticed.any = true;
  const text = 'X-Forwarded-For arrives and TRUST_PROXY is off: clients behind a proxy count as one, in every limit';
  app.log.warn({ near: noticed.near }, `${text}; set TRUST_PROXY=true if the proxy is yours`);
}
