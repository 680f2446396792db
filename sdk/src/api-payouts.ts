// Made from openapi.json by tools/write-openapi.ts: not to be changed by hand.

export type TefRequest = {
  tef: {
    /** Your own: 1 to 80 letters, digits, points, hyphens, underscores. The same again is the same payout */
    id: string;
    /** A text for the recipient, up to 200 characters */
    messageToAddressee?: string | undefined;
    /** Whole pesos, as a number or its digits */
    amount: number | string;
    recipientData: {
      /** With or without points */
      rut: string;
      /** Of the holder */
      name: string;
      /** Of the holder */
      email: string;
    };
    bankData: {
      /** Three digits */
      bankSBIFNumber: string;
      /** As a text, so that its zeros stay */
      bankAccount: string;
    };
    /** Where the end is told */
    url?: string | undefined;
  };
  /** Where the end is told */
  callbackUrl?: string | undefined;
};

export type TefResponse = {
  status: 'processing' | 'completed' | 'failed';
  tef: {
    /** As you sent it */
    id: string;
    amount: number;
    /** See docs/payouts.md */
    state:
      | 'draft'
      | 'awaiting_approval'
      | 'approved'
      | 'rejected'
      | 'cancelled'
      | 'sent'
      | 'unknown'
      | 'confirmed'
      | 'failed'
      | 'returned';
    /** Ours, for the command line */
    payoutId: string;
    /** Why it failed */
    reason: string | null;
  };
};

export type TefCreated = { message: string; errors: null; tefResponse: TefResponse };

export type TefRead = { tefResponse: TefResponse };

export type Balance = {
  /** Pesos */
  balance: number;
};
