import { after, before, describe } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { pathOf, whyMissing } from './system-programs.ts';

export type Visitor = {
  page: Page;
  context: BrowserContext;
  /** The refusals of the browser by the page's policies, and the errors of its scripts. */
  complaints: string[];
};

export type OpenVisitor = (options?: BrowserContextOptions) => Promise<Visitor>;

/**
 * Declares a suite with Chromium's headless build, which halves the cost of a page. Without Chromium the suite is
 * skipped; in CI it fails. Every visitor has a separate browser profile.
 */
export function withBrowser(name: string, suite: (openVisitor: OpenVisitor) => void): void {
  describe(name, { skip: whyMissing('chromium-headless-shell') ?? false }, () => {
    let browser: Browser;
    before(async () => {
      const executablePath = pathOf('chromium-headless-shell');
      browser = await chromium.launch({ executablePath, args: SWITCHES, timeout: LONGEST_STEP_MS });
    });
    after(() => browser.close());
    suite(async (options) => {
      const context = await browser.newContext({ locale: 'en-US', ...options });
      context.setDefaultTimeout(LONGEST_STEP_MS);
      const complaints: string[] = [];
      context.on('console', (message) => {
        if (/Content Security Policy|Trusted ?Type|ERR_BLOCKED_BY_RESPONSE/i.test(message.text()))
          complaints.push(message.text());
      });
      context.on('weberror', (error) => complaints.push(String(error.error())));
      return { context, page: await context.newPage(), complaints };
    });
  });
}

/** Longer than any machine needs: after this time a step never ends. */
const LONGEST_STEP_MS = 180_000;

/** In a container, root has no sandbox for the browser; and no packet may leave the machine for updates. */
const SWITCHES = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
