import { readFileSync, writeFileSync } from 'node:fs';
import { createUser } from '../../../src/auth/create-user.ts';
import { logInWithApiToken } from '../../../src/auth/tokens/log-in-with-api-token.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { openDatabase } from '../../../src/db/open-database.ts';
import { importPaymentService } from '../../../src/payment-services/create-payment-service.ts';
import { TESTER } from '../../support/test-actor.ts';
import { createTestApp, createTestClock } from '../../support/test-app.ts';
import { SHOP } from './shop-client.ts';

let prepared: { token: string; file: Buffer } | undefined;

/**
 * Migrates a new store, and adds the harnesses' payment service and a user who sees everything. Returns an access token
 * of that user.
 */
export async function prepareStore(databaseUrl: string): Promise<string> {
  if (!databaseUrl.startsWith('sqlite:')) return fillStore(databaseUrl);
  const file = databaseUrl.slice('sqlite:'.length);
  if (prepared === undefined) {
    const token = await fillStore(databaseUrl);
    prepared = { token, file: readFileSync(file) };
  } else {
    // Flushed, because some harnesses cut the power next.
    writeFileSync(file, prepared.file, { flush: true });
  }
  return prepared.token;
}

async function fillStore(databaseUrl: string): Promise<string> {
  const db = openDatabase(databaseUrl, { connections: 1, pooler: false, onFatal: () => {} });
  try {
    await migrate(db);
    const app = createTestApp(db, { now: createTestClock(Date.now()) });
    await importPaymentService(app, 'Harness', 'development', SHOP, TESTER);
    const user = await createUser(
      app,
      {
        email: 'operator@example.cl',
        may: ['payments:read', 'events:read', 'books:read', 'refunds:create'],
        paymentServices: 'all',
      },
      TESTER,
    );
    return (
      await logInWithApiToken(app, { apiToken: user.api_token, email: null, expiresAt: null, address: '192.0.2.1' })
    ).text;
  } finally {
    await db.close();
  }
}
