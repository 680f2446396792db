import type { App } from '../../app.ts';
import { hashOfLink } from '../../payment-links/payment-link.ts';
import { addWrong, type Findings, GONE } from '../proof-finding.ts';
import { selectObjectsGone } from './act-check-queries.ts';
import { type ComparedColumn, changesIn } from './compare-said.ts';
import { type LinkSaid, selectLinksSaid } from './merchant-check-queries.ts';
import { arrivalOf, pagesById, readAct } from './read-acts.ts';

const PAGE = 500;

/**
 * Compares payment links with the acts that made and ended them. What was done before its payment service arrived from
 * another database has its act there.
 */
export async function verifyPaymentLinks(
  app: App,
  findings: Findings,
  arrivals: ReadonlyMap<string, number>,
): Promise<void> {
  for await (const links of pagesById(PAGE, (after, limit) => selectLinksSaid(app.db, after, limit))) {
    for (const link of links) {
      const arrived = arrivalOf(arrivals, link.payment_service_id);
      const wrong = [...wrongMaking(link, arrived), ...wrongEnd(link, arrived)];
      const { id: subject, environment_id, created_at: since } = link;
      const about = { finding: 'payment_link_changed' as const, environment_id, subject, since };
      addWrong(findings, about, wrong, `payment link ${subject}`);
    }
  }
  for (const { subject, said_at: since } of await selectObjectsGone(app.db, 'payment_link.created', GONE)) {
    const says = `payment link ${subject} was deleted`;
    findings.add({ finding: 'payment_link_changed', environment_id: null, subject, since, says });
  }
}

/** Acts of earlier versions have the environment's number, and do not cover the subject and the URL for callbacks. */
function wrongMaking(link: LinkSaid, arrived: number): string[] {
  if (link.made_at === null) return link.created_at <= arrived ? [] : ['it was never made by this service'];
  const said = readAct(link.made);
  const content = said['content_sha256'];
  const owner: ComparedColumn[] =
    typeof said['environment'] === 'number'
      ? [['environment', said['environment'], link.environment_id]]
      : [
          ['payment_service', said['payment_service'], link.payment_service_id],
          ['environment', said['environment'], link.environment],
        ];
  return [
    ...changesIn([
      ['amount', said['amount'], link.amount],
      ['currency', said['currency'], link.currency],
      ['uses', said['uses'], link.uses],
      ['expires_at', said['expires_at'], link.expires_at],
      ...owner,
      ['created_at', link.made_at, link.created_at],
      ['created_by', link.made_by, link.created_by],
    ]),
    ...(content === undefined || content === hashOfLink(link)
      ? []
      : ['its subject or its URL for callbacks was changed']),
  ];
}

function wrongEnd({ created_at, ended_at, end_said_at }: LinkSaid, arrived: number): string[] {
  const isHere = !(Math.max(created_at, ended_at ?? 0) <= arrived) || end_said_at !== null;
  return isHere ? changesIn([['ended_at', end_said_at, ended_at]]) : [];
}
