/**
 * The account that everybody may use in Transbank's integration environment, where no money moves. Published by
 * Transbank for that purpose: transbankdevelopers.cl, "Códigos de comercio", and in its SDKs.
 */
export const WEBPAY_INTEGRATION = {
  account: '597055555532',
  key: '579B532A7440BB0C9079DED94D31EA1615BACEB56610332264630D42D0A36B1C',
};
