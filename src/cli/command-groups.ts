import type { Command } from 'commander';

type Load = () => Promise<(program: Command) => void>;

/**
 * THE TABLE of the commands by their first word, in the groups of the help. Only the requested command is loaded, so
 * that signing in a shell loop does not load the database driver and the HTTP server. The help loads all commands.
 */
const GROUPS: readonly { title: string; commands: Record<string, Load> }[] = [
  {
    title: 'Run it:',
    commands: {
      demo: async () => (await import('./run/demo-command.ts')).addDemoCommand,
      serve: async () => (await import('./run/serve-command.ts')).addServeCommand,
      open: async () => (await import('./run/open-command.ts')).addOpenCommand,
    },
  },
  {
    title: 'For developers of shops:',
    commands: {
      'sign explain verify': async () => (await import('./developers/signature-commands.ts')).addSignatureCommands,
      listen: async () => (await import('./developers/listen-command.ts')).addListenCommand,
      trigger: async () => (await import('./developers/trigger-command.ts')).addTriggerCommand,
      logs: async () => (await import('./developers/logs-command.ts')).addLogsCommand,
      chaos: async () => (await import('./developers/chaos-commands.ts')).addChaosCommands,
      'record replay': async () => (await import('./developers/record-commands.ts')).addRecordCommands,
      clock: async () => (await import('./developers/clock-commands.ts')).addClockCommands,
      request: async () => (await import('./developers/request-commands.ts')).addRequestCommands,
    },
  },
  {
    title: 'Merchants and users:',
    commands: {
      'payment-service': async () =>
        (await import('./merchants/payment-service-commands.ts')).addPaymentServiceCommands,
      'payment-method': async () => (await import('./merchants/payment-method-commands.ts')).addPaymentMethodCommands,
      user: async () => (await import('./merchants/user-commands.ts')).addUserCommands,
      webhook: async () => (await import('./merchants/webhook-commands.ts')).addWebhookCommands,
    },
  },
  {
    title: 'Payments:',
    commands: {
      transaction: async () => (await import('./payments/transaction-commands.ts')).addTransactionCommands,
      'payment-link': async () => (await import('./payments/payment-link-commands.ts')).addPaymentLinkCommands,
      payment: async () => (await import('./payments/payment-commands.ts')).addPaymentCommands,
      refund: async () => (await import('./payments/refund-commands.ts')).addRefundCommands,
      callback: async () => (await import('./payments/callback-commands.ts')).addCallbackCommands,
      mail: async () => (await import('./payments/mail-commands.ts')).addMailCommands,
      endpoint: async () => (await import('./payments/endpoint-commands.ts')).addEndpointCommands,
      attention: async () => (await import('./payments/attention-commands.ts')).addAttentionCommands,
    },
  },
  {
    title: 'Money:',
    commands: {
      statement: async () => (await import('./money/bank-statement-commands.ts')).addBankStatementCommands,
      books: async () => (await import('./money/books-commands.ts')).addBooksCommands,
      reconcile: async () => (await import('./money/reconcile-command.ts')).addReconcileCommand,
      'settlement month': async () => (await import('./money/settlement-commands.ts')).addSettlementCommands,
      'payout batch deposit': async () => (await import('./money/payout-commands.ts')).addPayoutCommands,
    },
  },
  {
    title: 'Bank accounts:',
    commands: {
      validate: async () => (await import('./bank-accounts/validate-command.ts')).addValidateCommand,
      recipient: async () => (await import('./bank-accounts/recipient-commands.ts')).addRecipientCommands,
      banks: async () => (await import('./bank-accounts/banks-commands.ts')).addBanksCommands,
    },
  },
  {
    title: 'Operation:',
    commands: {
      doctor: async () => (await import('./operation/doctor-command.ts')).addDoctorCommand,
      'migrate backup backup-made process-ended': async () =>
        (await import('./operation/operation-commands.ts')).addOperationCommands,
      'restore after-restore release': async () => (await import('./operation/restore-commands.ts')).addRestoreCommands,
      ids: async () => (await import('./merchants/move-commands.ts')).addIdsCommand,
      'master-key': async () => (await import('./operation/master-key-commands.ts')).addMasterKeyCommands,
      audit: async () => (await import('./operation/audit-commands.ts')).addAuditCommands,
      privacy: async () => (await import('./operation/privacy-commands.ts')).addPrivacyCommands,
      bench: async () => (await import('./operation/bench-command.ts')).addBenchCommand,
      completion: async () => {
        const { addCompletionCommand } = await import('./help/completion-command.ts');
        return (program) => addCompletionCommand(program, (all) => addCommands(all, ''));
      },
    },
  },
];

/** Adds the commands that match the first word; all commands if none matches; none for `--version`. */
export async function addCommands(program: Command, asked: string): Promise<void> {
  if (asked === '--version' || asked === '-V') return;
  const isNamed = GROUPS.some(({ commands }) => Object.keys(commands).some((words) => has(words, asked)));
  for (const { title, commands } of GROUPS) {
    program.commandsGroup(title);
    for (const [words, load] of Object.entries(commands)) if (!isNamed || has(words, asked)) (await load())(program);
  }
}

function has(words: string, word: string): boolean {
  return words.split(' ').includes(word);
}
