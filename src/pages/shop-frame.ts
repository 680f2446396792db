import type { App } from '../app.ts';
import type { Payment } from '../checkout/find-payment.ts';
import { say } from '../checkout/texts.ts';
import { publicPath } from '../http/assets.ts';
import { type Html, html } from '../http/html.ts';
import type { Brand, PageContent } from '../http/page.ts';
import type { Language } from '../lib/language.ts';
import type { Look } from '../payment-services/look.ts';

/** Returns what all pages of a shop's payers have in common. */
export function payerFrame(
  app: App,
  { environment, look }: Pick<Payment, 'environment' | 'look'>,
  language: Language,
): Pick<PageContent, 'language' | 'payment' | 'brand'> {
  const test = environment.environment === 'development';
  return { language, payment: { test }, brand: brandOf(app, environment.paymentServiceName, look, language) };
}

/** Returns the frame of a shop's page: its mark on top, its colour, and its legal name at the foot. */
function brandOf(app: App, name: string, look: Look, language: Language): Brand {
  const path = publicPath(app);
  const mark = html`<div class="shop">${
    look.logo === null
      ? html`<span class="initials" aria-hidden="true">${initialsOf(name)}</span>`
      : html`<img src="${path}/looks/${look.logo.sha256}" alt="" width="${look.logo.width}" height="${look.logo.height}">`
  }<p><strong>${name}</strong>${look.site !== null && html`<a href="${look.site}" rel="noreferrer">${hostOf(look.site)}</a>`}</p></div>`;
  const stylesheet = look.colour === null ? null : `${path}/looks/${look.colour.slice(1)}.css`;
  return { mark, stylesheet, foot: footOf(app, look, language) };
}

function footOf({ config }: App, look: Look, language: Language): Html {
  const { contact, terms } = look;
  const merchant = legalNameOf(look);
  const parts = [
    merchant !== '' && html`${merchant}`,
    contact !== null && contactLink(contact),
    terms !== null && html`<a href="${terms}" rel="noreferrer">${say(language, 'footer.terms')}</a>`,
  ].filter((part) => part !== false);
  const operator = config.operatorName;
  return html`${parts.length > 0 && html`<p>${parts.map((part, at) => html`${at > 0 && ' · '}${part}`)}</p>`}
<p>${say(language, 'footer.processed', { operator: operator ?? 'Rúbrica' })}${operator !== null && html` <small>${say(language, 'footer.with')}</small>`}</p>`;
}

/** Returns the merchant's legal name and RUT as far as they are set, such as `Casa Verde SpA, 76.111.222-8`. */
export function legalNameOf({ legalName, rut }: Look): string {
  return [legalName, rut === null ? null : formatRut(rut)].filter((fact) => fact !== null).join(', ');
}

/** Returns a link: `mailto:` for an e-mail address, the page for an `https` address, otherwise `tel:`. */
function contactLink(contact: string): Html {
  if (/^[^\s@]+@[^\s@]+$/.test(contact)) return html`<a href="mailto:${contact}">${contact}</a>`;
  if (contact.startsWith('https://')) return html`<a href="${contact}" rel="noreferrer">${hostOf(contact)}</a>`;
  return html`<a href="tel:${contact.replace(/[^+\d]/g, '')}">${contact}</a>`;
}

function formatRut(rut: string): string {
  const [body = '', check = ''] = rut.split('-');
  return `${new Intl.NumberFormat('es-CL', { useGrouping: 'always' }).format(Number(body))}-${check}`;
}

function hostOf(url: string): string {
  return new URL(url).host.replace(/^www\./, '');
}

/** Returns up to two letters that stand in for a logo. */
function initialsOf(name: string): string {
  const letters = [...name.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)].slice(0, 2).map(([letter]) => letter);
  return letters.join('').toLocaleUpperCase('es');
}
