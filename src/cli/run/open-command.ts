import { spawn } from 'node:child_process';
import { Argument, type Command } from 'commander';
import type { App } from '../../app.ts';
import { payUrl } from '../../checkout/pay-link.ts';
import { environmentVariable, publicOrigin, readConfig } from '../../config.ts';
import { findEnvironmentById } from '../../payment-services/find-environment.ts';
import { findTransaction } from '../../transactions/find-transaction.ts';
import { missingOption, print, unknownTransaction } from '../print.ts';
import { withApp } from '../with-app.ts';

const PLACES = ['console', 'docs', 'pay'] as const;

/** `open console | docs | pay`. */
export function addOpenCommand(program: Command): void {
  program
    .command('open')
    .description('print the address of the console, the documentation or a pay page, and open it in a browser')
    .addArgument(new Argument('[place]', 'what to open').choices(PLACES).default('console'))
    .argument('[id]', 'idTrx of the payment')
    .option('--json', 'print one JSON object and do not open a browser')
    .action(open);
}

async function open(place: (typeof PLACES)[number], id: string | undefined, options: { json?: boolean }) {
  const { url, mayOpen } = place === 'pay' ? await withApp((app) => payPage(app, id)) : pageOf(place);
  print(options, { url }, [url]);
  if (options.json !== true && mayOpen && process.stdout.isTTY) openBrowser(url);
}

type Place = { url: string; mayOpen: boolean };

/** Returns the page's address. Needs no store, because there may be none yet. */
function pageOf(place: 'console' | 'docs'): Place {
  const config = readConfig(undefined, { makesKey: false });
  return { url: `${publicOrigin(config)}${config.basePath}/${place}`, mayOpen: true };
}

async function payPage(app: App, id: string | undefined): Promise<Place> {
  if (id === undefined) throw missingOption('Say which payment: bin/rubrica open pay 1001');
  const transaction = await findTransaction(app, id, null);
  if (transaction === null) throw unknownTransaction(id);
  const environment = await findEnvironmentById(app, transaction.environment_id);
  // Every user of the machine can see a program's arguments, and anybody with the link can pay.
  return { url: payUrl(app, transaction), mayOpen: environment?.environment === 'development' };
}

/**
 * Opens the address in a browser. Without a screen or a suitable program it does nothing, because the address is
 * printed.
 */
function openBrowser(url: string): void {
  const mac = process.platform === 'darwin';
  if (!mac && !['DISPLAY', 'WAYLAND_DISPLAY'].some((name) => environmentVariable(name))) return;
  const browser = spawn(mac ? 'open' : 'xdg-open', [url], { detached: true, stdio: 'ignore' });
  browser.on('error', () => {});
  browser.unref();
}
