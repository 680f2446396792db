import type { App } from '../../app.ts';
import type { User } from '../../auth/user.ts';
import { type ListedPaymentService, listPaymentServices } from '../../payment-services/list-payment-services.ts';
import { ENVIRONMENTS, type Environment } from '../../payment-services/payment-service.ts';
import type { Filter } from '../console-list.ts';
import type { ConsoleVisit } from '../console-visit.ts';

/** Lists the payment services that a person sees, each with the tokens of the environments that the person sees. */
export async function listMerchants(app: App, { environmentIds }: User): Promise<ListedPaymentService[]> {
  const services = await listPaymentServices(app);
  if (environmentIds === null) return services;
  return services.flatMap((service) => {
    const tokens = service.tokens.filter(({ environment_id }) => environmentIds.has(environment_id));
    return tokens.length === 0 ? [] : [{ ...service, tokens }];
  });
}

/** Returns the names of merchants for a choice, by their ids; where several have the same name, with the id. */
export function choiceNames(merchants: readonly { id: string; name: string }[]): ReadonlyMap<string, string> {
  const alike = Map.groupBy(merchants, ({ name }) => name);
  return new Map(merchants.map(({ id, name }) => [id, alike.get(name)?.length === 1 ? name : `${name} · ${id}`]));
}

/** Returns a filter by payment service if the person sees several, else an empty list. */
export async function merchantFilter(app: App, user: User): Promise<Filter[]> {
  const merchants = await listMerchants(app, user);
  if (merchants.length < 2) return [];
  return [{ name: 'merchant', text: 'column.merchant', type: [...choiceNames(merchants)] }];
}

/** Returns the payment service in the path; null if the person does not see it. */
export async function merchantOf(app: App, { request, user }: ConsoleVisit): Promise<ListedPaymentService | null> {
  const { id } = request.params as { id: string };
  return (await listMerchants(app, user)).find((service) => service.id === id) ?? null;
}

/** Lists the names of a merchant's environments that the person sees. */
export function environmentsOf({ tokens }: ListedPaymentService): Environment[] {
  return ENVIRONMENTS.filter((name) => tokens.some(({ environment }) => environment === name));
}

/**
 * Whether the person sees the production of a merchant. Its look, its request limit and its state apply there too, so
 * nobody else changes them.
 */
export function seesProduction(merchant: ListedPaymentService): boolean {
  return environmentsOf(merchant).includes('production');
}

/**
 * Returns the payment service in the path and the environment that a form or an address names; null if the person does
 * not see both.
 */
export async function merchantIn(app: App, visit: ConsoleVisit, name: unknown): Promise<MerchantEnvironment | null> {
  const merchant = await merchantOf(app, visit);
  const environment = merchant === null ? null : environmentNamed(merchant, name);
  return merchant === null || environment === null ? null : { merchant, environment };
}

type MerchantEnvironment = { merchant: ListedPaymentService; environment: Environment };

/** Parses the name of an environment; without one, returns the environment in which the program runs. */
export function readEnvironment(app: App, name: unknown): Environment {
  return ENVIRONMENTS.find((one) => one === name) ?? app.config.mode;
}

/** Returns the environment that a form or an address names; null if the person does not see it. */
export function environmentNamed(merchant: ListedPaymentService, name: unknown): Environment | null {
  return environmentsOf(merchant).find((environment) => environment === name) ?? null;
}
