import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Of what axe finds, the rule and where. */
type Violation = { id: string; nodes: { html: string; failureSummary: string }[] };

/** The violations that axe finds on the page, by these rules or by all. It is put into the page past its policy, which refuses scripts that are not ours. */
export async function violationsOn(page: Page, rules: readonly string[] = []): Promise<unknown[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const only = rules.length === 0 ? '' : `, runOnly: ${JSON.stringify(rules)}`;
  const { violations } = (await page.evaluate(`axe.run(document, { resultTypes: ["violations"]${only} })`)) as {
    violations: Violation[];
  };
  return violations.map(({ id, nodes }) => [
    id,
    nodes.slice(0, 3).map(({ html, failureSummary }) => [html, failureSummary]),
  ]);
}
