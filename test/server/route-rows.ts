import type { ErrorCode } from '../../src/error-catalogue.ts';
import type { Access } from '../../src/http/endpoint.ts';
import type { NewPaymentService } from '../../src/payment-services/create-payment-service.ts';
import type { ServiceEnvironment } from '../../src/payment-services/payment-service.ts';
import type { Transaction } from '../../src/transactions/transaction.ts';
import { signedBody } from '../support/test-shop.ts';
import type { TestUser } from '../support/test-user.ts';

/** Facts about an endpoint that the tests of access need and the table of endpoints does not have. */
export type RouteRow = {
  access: Access;
  /** The requests for an object. The refusal is the same for an object of others and for a missing one. */
  objects?: readonly ObjectRequest[];
  /** The address of a list that has the transaction of `Merchant`, for users who may see it. */
  lists?: string;
  /** An accepted body. Every endpoint with a body has it, or the reason why it accepts unknown members. */
  body?: (world: World) => Record<string, unknown>;
  takesUnknownMembers?: string;
};

export type ObjectRequest = {
  object: keyof Merchant['objects'];
  path: (id: string, asking: Merchant) => string;
  refusal: ErrorCode;
  /**
   * Who sees the object besides the merchant: a user of all payment services, its creator, or nobody, because it is
   * forged.
   */
  seenBy: 'overseer' | 'maker' | 'nobody';
};

/** One payment service and all its objects. */
export type Merchant = {
  service: Required<NewPaymentService>;
  environment: ServiceEnvironment;
  /** A user who reads and refunds only this payment service, and validates accounts. */
  user: TestUser;
  transaction: Transaction;
  objects: Record<
    | 'transaction'
    | 'refund'
    | 'validation'
    | 'recipient'
    | 'payout'
    | 'payoutFile'
    | 'payoutBatch'
    | 'statement'
    | 'email'
    | 'user'
    | 'apiToken'
    | 'payLink'
    | 'paymentLink'
    | 'listener',
    string
  >;
};

export type World = { ana: Merchant; ben: Merchant; overseer: TestUser };

/** Valid ids without an object. */
export const MISSING: Merchant['objects'] = {
  transaction: '999999',
  refund: 'rf_00000000000000000000',
  validation: 'bav_0000000000000000000000000000',
  recipient: 'rcp_00000000000000000000',
  payout: 'nobodys-payout',
  payoutFile: 'pf_00000000000000000000',
  payoutBatch: 'pb_00000000000000000000',
  statement: 'st_00000000000000000000',
  email: 'nobody@example.cl',
  user: 'usr_00000000000000000000',
  apiToken: 'tok_00000000000000000000',
  payLink: 'rt-0000000000000000000000',
  paymentLink: 'pl_00000000000000000000',
  listener: '999999-0000000000000000000000',
};

const transactionAt = (path: string, refusal: ErrorCode): ObjectRequest => ({
  object: 'transaction',
  path: (id) => path.replace(':id', id),
  refusal,
  seenBy: 'overseer',
});

const payLinkAt = (path: string): RouteRow => ({
  access: 'pay-link',
  objects: [{ object: 'payLink', path: (id) => path.replace(':token', id), refusal: 'NOT_FOUND', seenBy: 'nobody' }],
});

const paymentLinkAt = (path: string): RouteRow => ({
  access: 'bearer',
  objects: [{ object: 'paymentLink', path: (id) => path.replace(':id', id), refusal: 'NOT_FOUND', seenBy: 'overseer' }],
});

const webhookAt = (path: string): ObjectRequest => ({
  object: 'user',
  path: (id) => path.replace(':idUser', id),
  refusal: 'NO_PERMISSION',
  seenBy: 'maker',
});

const listenerAt = (path: string): ObjectRequest => ({
  object: 'listener',
  path: (id) => path.replace(':listener', id),
  refusal: 'NOT_FOUND',
  seenBy: 'nobody',
});

/** An accepted subscription. */
export const webhook = { url: 'https://shop.example.cl/webhooks', method: 'POST', webhook: 'remittances' };

const page: RouteRow = { access: 'public' };

const login: RouteRow = {
  access: 'public',
  body: ({ ana }) => ({ username: ana.user.email, password: ana.user.password }),
};

const signed: RouteRow = {
  access: 'signature',
  body: ({ ana }) => {
    const { service_token, secret_token } = ana.service.development;
    return signedBody(service_token, secret_token, { x_reference: 'NOT-YET-USED' });
  },
};

