import { join } from 'node:path';
import type { Command } from 'commander';
import { createUser } from '../../auth/create-user.ts';
import { findUser } from '../../auth/find-user.ts';
import { makeSignInLink } from '../../auth/invitations/invite-user.ts';
import { type Config, ConfigError, readConfig } from '../../config.ts';
import { createPaymentLink } from '../../payment-links/create-payment-link.ts';
import { listEnvironmentIds } from '../../payment-services/list-environments.ts';
import { CommandError } from '../print.ts';
import { type PaidOrder, payAndReceive } from './demo-payment.ts';
import { paySomebody } from './demo-payout.ts';
import { refundInPart } from './demo-refund.ts';
import { type Demo, DemoFailure, openDemo } from './demo-stage.ts';
import { logIn, validateAccounts } from './demo-validation.ts';

/** `demo`: runs the whole product over HTTP and checks each step. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description(
      'start a service and show the product: sign, create, pay, receive the callback, refund, validate bank accounts, pay out',
    )
    .option('--exit', 'exit after the last step; status 0 only if every step was verified')
    .action(demo);
}

async function demo(options: { exit?: boolean }): Promise<void> {
  const config = readConfig();
  if (config.mode !== 'development') throw new ConfigError('The demo runs in development only: unset RUBRICA_ENV.');
  const stage = await openDemo(demoConfig(config));
  let order: PaidOrder;
  try {
    order = await payAndReceive(stage);
    const accessToken = await logIn(stage);
    await refundInPart(stage, order, accessToken);
    await validateAccounts(stage, accessToken);
    await paySomebody(stage, order);
  } catch (error) {
    await stage.close();
    if (error instanceof DemoFailure) throw new CommandError(`\n  ✗ ${error.message}`);
    throw error;
  }
  if (options.exit === true) {
    stage.say('Every step was verified.');
    await stage.close();
    return;
  }
  await leaveRunning(stage, order);
}

/**
 * Uses a separate database, because the demo creates a payment service and a user, and no port that a running service
 * may have.
 */
function demoConfig(config: Config): Config {
  const databaseUrl = `sqlite:${join(config.dataDir, 'demo.db')}`;
  return { ...config, databaseUrl, metricsPort: null, logLevel: 'error', anchorDir: null, anchorUrl: null };
}

async function leaveRunning(stage: Demo, order: PaidOrder): Promise<void> {
  stage.say('Every step was verified. The service stays up:');
  stage.show('Pay something', await linkToPay(stage, order));
  stage.show('API reference', `${stage.url}/docs`);
  stage.show('Console', `${stage.url}/console`);
  stage.show('Sign in, once', `${stage.url}/console/invitation/${await linkOfOwner(stage)}`);
  stage.show('Health', `${stage.url}/readyz`);
  // With a database in memory (another demo is running), other commands could not read these records.
  const { databaseUrl } = stage.app.config;
  if (databaseUrl !== 'sqlite::memory:') {
    stage.show('Callbacks', `DATABASE_URL=${databaseUrl} bin/rubrica callback list`);
    stage.show('Books', `DATABASE_URL=${databaseUrl} bin/rubrica books list`);
  }
  stage.show('Next', 'README.md: the same request with curl');
  stage.show('Real money', 'docs/webpay.md: Webpay Plus, and docs/going-live.md');
  stage.say('Ctrl+C ends it.');
  const stop = () => void stage.close().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

/** Creates a payment link of the shop for any number of payments, and returns its address. */
async function linkToPay({ app, by, url }: Demo, { paymentServiceId }: PaidOrder): Promise<string> {
  const [environmentId] = await listEnvironmentIds(app, 'development', paymentServiceId, null);
  if (environmentId === undefined) throw new Error('A payment service that was just created is not found');
  const wish = { amount: 24_980, currency: 'CLP', subject: 'Taller de café', uses: 'many' } as const;
  const { link } = await createPaymentLink(app, environmentId, { ...wish, expiresAt: null, urlCallback: null }, by);
  return `${url}/link/${link.id}`;
}

const OWNER = 'owner@demo.example';

/**
 * Returns the token of a link that signs in the demo's owner once, within the hour. The first demo creates the owner.
 */
async function linkOfOwner({ app, by }: Demo): Promise<string> {
  const owner =
    (await findUser(app, OWNER)) ??
    (await createUser(app, { email: OWNER, role: 'owner', paymentServices: 'all' }, by));
  return (await makeSignInLink(app, owner, by)).token;
}
