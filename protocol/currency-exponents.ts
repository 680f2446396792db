/**
 * Returns the decimals of an ISO 4217 currency (CLP 0, USD 2, KWD 3, CLF 4); undefined for anything else, also for
 * metals and test codes without a minor unit.
 *
 * Source: ISO 4217 list one of 2024-06-25, with XCG for ANG (2025) and without BGN, which the euro replaced (2026). The
 * withdrawn CUC is left out. `Intl` cannot be the source: it prints COP, HUF, IDR and others without the decimals of
 * ISO.
 */
export function currencyExponent(currency: string): number | undefined {
  return EXPONENTS.get(currency);
}

/** Returns the decimals of every currency, for clients in other languages. */
export function currencyExponents(): Record<string, number> {
  return Object.fromEntries(EXPONENTS);
}

const CURRENCIES_BY_EXPONENT: readonly [exponent: number, currencies: string][] = [
  [
    0,
    `
    BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF`,
  ],
  [
    2,
    `
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF
    CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL
    HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU
    MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR
    SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED
    VES WST XCD XCG YER ZAR ZMW ZWG`,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

const EXPONENTS = new Map<string, number>();
for (const [exponent, currencies] of CURRENCIES_BY_EXPONENT) {
  for (const currency of currencies.trim().split(/\s+/)) EXPONENTS.set(currency, exponent);
}