/** An accepted account. */
export const account = { rut: '12345678-5', bankData: { bankSBIFNumber: '001', bankAccount: '1234509876' } };

const recipientBody = ({ ana }: World) => ({ ...account, validationId: ana.objects.validation, name: 'Titular' });
const recipientAt: RouteRow = {
  access: 'bearer',
  objects: [{ object: 'recipient', path: (id) => `/recipients/${id}`, refusal: 'NOT_FOUND', seenBy: 'overseer' }],
};

const payoutFileAt = (path: string): RouteRow => ({
  access: 'bearer',
  objects: [{ object: 'payoutFile', path: (id) => path.replace(':id', id), refusal: 'NOT_FOUND', seenBy: 'overseer' }],
});
/** Returns the row of an act on a batch. A program approves nothing, and a decided batch is not decided again. */
const payoutBatchAt = (path: string, seenBy: ObjectRequest['seenBy'] = 'nobody'): RouteRow => ({
  access: 'bearer',
  objects: [{ object: 'payoutBatch', path: (id) => path.replace(':id', id), refusal: 'NOT_FOUND', seenBy }],
});
const statementAt = (path: string): RouteRow => ({
  access: 'bearer',
  objects: [{ object: 'statement', path: (id) => path.replace(':id', id), refusal: 'NOT_FOUND', seenBy: 'overseer' }],
});
const sentFile = (rows: string) => ({ fileName: 'banco.csv', content: Buffer.from(rows).toString('base64') });

const tef = (id: string) => ({
  id,
  amount: 100,
  recipientData: { rut: account.rut, name: 'Titular', email: 'ana@example.cl' },
  bankData: account.bankData,
});

