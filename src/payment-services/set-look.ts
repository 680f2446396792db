import { hash } from 'node:crypto';
import type { App } from '../app.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Reader, Tx } from '../db/database.ts';
import type { ImageFile } from '../lib/image-file.ts';
import { changeService } from './find-environment.ts';
import { type Look, NO_LOOK } from './look.ts';
import { selectLogo, selectLook, updateLogo, upsertLook } from './look-queries.ts';
import { hasPaymentService } from './payment-service-queries.ts';

/** The changes of a look; an omitted part stays. The caller has checked the texts and the file. */
export type LookChanges = Partial<Omit<Look, 'logo'>> & { logo?: { image: ImageFile; bytes: Buffer } | null };

/** Changes the look of a payment service's pages, at once on every process. Null: no such payment service. */
export function setLook(app: App, id: string, changes: LookChanges, by: Actor): Promise<Look | null> {
  return changeService(app, id, async (tx) => {
    if (!(await hasPaymentService(tx, id))) return null;
    const before = await readLook(tx, id);
    const { logo, ...texts } = changes;
    const { legalName, ...rest } = { ...before, ...texts };
    await upsertLook(tx, id, app.now(), { ...rest, legal_name: legalName });
    if (logo !== undefined) await storeLogo(tx, id, logo);
    const after = await readLook(tx, id);
    const subject = { kind: 'payment_service', id };
    await recordAudit(tx, {
      at: app.now(),
      by,
      action: 'payment_service.look_set',
      subject,
      before: auditOf(before),
      after: auditOf(after),
    });
    return after;
  });
}

/** Returns the look of a payment service's pages. Nothing is set if there is no such payment service. */
export async function readLook(db: Reader, id: string): Promise<Look> {
  const row = await selectLook(db, id);
  if (row === null) return NO_LOOK;
  const { colour, site, contact, legal_name, rut, terms, logo_sha256, logo_type, logo_width, logo_height } = row;
  const logo =
    logo_sha256 === null
      ? null
      : {
          sha256: logo_sha256,
          type: logo_type as ImageFile['type'],
          width: logo_width ?? 0,
          height: logo_height ?? 0,
        };
  return { colour, site, contact, legalName: legal_name, rut, terms, logo };
}

/** Returns the file of a logo by its name; null if no payment service has it. */
export async function findLogo(app: App, sha256: string): Promise<{ type: string; bytes: Buffer } | null> {
  const found = await selectLogo(app.db, sha256);
  return found === null ? null : { type: found.logo_type, bytes: Buffer.from(found.logo, 'base64') };
}

function storeLogo(tx: Tx, id: string, logo: { image: ImageFile; bytes: Buffer } | null): Promise<void> {
  if (logo === null) return updateLogo(tx, id, { sha256: null, type: null, width: null, height: null, base64: null });
  const sha256 = hash('sha256', logo.bytes);
  return updateLogo(tx, id, { sha256, ...logo.image, base64: logo.bytes.toString('base64') });
}

function auditOf({ logo, ...look }: Look): Record<string, string | null> {
  return { ...look, logo: logo?.sha256 ?? null };
}
