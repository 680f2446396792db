import type { App } from '../app.ts';
import { describePayment, type Payment } from '../checkout/find-payment.ts';
import { formatAmount } from '../checkout/format-for-payer.ts';
import { linkSubject } from '../checkout/order-lines.ts';
import { payUrl } from '../checkout/pay-link.ts';
import { say, sayOf } from '../checkout/texts.ts';
import { type Html, html } from '../http/html.ts';
import type { Language } from '../lib/language.ts';
import type { MailMessage } from '../lib/network/mailer.ts';
import { isMailAddress, type Mail } from '../mail/mail.ts';
import { selectRefund } from '../refunds/refund-queries.ts';
import { transactionKeyOf } from '../transactions/transaction.ts';
import { selectTransaction } from '../transactions/transaction-queries.ts';
import { amountOf, summaryRows } from './payment-summary.ts';
import { legalNameOf } from './shop-frame.ts';

/**
 * Returns the receipt of a payment or a refund from the current store; null when the payment or refund is not
 * completed.
 */
export async function writeReceipt(app: App, mail: Mail): Promise<MailMessage | null> {
  const transaction = await selectTransaction(app.db, transactionKeyOf(mail));
  if (transaction === null) return null;
  const payment = await describePayment(app, transaction);
  const refunded = await refundOf(app, mail);
  if (payment.stage !== 'completed' || (mail.refund_id !== null && refunded === null)) return null;
  const { language } = mail;
  const { environment, look } = payment;
  const isTest = environment.environment === 'development';
  const content: Content = {
    ...wordsOf(payment, refunded, language),
    rows: summaryRows(payment, language),
    url: payUrl(app, transaction),
    note: noteOf(payment, language),
    isTest,
    language,
  };
  return {
    id: mail.id,
    from: { name: environment.paymentServiceName, address: app.config.mailFrom },
    replyTo: look.contact !== null && isMailAddress(look.contact) ? look.contact : null,
    to: mail.address,
    subject: `${isTest ? `[${say(language, 'test.badge')}] ` : ''}${content.subject}`,
    text: textOf(content),
    html: htmlOf(content, look.colour).text,
  };
}

/**
 * Returns the refunded amount in minor units; null when the mail has no refund, or when the refund is not completed.
 */
async function refundOf(app: App, { refund_id, environment_id }: Mail): Promise<number | null> {
  const refund = refund_id === null ? null : await selectRefund(app.db, { id: refund_id, environment_id });
  return refund?.state === 'completed' ? refund.amount : null;
}

type Words = { subject: string; title: string; text: string };

function wordsOf(payment: Payment, refund: number | null, language: Language): Words {
  const { transaction, environment } = payment;
  const merchant = environment.paymentServiceName;
  const amount = amountOf(payment, language);
  const kind = refund === null ? 'mail.paid' : 'mail.refunded';
  const refunded = refund === null ? '' : formatAmount(language, refund, transaction.currency);
  const subject = linkSubject(transaction);
  const values = { merchant, amount, refunded, reference: transaction.reference, subject: subject ?? '' };
  return {
    subject: say(language, `${kind}.subject`, values),
    title: say(language, `${kind}.title`, values),
    text:
      refund === null
        ? sayOf(language, 'mail.paid.text', subject, values)
        : say(language, 'mail.refunded.text', values),
  };
}

/** Returns the note with the shop's contact and the merchant's legal name. */
function noteOf({ environment, look }: Payment, language: Language): string {
  const who = legalNameOf(look);
  const contact = look.contact ?? environment.paymentServiceName;
  return `${say(language, 'mail.questions', { contact })}${who === '' ? '' : ` ${who}.`}`;
}

type Content = Words & {
  rows: [name: string, value: string][];
  url: string;
  note: string;
  isTest: boolean;
  language: Language;
};

function textOf({ title, text, rows, url, note, isTest, language }: Content): string {
  return [
    ...(isTest ? [say(language, 'test.note'), ''] : []),
    title,
    text,
    '',
    ...rows.map(([name, value]) => `${name}: ${value}`),
    '',
    `${say(language, 'mail.link')}: ${url}`,
    '',
    note,
    '',
  ].join('\n');
}

const SANS = 'font-family:Helvetica,Arial,sans-serif';

/**
 * Styles are inline, because many mail programs ignore others. No image, so that opening the mail is not reported to
 * anybody.
 */
function htmlOf({ title, text, rows, url, note, isTest, language }: Content, colour: string | null): Html {
  const accent = colour ?? '#3b3f8f';
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body style="margin:0;padding:24px;background:#f4f4f6;color:#1b1e28;${SANS};font-size:16px;line-height:1.5">
<div style="max-width:480px;margin:0 auto;padding:24px;background:#ffffff;border-top:4px solid ${accent}">
${isTest && html`<p style="margin:0 0 16px"><strong>${say(language, 'test.note')}</strong></p>`}
<h1 style="margin:0 0 8px;font-size:22px;line-height:1.25">${title}</h1>
<p style="margin:0 0 16px">${text}</p>
<table role="presentation" style="width:100%;border-collapse:collapse">${rows.map(
    ([name, value]) =>
      html`<tr><td style="padding:6px 12px 6px 0;color:#555b6e;vertical-align:top">${name}</td><td style="padding:6px 0;text-align:right">${value}</td></tr>`,
  )}</table>
<p style="margin:24px 0"><a href="${url}" style="color:${accent}">${say(language, 'mail.link')}</a></p>
<p style="margin:0;color:#555b6e;font-size:14px">${note}</p>
</div></body></html>`;
}
