// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

export type OwnUser = {
  /** For the paths of /webhooks */
  id: number;
  /** The id of the user in this service */
  idAuth0: string;
  username: string;
  email: string;
  /** 1: enabled. A disabled user has no access token */
  status: number;
  /** Always false, for the same reason */
  bloqueo: boolean;
  createdAt: string;
};

export type LoginRequest = {
  /** E-mail address of the user */
  username: string;
  password: string;
};

export type AccessToken = {
  /** Send it as Authorization: Bearer */
  access_token_jwt: string;
  /** Seconds */
  expires_in: number;
  token_type: 'Bearer';
};

export type LoginReply = { message: string; errors: null; data: AccessToken };

export type LoginReplyV2 = { accessToken: string; token_type: 'Bearer'; expires_in: number };

export type ApiTokenLogin = {
  email?: string | undefined;
  apiToken?: string | undefined;
  /** When the access token ends, in Unix seconds; within a year */
  expDate?: number | undefined;
};
