import { migrate } from '../../../src/db/migrate.ts';
import { openDatabase } from '../../../src/db/open-database.ts';
import { importPaymentService } from '../../../src/payment-services/create-payment-service.ts';
import { createTestApp } from '../../support/test-app.ts';
import { SHOP } from './shop-client.ts';

/** Brings a store up to date and puts the harnesses' payment service into it. */
export async function prepareStore(databaseUrl: string): Promise<void> {
  const db = openDatabase(databaseUrl, { connections: 1, pooler: false, onFatal: () => {} });
  try {
    await migrate(db);
    await importPaymentService(createTestApp(db), 'Harness', 'development', SHOP);
  } finally {
    await db.close();
  }
}
