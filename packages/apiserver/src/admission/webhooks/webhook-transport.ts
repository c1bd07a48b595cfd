/** A call of a webhook. */
export type WebhookCall = {
  /** `https:`, with the host name of the certificate; not where a Service's requests go, see `address`. */
  readonly url: string;
  /** Where to connect in place of the URL's host. */
  readonly address?: { readonly host: string; readonly port: number };
  /** PEM, by which alone the server's certificate is verified; empty: by the system's roots. */
  readonly caBundle: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Aborted at the call's deadline, or when the client disconnects. */
  readonly signal: AbortSignal;
};

export type WebhookReply = {
  readonly status: number;
  /** Empty: the response had none. */
  readonly contentType: string;
  readonly body: Uint8Array;
};

/**
 * Carries calls to webhooks. Rejects where there is no response: the client gets the error's message, which is that of
 * Go's HTTP client where possible.
 */
export type WebhookTransport = {
  call(call: WebhookCall): Promise<WebhookReply>;
  close(): void;
};
