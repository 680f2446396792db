// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

export type OwnUser = {
  /** Number of the user, for the paths of `/webhooks` */
  id: number;
  /** Id of the user in this service */
  idAuth0: string;
  username: string;
  email: string;
  /** Always 1 (enabled): a disabled user has no access token */
  status: number;
  /** Always false (not blocked): a disabled user has no access token */
  bloqueo: boolean;
  createdAt: string;
};

export type LoginRequest = {
  /** E-mail address of the user */
  username: string;
  password: string;
};

export type AccessToken = {
  /** Access token, to send as `Authorization: Bearer` */
  access_token_jwt: string;
  /** Lifetime in seconds */
  expires_in: number;
  token_type: 'Bearer';
};

export type LoginReply = { message: string; errors: null; data: AccessToken };

export type LoginReplyV2 = { accessToken: string; token_type: 'Bearer'; expires_in: number };

export type ApiTokenLogin = {
  email?: string | undefined;
  apiToken?: string | undefined;
  /** End of the access token, in Unix seconds; within a year */
  expDate?: number | undefined;
};

export type ListedApiToken = {
  id: string;
  /** Program or purpose of the token */
  name: string;
  created_at: string;
  /** User who made the token; null for tokens made before this was recorded */
  created_by: string | null;
  /** End of validity; null: valid until a user ends it */
  expires_at: string | null;
  last_used_at: string | null;
  ended_at: string | null;
};

export type ApiTokenList = { message: string; errors: null; data: ListedApiToken[] };

export type ApiTokenRequest = {
  /** Id or e-mail address of the user of the token */
  user: string;
  /** Program or purpose: 1 to 60 letters, digits, spaces, points, dashes, underscores */
  name: string;
  /** End of validity, ISO 8601. Default: valid until a user ends it */
  expires_at?: string | undefined;
  /** Code of your app, or a recovery code; required if you have a second factor */
  code?: string | undefined;
};

export type NewApiToken = {
  message: string;
  errors: null;
  data: {
    id: string;
    email: string;
    name: string;
    /** Text of the API token, for `POST /loginToken`; shown only here */
    api_token: string;
    expires_at: string | null;
  };
};

export type EndedApiToken = { message: string; errors: null; data: { id: string; ended: boolean } };
