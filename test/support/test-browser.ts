import { after, before, describe } from 'node:test';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { pathOf, whyMissing } from './system-programs.ts';

export type Visitor = {
  page: Page;
  context: BrowserContext;
  /** What the browser refused because of the page's policies, and errors of its script. */
  complaints: string[];
};

export type OpenVisitor = (options?: BrowserContextOptions) => Promise<Visitor>;

/**
 * Declares a suite that looks at pages with Chromium, built to run without a window: a page costs it half. Without it the suite is
 * left out, and fails in CI. Every visitor has a browser profile of its own.
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

/** For what never comes; no machine is so slow. */
const LONGEST_STEP_MS = 180_000;

/** A container's root has no sandbox for the browser; and no packet leaves the machine for updates. */
const SWITCHES = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
