import type { InBoth } from '../../error-catalogue.ts';
import { shellWord } from '../../lib/shell-word.ts';
import type { EventsUrl } from '../../payment-services/payment-service-queries.ts';
import type { UserWebhook } from './find-subscribers.ts';

type Receiver = UserWebhook | EventsUrl;

/** Names a user's webhook or an events URL, and says whether it gets nothing now. */
export function sayWebhook(receiver: Receiver): InBoth {
  const isOver = receiver.url === null;
  if ('payment_service' in receiver)
    return {
      en: `events URL${isOver ? ', which was removed' : ''}`,
      es: `URL de eventos${isOver ? ', que se quitó' : ''}`,
    };
  const { email, webhook } = receiver;
  return {
    en: `webhook ${webhook} of ${email}${isOver ? ', which gets nothing now' : ''}`,
    es: `webhook ${webhook} de ${email}${isOver ? ', que ya no recibe nada' : ''}`,
  };
}

/** Returns the command that ends a user's webhook or removes an events URL, with its posts. */
export function endCommand(receiver: Receiver): string {
  if ('payment_service' in receiver) {
    const { payment_service, environment } = receiver;
    return `bin/rubrica payment-service events-url ${payment_service} --environment ${environment}`;
  }
  return `bin/rubrica webhook end ${shellWord(receiver.email)} ${receiver.webhook}`;
}
