import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** The minified build: each page has to parse it, and the main file has twice the text. */
const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
/** The pages that load axe by themselves. */
const prepared = new WeakSet<Page>();

/** Shortens the result in the page: sending all of it takes as long as finding it. */
const SHORTEN =
  '({ violations }) => violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html, failureSummary }) => [html, failureSummary])])';

/**
 * Returns the violations that axe finds on the page, by these rules or by all. Axe comes past the page's content
 * security policy, which blocks foreign scripts. The page's next documents load axe when they open: this costs a third
 * of sending it to each of them.
 */
export async function violationsOn(page: Page, rules: readonly string[] = []): Promise<unknown[]> {
  if (!prepared.has(page)) {
    prepared.add(page);
    await page.addInitScript({ content: SOURCE });
    await page.evaluate(SOURCE);
  }
  const only = rules.length === 0 ? '' : `, runOnly: ${JSON.stringify(rules)}`;
  return page.evaluate(`axe.run(document, { resultTypes: ["violations"]${only} }).then(${SHORTEN})`);
}
