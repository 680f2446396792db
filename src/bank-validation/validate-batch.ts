import type { App } from '../app.ts';
import { Problem } from '../error-catalogue.ts';
import type { AccountInput } from './account-checks.ts';
import type { Validation } from './stored-validation.ts';
import { type ValidationActor, validateBankAccount } from './validate-bank-account.ts';

export type BatchResult = { readonly validation: Validation } | { readonly problem: Problem };

/** So many at once: enough to share commits, too few to fill the queue of everybody else. */
const AT_ONCE = 250;

/**
 * Validates many accounts and answers in their order. A refusal that concerns one of them, such as a spent provider
 * budget, is that one's result and spoils no other.
 */
export async function validateBatch(
  app: App,
  actor: ValidationActor,
  inputs: readonly AccountInput[],
): Promise<BatchResult[]> {
  const results: BatchResult[] = [];
  for (let start = 0; start < inputs.length; start += AT_ONCE) {
    const chunk = inputs.slice(start, start + AT_ONCE);
    results.push(...(await Promise.all(chunk.map((input) => validateOne(app, actor, input)))));
  }
  return results;
}

async function validateOne(app: App, actor: ValidationActor, input: AccountInput): Promise<BatchResult> {
  try {
    return { validation: await validateBankAccount(app, actor, input) };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}
