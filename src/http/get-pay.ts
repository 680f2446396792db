import type { Endpoint } from './endpoint.ts';
import { payPage } from './pay-page.ts';
import { payHandler } from './pay-visit.ts';

/** The pay page. Only shows: programs that preview links fetch it too, so looking at it must never pay. */
export const getPay: Endpoint = {
  method: 'GET',
  paths: ['/pay/:token'],
  access: 'pay-link',
  handle: payHandler(async (app, { payment, language, request, send }) => {
    const { method } = request.query as { method?: unknown };
    return send(200, payPage(app, payment, language, typeof method === 'string' ? { chosen: method } : {}));
  }),
};
