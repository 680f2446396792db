import manifest from '../../../package.json' with { type: 'json' };
import { permissionsOf } from '../../auth/permission.ts';
import { selectUsers } from '../../auth/user-queries.ts';
import { publicBase } from '../../checkout/pay-link.ts';
import type { RunningApp } from '../../compose-app.ts';
import { paint } from '../../lib/paint.ts';
import { withoutPassword } from '../../lib/setting-readers.ts';
import { selectPaymentServices } from '../../payment-services/payment-service-queries.ts';

/** Returns the greeting for a terminal after the start of the service: its addresses and the next step. */
export async function greetingOf(app: RunningApp): Promise<string> {
  const { mode, databaseUrl } = app.config;
  const url = publicBase(app);
  const lines = [
    '',
    `  ${paint('bold', `Rúbrica ${manifest.version}`)}, in ${mode}, on ${withoutPassword(databaseUrl)}`,
    '',
    `  Service  ${paint('cyan', url)}`,
    `  Console  ${paint('cyan', `${url}/console`)}`,
    `  Docs     ${paint('cyan', `${url}/docs`)}`,
    '',
    `  Next     ${await nextStep(app)}`,
    '',
    '  What shops ask, and why it is refused: bin/rubrica logs tail. Ctrl+C ends the service.',
    '',
  ];
  return `${lines.join('\n')}\n`;
}

async function nextStep(app: RunningApp): Promise<string> {
  if (app.config.mode === 'production') return 'bin/rubrica doctor';
  if ((await selectPaymentServices(app.db)).length === 0)
    return "bin/rubrica payment-service create --name 'Mi tienda'";
  const people = (await selectUsers(app.db)).some(({ role }) => permissionsOf(role, []).has('payments:read'));
  return people
    ? 'bin/rubrica listen --forward-to http://127.0.0.1:9000/callback, then bin/rubrica trigger payment.completed'
    : 'bin/rubrica user create --email you@example.cl --role owner --all-payment-services, to sign in at the console';
}
