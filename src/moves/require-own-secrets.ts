import { findSharersThere, type SecretSharer } from '../payment-services/find-secret-holder.ts';
import { type Move, MoveRefusal } from './move.ts';

/**
 * Throws `MoveRefusal` MOVE_SECRET_HELD if a payment service of the other database has or had a Secret Token of this
 * one, as an import is refused. A Secret Token that has closed for both is left out.
 */
export async function requireOwnSecrets({ from, to, scope }: Pick<Move, 'from' | 'to' | 'scope'>): Promise<void> {
  const shared = await findSharersThere(from, to, scope.paymentServiceId);
  if (shared === null) return;
  const [holder] = shared.there;
  const commands = [...commandsFor(shared.here, 'here'), ...commandsFor(shared.there, 'in the other database')];
  throw new MoveRefusal(
    'MOVE_SECRET_HELD',
    `A Secret Token of ${scope.paymentServiceId} is or was one of payment service ${holder?.paymentServiceId} of the other database. ` +
      'Two merchants with one secret could sign for each other: give each a Secret Token of its own, at its clients too, ' +
      `and move when the shared one has closed: ${commands.join('; ')}`,
  );
}

function commandsFor(sharers: readonly SecretSharer[], where: string): string[] {
  return sharers
    .filter(({ isOpen }) => isOpen)
    .map(({ paymentServiceId: id, environment }) => {
      return `bin/rubrica payment-service rotate ${id} --environment ${environment} (${where})`;
    });
}