/** One row for every endpoint. A new endpoint without one fails the test. */
export const ROUTE_ROWS: Record<string, RouteRow> = {
  'POST /trxs': signed,
  'POST /initTransaction': signed,
  'POST /trxs/create': {
    access: 'bearer',
    body: ({ ana }) => {
      const { x_signature: _, ...fields } = signedBody('', '', { x_reference: 'NOT-YET-USED' });
      return { ...fields, x_account_id: String(ana.environment.id) };
    },
  },
  'GET /trxs/status/:id': { access: 'bearer', objects: [transactionAt('/trxs/status/:id', 'NO_PERMISSION')] },
  'GET /trxs/:id': { access: 'bearer', objects: [transactionAt('/trxs/:id', 'NOT_FOUND')] },
  'GET /v2/trxs/:id/status': { access: 'bearer', objects: [transactionAt('/v2/trxs/:id/status', 'NOT_FOUND')] },
  'POST /trxs/:id/nullification': {
    access: 'bearer',
    objects: [transactionAt('/trxs/:id/nullification', 'NO_PERMISSION')],
    body: () => ({ amount: 1, type: 'parcial' }),
  },
  'GET /trxs/:id/nullification': {
    access: 'bearer',
    objects: [transactionAt('/trxs/:id/nullification', 'NO_PERMISSION')],
  },
  'GET /trxs/:id/nullification/status': {
    access: 'bearer',
    objects: [
      {
        object: 'transaction',
        path: (id, { objects }) => `/trxs/${id}/nullification/status?verificationToken=${objects.refund}`,
        refusal: 'NO_PERMISSION',
        seenBy: 'overseer',
      },
      {
        object: 'refund',
        path: (id, { transaction }) => `/trxs/${transaction.id}/nullification/status?verificationToken=${id}`,
        refusal: 'NOT_FOUND',
        seenBy: 'overseer',
      },
    ],
  },
  'GET /remittances/conciliation': {
    access: 'bearer',
    objects: [
      {
        object: 'email',
        path: (id) => `/remittances/conciliation?date=2026-01-15&environment=development&email=${id}`,
        refusal: 'NO_PERMISSION',
        seenBy: 'overseer',
      },
    ],
    lists: '/remittances/conciliation?date=2026-01-15&environment=development',
  },
  'GET /indicators/remittances': {
    access: 'bearer',
    objects: [
      {
        object: 'user',
        path: (id) => `/indicators/remittances?availableBalance=true&idUser=${id}`,
        refusal: 'NO_PERMISSION',
        seenBy: 'overseer',
      },
      transactionAt('/indicators/remittances?availableBalance=true&idTrx=:id', 'NO_PERMISSION'),
    ],
    lists: '/indicators/remittances?remittanceByDate=2026-01-15&environment=development',
  },
  'POST /remittances/getRemittances': { access: 'bearer', body: () => ({ limit: '10' }) },
  'POST /remittances/getRemittance/:date': {
    access: 'bearer',
    objects: [],
    body: () => ({ limit: '10' }),
  },
  'POST /webhooks': { access: 'bearer', body: () => webhook },
  'GET /webhooks/:idUser': { access: 'bearer', objects: [webhookAt('/webhooks/:idUser')] },
  'PUT /webhooks/:idUser/:webhook': {
    access: 'bearer',
    objects: [webhookAt('/webhooks/:idUser/remittances')],
    body: () => webhook,
  },
  'DELETE /webhooks/:idUser/:webhook': { access: 'bearer', objects: [webhookAt('/webhooks/:idUser/remittances')] },
  'POST /listeners': { access: 'bearer', body: ({ ana }) => ({ payment_service: ana.service.id }) },
  'POST /listeners/:listener/next': { access: 'bearer', objects: [listenerAt('/listeners/:listener/next')] },
  'POST /listeners/:listener/attempts': {
    access: 'bearer',
    objects: [listenerAt('/listeners/:listener/attempts')],
    body: () => ({ callback: 1, lease: 'x', duration_ms: 1, status: 200 }),
  },
  'DELETE /listeners/:listener': { access: 'bearer', objects: [listenerAt('/listeners/:listener')] },
  'GET /users': { access: 'bearer' },
  'GET /payments': { access: 'service-token' },
  'GET /v2/payments': { access: 'service-token' },
  'GET /events': { access: 'bearer', lists: '/events' },
  'GET /transactions': { access: 'bearer', lists: '/transactions' },
  'GET /transactions/:id': { access: 'bearer', objects: [transactionAt('/transactions/:id', 'NOT_FOUND')] },
  'POST /payment-links': { access: 'bearer', body: () => ({ amount: 12990, subject: 'Curso' }) },
  'GET /payment-links': { access: 'bearer' },
  'GET /payment-links/:id': paymentLinkAt('/payment-links/:id'),
  'POST /payment-links/:id/end': paymentLinkAt('/payment-links/:id/end'),
  'POST /users/login': login,
  'POST /v2/login': login,
  'POST /login': login,
  'POST /loginToken': {
    access: 'public',
    body: ({ ana }) => ({ email: ana.user.email, apiToken: ana.user.api_token }),
  },
  'GET /api-tokens': {
    access: 'bearer',
    objects: [
      { object: 'user', path: (id) => `/api-tokens?user=${id}`, refusal: 'NOT_FOUND', seenBy: 'overseer' },
      { object: 'email', path: (id) => `/api-tokens?user=${id}`, refusal: 'NOT_FOUND', seenBy: 'overseer' },
    ],
  },
  'POST /api-tokens': { access: 'bearer', body: ({ ben }) => ({ user: ben.user.email, name: 'not yet used' }) },
  'DELETE /api-tokens/:id': {
    access: 'bearer',
    objects: [{ object: 'apiToken', path: (id) => `/api-tokens/${id}`, refusal: 'NOT_FOUND', seenBy: 'overseer' }],
  },
  'GET /banks': { access: 'bearer' },
  'POST /validations/BankAccount': { access: 'bearer', body: () => account },
  'POST /validations/BankAccount/batch': {
    access: 'bearer',
    body: () => ({ items: [{ reference: 'payroll-1', ...account }] }),
  },
  'GET /validations/BankAccount/:id': {
    access: 'bearer',
    objects: [
      { object: 'validation', path: (id) => `/validations/BankAccount/${id}`, refusal: 'NOT_FOUND', seenBy: 'maker' },
    ],
  },
  'POST /recipients': { access: 'bearer', body: recipientBody },
  'GET /recipients': { access: 'bearer' },
  'GET /recipients/:id': recipientAt,
  'POST /recipients/:id': { ...recipientAt, body: recipientBody },
  'POST /tef': { access: 'bearer', body: () => ({ tef: tef('NOT-YET-USED') }) },
  'GET /tef/:id': {
    access: 'bearer',
    objects: [{ object: 'payout', path: (id) => `/tef/${id}`, refusal: 'NOT_FOUND', seenBy: 'overseer' }],
  },
  'GET /balance': { access: 'bearer' },
  'GET /availableBalance': { access: 'bearer' },
  'POST /payout-batches': { access: 'bearer', body: () => ({ name: 'Lote', payouts: [tef('NOT-YET-BATCHED')] }) },
  'GET /payout-batches': { access: 'bearer' },
  'GET /payout-batches/:id': payoutBatchAt('/payout-batches/:id', 'overseer'),
  'POST /payout-batches/:id/approve': { ...payoutBatchAt('/payout-batches/:id/approve'), body: () => ({ code: '1' }) },
  'POST /payout-batches/:id/reject': {
    ...payoutBatchAt('/payout-batches/:id/reject'),
    body: () => ({ reason: 'ya pagado' }),
  },
  'POST /payout-batches/:id/cancel': {
    ...payoutBatchAt('/payout-batches/:id/cancel'),
    body: () => ({ reason: 'ya pagado' }),
  },
  'POST /payout-batches/:id/submit': payoutBatchAt('/payout-batches/:id/submit'),
  'POST /payout-files': { access: 'bearer', body: () => ({ format: 'santander', account: '123456789' }) },
  'GET /payout-files': { access: 'bearer' },
  'GET /payout-files/:id/content': payoutFileAt('/payout-files/:id/content'),
  'GET /payout-files/:id': payoutFileAt('/payout-files/:id'),
  'POST /payout-files/:id/results': {
    ...payoutFileAt('/payout-files/:id/results'),
    body: () => sentFile('id;estado\nx;Pagado'),
  },
  'POST /bank-statements': {
    access: 'bearer',
    body: () => ({ account: '123456789', ...sentFile('Fecha;Glosa;Cargos;Abonos\n15/01/2026;ARRIENDO;100;') }),
  },
  'GET /bank-statements': { access: 'bearer' },
  'GET /bank-statements/:id': statementAt('/bank-statements/:id'),
  'POST /bank-statements/:id/uses': {
    ...statementAt('/bank-statements/:id/uses'),
    body: () => ({ use: 'other', reason: 'arriendo' }),
  },
  'GET /requests': { access: 'bearer' },
  'GET /hand-over/:link': page,
  'POST /hand-over/:link': { access: 'public', takesUnknownMembers: 'it reads no member' },
  'GET /pay/:token': payLinkAt('/pay/:token'),
  'POST /pay/:token': { ...payLinkAt('/pay/:token'), body: () => ({ method: 'simulated' }) },
  'GET /pay/:token/cancel': payLinkAt('/pay/:token/cancel'),
  'POST /pay/:token/cancel': payLinkAt('/pay/:token/cancel'),
  'GET /pay/:token/return': payLinkAt('/pay/:token/return'),
  'POST /pay/:token/return': {
    ...payLinkAt('/pay/:token/return'),
    takesUnknownMembers: 'A bank adds what it likes to the form that sends the payer back; none of it is believed.',
  },
  'POST /pay/:token/receipt': { ...payLinkAt('/pay/:token/receipt'), body: () => ({ email: 'ana@example.cl' }) },
  'GET /link/:id': payLinkAt('/link/:token'),
  'POST /link/:id': payLinkAt('/link/:token'),
  'GET /link/:id/poster': payLinkAt('/link/:token/poster'),
  'GET /link/:id/qr.svg': payLinkAt('/link/:token/qr.svg'),
  'GET /assets/:name': page,
  'GET /looks/:name': page,
  'POST /csp-reports': page,
  'GET /console/invitation/:token': page,
  'POST /console/invitation/:token': {
    access: 'public',
    takesUnknownMembers: 'a page of ours sends it, and nothing of it is kept',
  },
  'GET /console/sign-in': page,
  'POST /console/sign-in': {
    access: 'public',
    takesUnknownMembers: 'a page of ours sends it, and nothing of it is kept',
  },
  'POST /console/language': {
    access: 'public',
    takesUnknownMembers: 'a page of ours sends it, and nothing of it is kept',
  },
  'POST /console/sign-out': { access: 'public', takesUnknownMembers: 'it reads no member' },
  'GET /': page,
  'GET /docs': page,
  'GET /docs/reference': page,
  'GET /docs/sign': page,
  'POST /docs/sign': {
    access: 'public',
    takesUnknownMembers: 'a page of ours sends it, and nothing of it is kept',
  },
  'GET /docs/:guide': page,
  'GET /docs/es/:guide': page,
  'GET /openapi.json': page,
  'GET /openapi/transfers.json': page,
  'GET /errors': page,
  'GET /errors/:code': page,
  'GET /healthz': page,
  'GET /readyz': page,
  'GET /metrics': page,
};
