import { selectEndpointsOf } from '../../outbox/endpoints/failing-endpoint-queries.ts';
import { RESENT_BY_FORM, resendCallbacks } from '../../outbox/resend-callback.ts';
import { consoleHandler, inParts, notFoundPage } from '../console-visit.ts';
import { fieldsOf } from '../sign-in.ts';
import { ENDPOINTS_SHOWN } from './merchant-page.ts';
import { merchantIn } from './visible-merchants.ts';

/**
 * Resends all callbacks that wait for an endpoint of the merchant or were given up. The merchant's people may use it
 * without an operator.
 */
export const postConsoleResendOwn = consoleHandler(async (app, visit) => {
  const { language, by, request, send, goTo } = visit;
  const { environment: name, endpoint: id } = fieldsOf(request);
  const found = await merchantIn(app, visit, name);
  const tokens = found?.merchant.tokens.find(({ environment }) => environment === found.environment);
  if (found === null || tokens === undefined) return send(404, notFoundPage(language));
  const environmentId = tokens.environment_id;
  const endpoints = await selectEndpointsOf(app.db, environmentId, ENDPOINTS_SHOWN);
  const endpoint = endpoints.find((one) => String(one.id) === id);
  if (endpoint === undefined) return send(404, notFoundPage(language));
  const filter = { environmentId, endpointId: endpoint.id };
  const { next } = await inParts(() => resendCallbacks(app, filter, by, { most: RESENT_BY_FORM }));
  return goTo(`/merchants/${found.merchant.id}?done=${next === null ? 'resent' : 'resent-part'}`);
});
