import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** The minified build: each page has to parse it, and the main file has twice the text. */
const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The parts of axe's result that are used: the rule and the place. */
type Violation = { id: string; nodes: { html: string; failureSummary: string }[] };

/**
 * Returns the violations that axe finds on the page, by these rules or by all. It injects axe past the page's content
 * security policy, which blocks foreign scripts.
 */
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
