/** A question to a webhook. */
export type WebhookCall = {
  /** `https:`, with the host by which the webhook is known; not where a Service's requests go, see `address`. */
  readonly url: string;
  /** Where to connect in place of the URL's host. */
  readonly address?: { readonly host: string; readonly port: number };
  /** PEM, by which alone the server's certificate is verified; empty: by the system's roots. */
  readonly caBundle: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Aborted when the call's time is up, or nobody waits for it any more. */
  readonly signal: AbortSignal;
};

export type WebhookReply = {
  readonly status: number;
  /** Empty: the answer had none. */
  readonly contentType: string;
  readonly body: Uint8Array;
};

/**
 * Carries questions to webhooks. Rejects where no answer could be had: the error's message is told to whoever sent the
 * request, in the words of Go's HTTP client where that is possible.
 */
export type WebhookTransport = {
  call(call: WebhookCall): Promise<WebhookReply>;
  close(): void;
};
