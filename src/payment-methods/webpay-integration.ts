/**
 * The public account of Transbank's integration environment, where no money moves. Published by Transbank for that
 * purpose: transbankdevelopers.cl, "Códigos de comercio", and in its SDKs.
 */
export const WEBPAY_INTEGRATION = {
  account: '597055555532',
  key: '579B532A7440BB0C9079DED94D31EA1615BACEB56610332264630D42D0A36B1C',
};

/**
 * Returns why a merchant's account and key at Transbank are refused, or null. `code`: not 12 digits. `public`: the
 * public account in production, where it pays nobody. `key`: not 8 to 128 visible ASCII characters.
 */
export function refuseWebpayAccount(
  environment: 'development' | 'production',
  { account, key }: { account: string; key: string },
): 'code' | 'public' | 'key' | null {
  if (!/^\d{12}$/.test(account)) return 'code';
  if (environment === 'production' && account === WEBPAY_INTEGRATION.account) return 'public';
  return /^[!-~]{8,128}$/.test(key) ? null : 'key';
}
