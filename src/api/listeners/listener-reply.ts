import type { FastifyRequest } from 'fastify';
import type { App } from '../../app.ts';
import type { User } from '../../auth/user.ts';
import type { RowKey } from '../../db/row-key.ts';
import { notFound } from '../../error-catalogue.ts';
import { Type } from '../../http/json-schema.ts';
import { invalidBody, MEMBER_ERRORS } from '../../http/read-members.ts';
import { requireUser } from '../../http/require-user.ts';
import { findEnvironmentById } from '../../payment-services/find-environment.ts';
import { listEnvironmentIds } from '../../payment-services/list-environments.ts';
import type { ServiceEnvironment } from '../../payment-services/payment-service.ts';

export const LISTENER_ERRORS = ['PERMISSION_MISSING', 'NOT_FOUND'] as const;

/** Further error codes of listener endpoints with a request body. */
export const LISTENER_BODY_ERRORS = [
  'INVALID_JSON',
  ...MEMBER_ERRORS,
  'UNSUPPORTED_MEDIA_TYPE',
  ...LISTENER_ERRORS,
] as const;

export const LISTENER_PATH = [
  {
    name: 'listener',
    in: 'path',
    required: true,
    description: '`data.listener` of `POST /listeners`',
    schema: Type.String(),
  },
] as const;

/**
 * Returns the key of the listener in the path. Throws `Problem` `NOT_FOUND` unless the user may see its environment. It
 * does not check that the listener still exists.
 */
export async function requireListener(app: App, request: FastifyRequest): Promise<RowKey<string>> {
  const user = await requireUser(app, request);
  const { listener } = request.params as { listener: string };
  const [, environment, id] = /^(\d{1,15})-([\w-]{1,40})$/.exec(listener) ?? [];
  const ids = id === undefined ? [] : await listEnvironmentIds(app, 'development', null, user.environmentIds);
  if (id === undefined || !ids.includes(Number(environment)))
    throw notFound(
      'There is no such listener: POST /listeners begins one.',
      'No existe ese oyente: POST /listeners comienza uno.',
    );
  return { id, environment_id: Number(environment) };
}

/** Reads a whole number of at most 15 digits from its JSON text. Throws `Problem` `INVALID_BODY`. */
export function readNumber(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const error = { code: 'INVALID_PARAMETER', message: `${name} is not a number.`, fix: 'Send a whole number.' };
  const es = { message: `${name} no es un número.`, fix: 'Envía un número entero.' };
  throw invalidBody([{ pointer: `/${name}`, ...error, es }]);
}

/** Returns the name of a listener in paths: `<environment id>-<listener id>`. */
export function nameOf({ id, environment_id }: RowKey<string>): string {
  return `${environment_id}-${id}`;
}

/**
 * Returns the development environment of a payment service; without an id, of the only one that the user may see.
 * Throws `Problem` `NOT_FOUND` when the user may not see it, or when several match.
 */
export async function findDevelopment(
  app: App,
  paymentServiceId: string | null,
  visible: User['environmentIds'],
): Promise<ServiceEnvironment> {
  const [id, ...others] = await listEnvironmentIds(app, 'development', paymentServiceId, visible);
  if (id === undefined || paymentServiceId === '')
    throw notFound('You see no such payment service.', 'No ves ese servicio de pago.');
  if (others.length > 0)
    throw notFound(
      `There are ${others.length + 1} payment services: name one of them.`,
      `Hay ${others.length + 1} servicios de pago: nombra uno de ellos.`,
    );
  const environment = await findEnvironmentById(app, id);
  if (environment === null) throw new Error('An environment that was just listed is not found');
  return environment;
}
