import type { Reader, SqlRow, Tx } from '../db/database.ts';

/** A row of `looks`, without the bytes of the logo. */
export type LookRow = SqlRow & {
  colour: string | null;
  site: string | null;
  contact: string | null;
  legal_name: string | null;
  rut: string | null;
  terms: string | null;
  logo_sha256: string | null;
  logo_type: string | null;
  logo_width: number | null;
  logo_height: number | null;
};

export async function selectLook(db: Reader, paymentServiceId: string): Promise<LookRow | null> {
  const [row] = await db.query<LookRow>(
    `select colour, site, contact, legal_name, rut, terms, logo_sha256, logo_type, logo_width, logo_height
     from looks where payment_service_id = $1`,
    [paymentServiceId],
  );
  return row ?? null;
}

/** Reads a logo by its SHA-256: its bytes in base64, and its media type. */
export async function selectLogo(db: Reader, sha256: string): Promise<{ logo: string; logo_type: string } | null> {
  const [row] = await db.query<{ logo: string; logo_type: string }>(
    'select logo, logo_type from looks where logo_sha256 = $1 limit 1',
    [sha256],
  );
  return row ?? null;
}

/** Writes a look without its logo, which stays unchanged. Rejects if there is no such payment service. */
export async function upsertLook(
  tx: Tx,
  paymentServiceId: string,
  changedAt: number,
  look: Pick<LookRow, 'colour' | 'site' | 'contact' | 'legal_name' | 'rut' | 'terms'>,
): Promise<void> {
  await tx.query(
    `insert into looks (payment_service_id, changed_at, colour, site, contact, legal_name, rut, terms)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (payment_service_id) do update set changed_at = excluded.changed_at, colour = excluded.colour,
       site = excluded.site, contact = excluded.contact, legal_name = excluded.legal_name, rut = excluded.rut,
       terms = excluded.terms`,
    [paymentServiceId, changedAt, look.colour, look.site, look.contact, look.legal_name, look.rut, look.terms],
  );
}

export type LogoColumns = {
  sha256: string | null;
  type: string | null;
  width: number | null;
  height: number | null;
  base64: string | null;
};

export async function updateLogo(tx: Tx, paymentServiceId: string, logo: LogoColumns): Promise<void> {
  await tx.query(
    `update looks set logo_sha256 = $2, logo_type = $3, logo_width = $4, logo_height = $5, logo = $6
     where payment_service_id = $1`,
    [paymentServiceId, logo.sha256, logo.type, logo.width, logo.height, logo.base64],
  );
}
