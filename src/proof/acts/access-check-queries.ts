import type { Reader, SqlRow } from '../../db/database.ts';
import { lastAct } from './act-check-queries.ts';

/** A second factor with the acts that added and removed it; null: there is no such act. */
export type FactorSaid = SqlRow & {
  id: string;
  user_id: string;
  kind: string;
  created_at: number;
  said: string | null;
  said_at: number | null;
  removed_at: number | null;
};

/** Lists the next second factors by id. */
export function selectFactorsSaid(db: Reader, afterId: string, limit: number): Promise<FactorSaid[]> {
  return db.query<FactorSaid>(
    `select f.id, f.user_id, f.kind, f.created_at, a.said_after as said, a.created_at as said_at, r.created_at as removed_at
     from (select o.*, ${lastAct('o.id', `'user.factor_added'`)} as made from factors o
       where o.id > $1 order by o.id limit $2) f
     left join audit_log a on a.link = f.made
     left join audit_log r on r.link = (select min(b.link) from audit_log b where b.subject in (f.id, f.user_id)
       and b.link > f.made and {filter_by}b.action in ('user.factor_removed', 'user.factors_reset'))
     order by f.id`,
    [afterId, limit],
  );
}

/** Lists the next acts that added a second factor which is gone without an act that removed it. */
export function selectFactorsGone(
  db: Reader,
  limit: number,
): Promise<{ subject: string; said_at: number; said: string | null }[]> {
  return db.query(
    `select a.subject, a.created_at as said_at, a.said_after as said from audit_log a
     where a.action = 'user.factor_added' and not exists (select 1 from factors f where f.id = a.subject)
       and not exists (select 1 from audit_log r where r.subject = a.subject and {filter_by}r.action = 'user.factor_removed')
       and not exists (select 1 from audit_log r where r.action = 'user.factors_reset' and r.link > a.link
         and a.said_after like '{"user":"' || r.subject || '"%')
     order by a.link limit $1`,
    [limit],
  );
}

/** A link to set a password with the acts that made, used and ended it; null: there is no such act. */
export type InvitationSaid = SqlRow & {
  id: string;
  user_id: string;
  created_at: number;
  created_by: string;
  expires_at: number;
  used_at: number | null;
  ended_at: number | null;
  said: string | null;
  said_at: number | null;
  said_by: string | null;
  used_said_at: number | null;
  end_said_at: number | null;
};

/**
 * Lists the next links by id. The end of a link is the act about it, the next act that resets the password of its user
 * or disables the user, or the next invitation of the user: these end every open link.
 */
export function selectInvitationsSaid(db: Reader, afterId: string, limit: number): Promise<InvitationSaid[]> {
  return db.query<InvitationSaid>(
    `select i.id, i.user_id, i.created_at, i.created_by, i.expires_at, i.used_at, i.ended_at, a.said_after as said,
       a.created_at as said_at, a.actor as said_by, u.created_at as used_said_at,
       coalesce(e.created_at, (select min(b.created_at) from invitations n join audit_log b on b.subject = n.id
         and {filter_by}b.action = 'user.invited' where n.user_id = i.user_id and n.kind = 'invitation'
         and b.link > i.made)) as end_said_at
     from (select o.*, ${lastAct('o.id', `'user.invited'`)} as made from invitations o
       where o.id > $1 order by o.id limit $2) i
     left join audit_log a on a.link = i.made
     left join audit_log u on u.link = ${lastAct('i.id', `'user.invitation_accepted'`)}
     left join audit_log e on e.link = (select min(b.link) from audit_log b where b.subject in (i.id, i.user_id)
       and b.link > i.made and {filter_by}b.action in ('user.invitation_ended', 'user.password_reset', 'user.disabled'))
     order by i.id`,
    [afterId, limit],
  );
}

/** A subscription of a user to a webhook (`action` null), or an act that set or ended one. */
export type WebhookPart = SqlRow & {
  user_id: string;
  id: string | null;
  webhook: string | null;
  url: string | null;
  method: string | null;
  ended_at: number | null;
  action: string | null;
  link: number | null;
  at: number;
  was: string | null;
  said: string | null;
};

