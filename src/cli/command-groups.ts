import type { Command } from 'commander';

/**
 * The commands by their first word. Only what is asked for is loaded: signing in a shell loop does not wait for the
 * database driver and the HTTP server. Help shows all of them.
 */
const COMMANDS: Record<string, () => Promise<(program: Command) => void>> = {
  demo: async () => (await import('./demo-command.ts')).addDemoCommand,
  serve: async () => (await import('./serve-command.ts')).addServeCommand,
  'payment-service': async () => (await import('./payment-service-commands.ts')).addPaymentServiceCommands,
  'payment-method': async () => (await import('./payment-method-commands.ts')).addPaymentMethodCommands,
  user: async () => (await import('./user-commands.ts')).addUserCommands,
  'sign explain verify': async () => (await import('./signature-commands.ts')).addSignatureCommands,
  transaction: async () => (await import('./transaction-commands.ts')).addTransactionCommands,
  request: async () => (await import('./request-commands.ts')).addRequestCommands,
  callback: async () => (await import('./callback-commands.ts')).addCallbackCommands,
  endpoint: async () => (await import('./endpoint-commands.ts')).addEndpointCommands,
  listen: async () => (await import('./listen-command.ts')).addListenCommand,
  webhook: async () => (await import('./webhook-commands.ts')).addWebhookCommands,
  refund: async () => (await import('./refund-commands.ts')).addRefundCommands,
  'payout batch deposit': async () => (await import('./payout-commands.ts')).addPayoutCommands,
  books: async () => (await import('./books-commands.ts')).addBooksCommands,
  reconcile: async () => (await import('./reconcile-command.ts')).addReconcileCommand,
  'settlement month': async () => (await import('./settlement-commands.ts')).addSettlementCommands,
  validate: async () => (await import('./validate-command.ts')).addValidateCommand,
  recipient: async () => (await import('./recipient-commands.ts')).addRecipientCommands,
  banks: async () => (await import('./bank-validation-commands.ts')).addBankValidationCommands,
  privacy: async () => (await import('./privacy-commands.ts')).addPrivacyCommands,
  payment: async () => (await import('./payment-commands.ts')).addPaymentCommands,
  audit: async () => (await import('./audit-commands.ts')).addAuditCommands,
  attention: async () => (await import('./attention-commands.ts')).addAttentionCommands,
  doctor: async () => (await import('./doctor-command.ts')).addDoctorCommand,
  'master-key': async () => (await import('./master-key-commands.ts')).addMasterKeyCommands,
  'restore after-restore release': async () => (await import('./restore-commands.ts')).addRestoreCommands,
  'migrate backup': async () => (await import('./operation-commands.ts')).addOperationCommands,
  bench: async () => (await import('./bench-command.ts')).addBenchCommand,
};

/** Adds the group of commands that the first word asks for; all of them where it names none. */
export async function addCommands(program: Command, asked: string): Promise<void> {
  const groups = Object.keys(COMMANDS);
  const named = groups.filter((words) => words.split(' ').includes(asked));
  for (const words of named.length > 0 ? named : groups) {
    const add = await COMMANDS[words]?.();
    add?.(program);
  }
}
