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

export type ListedApiToken = {
  id: string;
  /** The program or purpose that it is for */
  name: string;
  created_at: string;
  /** In whose name; null of tokens that were made before this was kept */
  created_by: string | null;
  /** Null: it works until it is ended */
  expires_at: string | null;
  last_used_at: string | null;
  ended_at: string | null;
};

export type ApiTokenList = { message: string; errors: null; data: ListedApiToken[] };

export type ApiTokenRequest = {
  /** Id or e-mail address of the user that it logs in */
  user: string;
  /** The program or purpose, with 1 to 60 letters, digits, spaces, points, dashes, underscores */
  name: string;
  /** ISO 8601; without it the token works until it is ended */
  expires_at?: string | undefined;
  /** Of your app, or a recovery code: needed where you have a second factor */
  code?: string | undefined;
};

export type NewApiToken = {
  message: string;
  errors: null;
  data: {
    id: string;
    email: string;
    name: string;
    /** Shown here and never again; for POST /loginToken */
    api_token: string;
    expires_at: string | null;
  };
};

export type EndedApiToken = { message: string; errors: null; data: { id: string; ended: boolean } };
