import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { createUser, type UserWish } from '../../src/auth/create-user.ts';
import { commandLineActor } from '../../src/cli/find-actor.ts';
import { openStore } from '../../src/cli/prepare-store.ts';
import { composeApp } from '../../src/compose-app.ts';
import { readConfig } from '../../src/config.ts';
import { createPaymentService } from '../../src/payment-services/create-payment-service.ts';
import { FigureSkipped } from './figure.ts';
import type { CreateRequest, ValidationRequest } from './load-plan.ts';
import { type RunningProgram, startProgram } from './programs.ts';

/** An installation: a separate data folder and database. */
export type Installation = { environment: NodeJS.ProcessEnv; serviceToken: string; secretToken: string };

export type Service = RunningProgram & { port: number };

/** Returns the settings of a service with its data in `folder`. `databaseUrl` names a new database. */
export function environmentOf(folder: string, databaseUrl = `sqlite:${join(folder, 'rubrica.db')}`): NodeJS.ProcessEnv {
  return { DATA_DIR: folder, DATABASE_URL: databaseUrl, PORT: '0', RATE_LIMITS: 'off', LOG_LEVEL: 'info' };
}

/**
 * Creates a data folder with a payment service. `databaseUrl` names a new database; `settings` are added to the usual
 * ones.
 */
export async function createInstallation(
  folder: string,
  databaseUrl?: string,
  settings: NodeJS.ProcessEnv = {},
): Promise<Installation> {
  const environment = { ...environmentOf(folder, databaseUrl), ...settings };
  const { development } = await withStore({ environment }, (app) =>
    createPaymentService(app, 'Bench', commandLineActor()),
  );
  return { environment, serviceToken: development.service_token, secretToken: development.secret_token };
}

/** Uses a store in this process, as a command does. Creates the schema of a new store. */
export async function withStore<Result>(
  { environment }: Pick<Installation, 'environment'>,
  use: (app: App) => Promise<Result>,
): Promise<Result> {
  const app = composeApp(readConfig({ ...process.env, ...environment, LOG_LEVEL: 'error' }), (error) => {
    throw error;
  });
  try {
    await openStore(app, true);
    return await use(app);
  } finally {
    await app.close();
  }
}

/** Starts the service as its users do: `serve`, without request limits and with all other defaults. */
export async function startService(
  { environment }: Pick<Installation, 'environment'>,
  nodeOptions: readonly string[] = [],
): Promise<Service> {
  const isReady = (line: string) => line.includes('"msg":"ready"');
  const program = await startProgram('node', [...nodeOptions, 'src/main.ts', 'serve'], { environment, isReady });
  const { url } = JSON.parse(program.line) as { url: string };
  return { ...program, port: Number(new URL(url).port) };
}

export function createRequestOf(
  installation: Installation,
  references: CreateRequest['references'] = 'sequential',
): CreateRequest {
  const { serviceToken, secretToken } = installation;
  return { kind: 'create', serviceToken, secretToken, references };
}

export type User = { email: string; password: string };

/** Creates a user before the service starts. */
export function createBenchUser(installation: Installation, wish: Omit<UserWish, 'email'>): Promise<User> {
  return withStore(installation, (app) => createUser(app, { email: 'bench@example.cl', ...wish }, commandLineActor()));
}

/** The rights of a user who validates bank accounts. */
export const VALIDATES = { may: ['accounts:validate'], paymentServices: [] } as const;

export async function validationRequestOf(service: Service, user: User): Promise<ValidationRequest> {
  return { kind: 'validation', accessToken: await logIn(service, user) };
}

/** Logs in and returns the access token of a user. */
export async function logIn({ port }: Service, { email, password }: User): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/users/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: email, password }),
  });
  if (!response.ok) throw new FigureSkipped(`POST /users/login answers ${response.status}`);
  const { data } = (await response.json()) as { data: { access_token_jwt: string } };
  return data.access_token_jwt;
}
