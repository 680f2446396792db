import type { Reader, SqlRow, Tx } from '../../db/database.ts';

/** Times are UTC milliseconds. `sign_in`: a link that signs in without a password, for a demo in development. */
export type InvitationRow = SqlRow & {
  id: string;
  user_id: string;
  kind: 'invitation' | 'sign_in';
  hash: string;
  created_at: number;
  created_by: string;
  expires_at: number;
  used_at: number | null;
  ended_at: number | null;
};

export async function insertInvitation(tx: Tx, row: InvitationRow): Promise<void> {
  await tx.query(
    `insert into invitations (id, user_id, kind, hash, created_at, created_by, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [row.id, row.user_id, row.kind, row.hash, row.created_at, row.created_by, row.expires_at],
  );
}

export async function selectInvitationByHash(db: Reader, hash: string): Promise<InvitationRow | null> {
  const [row] = await db.query<InvitationRow>('select * from invitations where hash = $1', [hash]);
  return row ?? null;
}

export async function selectInvitation(db: Reader, id: string): Promise<InvitationRow | undefined> {
  const [row] = await db.query<InvitationRow>('select * from invitations where id = $1', [id]);
  return row;
}

export function selectInvitationsOf(db: Reader, userId: string): Promise<InvitationRow[]> {
  return db.query<InvitationRow>('select * from invitations where user_id = $1 order by created_at, id', [userId]);
}

/** Returns the invitations that are neither used nor ended; they may have expired. */
export function selectOpenInvitations(db: Reader): Promise<(InvitationRow & { email: string; role: string })[]> {
  return db.query(
    `select i.*, u.email, u.role from invitations i join users u on u.id = i.user_id
     where i.kind = 'invitation' and i.used_at is null and i.ended_at is null order by i.created_at, i.id`,
  );
}

/** Uses up a link if it is open at `at`. Returns false otherwise, also for the later of two concurrent requests. */
export async function updateInvitationUsed(tx: Tx, id: string, at: number): Promise<boolean> {
  const rows = await tx.query(
    `update invitations set used_at = $2
     where id = $1 and used_at is null and ended_at is null and expires_at > $2 returning id`,
    [id, at],
  );
  return rows.length === 1;
}

/** Ends one open link by its id, or all open links of a user. Returns them. */
export function updateInvitationsEnded(tx: Tx, idOrUser: string, at: number): Promise<InvitationRow[]> {
  return tx.query<InvitationRow>(
    `update invitations set ended_at = $2
     where (id = $1 or user_id = $1) and used_at is null and ended_at is null returning *`,
    [idOrUser, at],
  );
}
