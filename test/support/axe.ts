import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** Half the text of the package's main file, and each page that is looked at has to read it. */
const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Of what axe finds, the rule and where. */
type Violation = { id: string; nodes: { html: string; failureSummary: string }[] };

/** The violations that axe finds on the page, by these rules or by all. It is put into the page past its policy, which refuses scripts that are not ours. */
export async function violationsOn(page: Page, rules: readonly string[] = []): Promise<unknown[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(SOURCE);
  const only = rules.length === 0 ? '' : `, runOnly: ${JSON.stringify(rules)}`;
  const { violations } = (await page.evaluate(`axe.run(document, { resultTypes: ["violations"]${only} })`)) as {
    violations: Violation[];
  };
  return violations.map(({ id, nodes }) => [
    id,
    nodes.slice(0, 3).map(({ html, failureSummary }) => [html, failureSummary]),
  ]);
}
