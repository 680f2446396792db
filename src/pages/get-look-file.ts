import type { FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import type { Operation } from '../http/endpoint.ts';
import { limitAddress } from '../http/request-limits.ts';
import { contrast, readColour } from '../lib/colour.ts';
import { createExpiringCache } from '../lib/expiring-cache.ts';
import { perInstance } from '../lib/per-instance.ts';
import { lookStyle } from '../payment-services/look.ts';
import { findLogo } from '../payment-services/set-look.ts';

const FOR_EVER = 'public, max-age=31536000, immutable';

/**
 * Returns a shop's own files for its pages: the style sheet of its colour (`1f6f4a.css`), or its logo by SHA-256. The
 * response's policy forbids scripts, whatever the file holds. Only a request that reads the store counts for the
 * client's network: the payers of a whole mobile network may share an address, and each page loads these files.
 */
export const getLookFile: Operation = {
  unlimited: true,
  handle: async (app, request, reply) => {
    const { name } = request.params as { name: string };
    const style = styleOf(name);
    const logo = style === null && /^[0-9a-f]{64}$/.test(name) ? await readLogo(app, request, name) : null;
    if (style === null && logo === null) throw new Problem('NOT_FOUND');
    return reply
      .header('content-type', logo?.type ?? 'text/css; charset=utf-8')
      .header('cache-control', FOR_EVER)
      .header('content-security-policy', "default-src 'none'; sandbox")
      .send(logo?.bytes ?? style);
  },
};

const LIFETIME_MS = 60_000;

/** A logo has at most 64 KiB. */
const MOST_LOGOS = 100;

const logos = perInstance((app: App) =>
  createExpiringCache<{ type: string; bytes: Buffer }>({
    lifetimeMs: LIFETIME_MS,
    capacity: MOST_LOGOS,
    now: app.now,
  }),
);

async function readLogo(app: App, request: FastifyRequest, sha256: string) {
  const known = logos(app).peek(sha256);
  if (known !== null) return known;
  if (app.config.rateLimits) await limitAddress(app, request);
  return logos(app).get(sha256, () => findLogo(app, sha256));
}

function styleOf(name: string): string | null {
  const colour = /^[0-9a-f]{6}\.css$/.test(name) ? readColour(`#${name.slice(0, 6)}`) : null;
  return colour === null || contrast(colour, '#ffffff') < 4.5 ? null : lookStyle(colour);
}
