import type { Transporter } from 'nodemailer';
import { withinTime } from '../within-time.ts';

/** The mail server, as the operator has set it. */
export type SmtpServer = {
  host: string;
  port: number;
  /** TLS from the start, as on port 465. */
  secure: boolean;
  user: string | null;
  password: string | null;
};

/** `from` and `replyTo` are addresses; the name beside `from` is shown to the recipient. */
export type MailMessage = {
  id: string;
  from: { name: string; address: string };
  replyTo: string | null;
  to: string;
  subject: string;
  text: string;
  html: string;
};

/** `refused`: the server rejects this mail for good. `failed`: a retry may succeed. `reason` contains no address. */
export type MailOutcome = { kind: 'sent' } | { kind: 'refused' | 'failed'; reason: string };

/** Sends mail. */
export type Mailer = { send(message: MailMessage): Promise<MailOutcome> };

/** A mail that takes longer has failed and is retried. */
const WITHIN_MS = 60_000;
const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;

/** Creates a mailer for one server. It loads the library and connects only with the first mail. */
export function createMailer(server: SmtpServer): Mailer {
  let transport: Promise<Transporter> | undefined;
  return {
    send: async (message) => {
      try {
        transport ??= openTransport(server);
        await withinTime((await transport).sendMail(mailOf(message)), WITHIN_MS);
        return { kind: 'sent' };
      } catch (error) {
        return outcomeOf(error, message.to);
      }
    },
  };
}

/** Sends a password only over an encrypted connection. Refuses an invalid certificate. */
async function openTransport({ host, port, secure, user, password }: SmtpServer): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const isHere = ['localhost', '127.0.0.1', '::1'].includes(host);
  return createTransport({
    host,
    port,
    secure,
    ignoreTLS: isHere,
    requireTLS: user !== null && !isHere,
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function mailOf({ id, from, replyTo, to, subject, text, html }: MailMessage) {
  return {
    // The same id on every attempt, so a server can recognise a duplicate.
    messageId: `<${id}@${from.address.split('@')[1]}>`,
    from,
    to: { name: '', address: to },
    ...(replyTo !== null && { replyTo }),
    subject,
    text,
    html,
    headers: { 'auto-submitted': 'auto-generated' },
  };
}

/** `command`: the SMTP command that failed. */
type SendError = { code?: string; command?: string; responseCode?: number; response?: string };

function outcomeOf(error: unknown, address: string): MailOutcome {
  const { code, response } = error as SendError;
  const said = (response ?? '')
    .replace(new RegExp(RegExp.escape(address), 'gi'), '…')
    .replace(/\s+/g, ' ')
    .slice(0, 200);
  const reason = [code ?? 'FAILED', said].filter((part) => part !== '').join(': ');
  return { kind: isFinal(error as SendError) ? 'refused' : 'failed', reason };
}

/**
 * Returns whether the server refuses this mail for good. A server that refuses the sender, or every address as a policy
 * (5.7), such as `Relay access denied`, has or gets wrong settings, and may accept the mail later.
 */
function isFinal({ code, command, responseCode = 0, response = '' }: SendError): boolean {
  if (responseCode < 500) return false;
  return code === 'EMESSAGE' || (code === 'EENVELOPE' && command === 'RCPT TO' && !POLICY.test(response));
}

const POLICY = /^5\d\d[ -]5\.7\./;