/** Lists the subscriptions of these users with the acts about them, in one statement. */
export function selectWebhookParts(db: Reader, userIds: readonly string[]): Promise<WebhookPart[]> {
  return db.query<WebhookPart>(
    `select a.subject as user_id, null as id, null as webhook, null as url, null as method, null as ended_at, a.action,
       a.link, a.created_at as at, a.said_before as was, a.said_after as said
     from audit_log a where a.subject {named $1} and {filter_by}a.action in ('webhook.set', 'webhook.ended')
     union all
     select s.user_id, s.id, s.webhook, s.url, s.method, s.ended_at, null, null, s.created_at, null, null
     from webhook_subscriptions s where s.user_id {named $1}
     order by link`,
    [userIds],
  );
}

/** Lists the next users by id. */
export function selectUserIds(db: Reader, afterId: string, limit: number): Promise<{ id: string }[]> {
  return db.query('select id from users where id > $1 order by id limit $2', [afterId, limit]);
}

/** A one-time link to tokens with the times of the acts that opened and ended it; null: there is no such act. */
export type HandoverSaid = SqlRow & {
  id: string;
  made_at: number;
  opened_at: number | null;
  ended_at: number | null;
  opened_said_at: number | null;
  end_said_at: number | null;
};

/** Lists the next one-time links by id. The reader of a link is the actor of the act that opened it. */
export function selectHandoversSaid(db: Reader, afterId: string, limit: number): Promise<HandoverSaid[]> {
  return db.query<HandoverSaid>(
    `select h.id, h.made_at, h.opened_at, h.ended_at,
       (select max(b.created_at) from audit_log b where b.actor = 'reader of ' || h.id
         and {filter_by}b.action = 'tokens.link_opened') as opened_said_at,
       (select max(b.created_at) from audit_log b where b.subject = h.id
         and {filter_by}b.action = 'tokens.link_ended') as end_said_at
     from token_handovers h where h.id > $1 order by h.id limit $2`,
    [afterId, limit],
  );
}

/**
 * An open session that an act ended, or that began a while before an act that ended all of its user, or all but one.
 */
export type RevivedSession = SqlRow & {
  id: string;
  user_id: string;
  end_said_at: number | null;
  others_said_at: number | null;
};

/**
 * Clocks of two machines may differ: a session of the last moments before an act may have begun after it, unless the
 * act names the session.
 */
const APART_MS = 60_000;

/**
 * Lists the open sessions that may not be open: `end_said_at` is when an act ended it, and `others_said_at` when an act
 * of its user ended all sessions but one. Acts from before the session in the order of the audit log are left out: the
 * clock was set back after them. Of a session of an earlier version, those from before a development clock was set
 * back.
 */
export function selectSessionsRevived(db: Reader, now: number): Promise<RevivedSession[]> {
  const lastOf = (conditions: string) => `(select max(b.created_at) from audit_log b where ${conditions}
    and (s.after_link is null or b.link > s.after_link)
    and not exists (select 1 from audit_log r where r.action in ('clock.reset', 'clock.went_back') and r.link > b.link))`;
  const acts = (conditions: string) => lastOf(`${conditions} and b.created_at > s.created_at + ${APART_MS}`);
  const own = `{filter_by}b.action = 'user.session_ended' and b.user_id = s.user_id`;
  const ofUser = `'user.disabled', 'user.enabled', 'user.password_reset', 'user.api_token_reset', 'user.factors_reset'`;
  return db.query<RevivedSession>(
    `select * from (select s.id, s.user_id,
       coalesce(
         ${acts(`b.subject = s.user_id and {filter_by}b.action in (${ofUser})`)},
         ${acts(`b.subject = s.user_id and {filter_by}b.action = 'user.session_ended' and coalesce(b.user_id, '') <> s.user_id`)},
         ${lastOf(`b.subject = s.id and {filter_by}b.action = 'user.session_ended'`)},
         ${acts(`b.subject = s.api_token_id and {filter_by}b.action = 'api_token.ended'`)},
         ${acts(`b.user_id = s.user_id and {filter_by}b.action = 'user.invitation_accepted'
           and exists (select 1 from invitations i where i.id = b.subject and i.kind = 'invitation')`)}) as end_said_at,
       coalesce(
         ${acts(`b.subject = s.user_id and {filter_by}b.action = 'user.password_set'`)},
         ${acts(`b.subject = s.user_id and ${own}`)}) as others_said_at
     from sessions s where s.ended_at is null and s.expires_at > $1) t
     where end_said_at is not null or others_said_at is not null order by user_id, id`,
    [now],
  );
}
