import type { App } from '../../app.ts';
import type { User } from '../../auth/user.ts';
import { type Html, html } from '../../http/html.ts';
import type { Language } from '../../lib/language.ts';
import { findEnvironmentById } from '../../payment-services/find-environment.ts';
import type { ServiceEnvironment } from '../../payment-services/payment-service.ts';
import { tell } from '../console-texts.ts';
import type { ConsoleVisit } from '../console-visit.ts';
import { choiceNames, listMerchants } from '../merchants/visible-merchants.ts';
import { type Fault, formField } from '../notice.ts';

/** An environment of a merchant, for a choice in a form. */
export type SeenOwner = { id: number; merchant: string; name: string; environment: ServiceEnvironment['environment'] };

/** Lists the environments of the merchants that the person sees; the environment of RUBRICA_ENV comes first. */
export async function listSeenOwners(app: App, user: User): Promise<SeenOwner[]> {
  const merchants = await listMerchants(app, user);
  const names = choiceNames(merchants);
  const owners = merchants.flatMap(({ id: merchant, tokens }) => {
    const name = names.get(merchant) ?? merchant;
    const ids = new Map(tokens.map(({ environment, environment_id }) => [environment, environment_id]));
    return [...ids].map(([environment, id]) => ({ id, merchant, name, environment }));
  });
  return owners.sort(
    (one, other) =>
      Number(other.environment === app.config.mode) - Number(one.environment === app.config.mode) ||
      one.name.localeCompare(other.name, 'es'),
  );
}

/** Shows the choice as the field `of` of a form. */
export function ownerField(
  { language }: Pick<ConsoleVisit, 'language'>,
  owners: readonly SeenOwner[],
  chosen = '',
  fault: Fault = { said: '' },
): Html {
  const options = owners.map(
    ({ id, name, environment }) =>
      html`<option value="${id}"${String(id) === chosen && html` selected`}>${ownerText(language, name, environment)}</option>`,
  );
  return formField(
    fault,
    'of',
    (attributes) =>
      html`<label>${tell(language, 'upload.whose')}<select name="of" required${attributes}>${noOwnerYet(language, owners)}${options}</select></label>`,
  );
}

/** Of several merchants none is chosen beforehand: money would leave from the wrong one. */
export function noOwnerYet(language: Language, owners: readonly SeenOwner[]): Html | false {
  const isOne = new Set(owners.map(({ merchant }) => merchant)).size < 2;
  return !isOne && html`<option value="">${tell(language, 'upload.choose_whose')}</option>`;
}

/** Returns why a form without an owner is refused; null if it has one. */
export function noOwnerFault(language: Language, named: string | undefined): Fault | null {
  return named === '' ? { said: tell(language, 'upload.choose_whose'), field: 'of' } : null;
}

/** Names an owner in a choice. The environment comes first: a narrow field cuts off the end of a long name. */
export function ownerText(language: Language, name: string, environment: SeenOwner['environment']): string {
  return `${tell(language, `merchant.${environment}`)} · ${name}`;
}

/** Returns the environment that the field names; null if the person does not see it. */
export async function ownerNamed(app: App, user: User, name: string | undefined): Promise<ServiceEnvironment | null> {
  const owner = (await listSeenOwners(app, user)).find(({ id }) => String(id) === name);
  return owner === undefined ? null : findEnvironmentById(app, owner.id);
}
