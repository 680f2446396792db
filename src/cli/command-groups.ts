import type { Command } from 'commander';

type Load = () => Promise<(program: Command) => void>;

/**
 * The commands by their first word, in the groups of the help. Only the requested command is loaded, so that signing in
 * a shell loop does not load the database driver and the HTTP server. The help loads all commands.
 */
const GROUPS: readonly { title: string; commands: Record<string, Load> }[] = [
  {
    title: 'Run it:',
    commands: {
      demo: async () => (await import('./demo-command.ts')).addDemoCommand,
      serve: async () => (await import('./serve-command.ts')).addServeCommand,
      open: async () => (await import('./open-command.ts')).addOpenCommand,
    },
  },
  {
    title: 'For developers of shops:',
    commands: {
      'sign explain verify': async () => (await import('./signature-commands.ts')).addSignatureCommands,
      listen: async () => (await import('./listen-command.ts')).addListenCommand,
      trigger: async () => (await import('./trigger-command.ts')).addTriggerCommand,
      logs: async () => (await import('./logs-command.ts')).addLogsCommand,
      chaos: async () => (await import('./chaos-commands.ts')).addChaosCommands,
      'record replay': async () => (await import('./record-commands.ts')).addRecordCommands,
      clock: async () => (await import('./clock-commands.ts')).addClockCommands,
      request: async () => (await import('./request-commands.ts')).addRequestCommands,
    },
  },
  {
    title: 'Merchants and users:',
    commands: {
      'payment-service': async () => (await import('./payment-service-commands.ts')).addPaymentServiceCommands,
      'payment-method': async () => (await import('./payment-method-commands.ts')).addPaymentMethodCommands,
      user: async () => (await import('./user-commands.ts')).addUserCommands,
      webhook: async () => (await import('./webhook-commands.ts')).addWebhookCommands,
    },
  },
  {
    title: 'Payments:',
    commands: {
      transaction: async () => (await import('./transaction-commands.ts')).addTransactionCommands,
      'payment-link': async () => (await import('./payment-link-commands.ts')).addPaymentLinkCommands,
      payment: async () => (await import('./payment-commands.ts')).addPaymentCommands,
      refund: async () => (await import('./refund-commands.ts')).addRefundCommands,
      callback: async () => (await import('./callback-commands.ts')).addCallbackCommands,
      mail: async () => (await import('./mail-commands.ts')).addMailCommands,
      endpoint: async () => (await import('./endpoint-commands.ts')).addEndpointCommands,
      attention: async () => (await import('./attention-commands.ts')).addAttentionCommands,
    },
  },
  {
    title: 'Money:',
    commands: {
      statement: async () => (await import('./bank-statement-commands.ts')).addBankStatementCommands,
      books: async () => (await import('./books-commands.ts')).addBooksCommands,
      reconcile: async () => (await import('./reconcile-command.ts')).addReconcileCommand,
      'settlement month': async () => (await import('./settlement-commands.ts')).addSettlementCommands,
      'payout batch deposit': async () => (await import('./payout-commands.ts')).addPayoutCommands,
    },
  },
  {
    title: 'Bank accounts:',
    commands: {
      validate: async () => (await import('./validate-command.ts')).addValidateCommand,
      recipient: async () => (await import('./recipient-commands.ts')).addRecipientCommands,
      banks: async () => (await import('./bank-validation-commands.ts')).addBankValidationCommands,
    },
  },
  {
    title: 'Operation:',
    commands: {
      doctor: async () => (await import('./doctor-command.ts')).addDoctorCommand,
      'migrate backup backup-made process-ended': async () =>
        (await import('./operation-commands.ts')).addOperationCommands,
      'restore after-restore release': async () => (await import('./restore-commands.ts')).addRestoreCommands,
      ids: async () => (await import('./move-commands.ts')).addIdsCommand,
      'master-key': async () => (await import('./master-key-commands.ts')).addMasterKeyCommands,
      audit: async () => (await import('./audit-commands.ts')).addAuditCommands,
      privacy: async () => (await import('./privacy-commands.ts')).addPrivacyCommands,
      bench: async () => (await import('./bench-command.ts')).addBenchCommand,
      completion: async () => {
        const { addCompletionCommand } = await import('./completion-command.ts');
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
