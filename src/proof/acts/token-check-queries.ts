import type { ApiTokenRow } from '../../auth/tokens/api-token-queries.ts';
import type { Reader } from '../../db/database.ts';
import { type ActSaid, lastAct } from './act-check-queries.ts';

/**
 * An API token with the act that made it, and when the next act ended it. `said` null: no act made it, or a user's
 * first token. `is_older` (1 or 0): from before the store had the makers of API tokens.
 */
export type TokenSaid = ActSaid &
  Pick<ApiTokenRow, 'id' | 'user_id' | 'name' | 'created_at' | 'created_by' | 'expires_at' | 'ended_at'> & {
    end_said_at: number | null;
    is_older: 0 | 1;
  };

/** Lists the next API tokens by id with the acts about them, in one statement and so at one moment. */
export function selectTokensSaid(db: Reader, afterId: string, limit: number): Promise<TokenSaid[]> {
  const withUser = (more = '') =>
    lastAct('o.user_id', `'user.created', 'user.api_token_reset'`, `and b.created_at = o.created_at ${more}`);
  // Two people may have reset the token in one millisecond: each made one of the tokens.
  const byMaker = withUser('and {filter_by}b.actor = o.created_by');
  return db.query<TokenSaid>(
    `select t.id, t.user_id, t.name, t.created_at, t.created_by, t.expires_at, t.ended_at,
       case when m.action = 'api_token.created' then m.said_after else null end as said, m.created_at as said_at,
       m.actor as said_by, e.created_at as end_said_at,
       case when exists (select 1 from audit_log v where v.action = 'store.migrated' and v.link > t.made
         and v.said_after like '%"0062-%') then 1 else 0 end as is_older
     from (select o.*, coalesce(${lastAct('o.id', `'api_token.created'`)}, ${byMaker}, ${withUser()}, 0) as made
       from api_tokens o where o.id > $1 order by o.id limit $2) t
     left join audit_log m on m.link = t.made
     left join audit_log e on e.link = (select min(b.link) from audit_log b where b.subject in (t.id, t.user_id)
       and b.link > t.made and {filter_by}b.action in ('api_token.ended', 'user.api_token_reset'))
     order by t.id`,
    [afterId, limit],
  );
}
