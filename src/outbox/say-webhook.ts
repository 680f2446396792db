import type { InBoth } from '../error-catalogue.ts';
import { shellWord } from '../lib/shell-word.ts';
import type { Destination } from './find-subscribers.ts';

/** Names a user's webhook, and says whether it gets nothing now. */
export function sayWebhook({ email, webhook, url }: Destination): InBoth {
  return {
    en: `webhook ${webhook} of ${email}${url === null ? ', which gets nothing now' : ''}`,
    es: `webhook ${webhook} de ${email}${url === null ? ', que ya no recibe nada' : ''}`,
  };
}

/** Returns the command that ends a user's webhook, with its posts. */
export function endCommand({ email, webhook }: Pick<Destination, 'email' | 'webhook'>): string {
  return `bin/rubrica webhook end ${shellWord(email)} ${webhook}`;
}
