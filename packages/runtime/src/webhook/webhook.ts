import type { Logger } from '../log/logger.ts';

/** One call over HTTPS, its body read. */
export type WebhookCall = {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `too large`: longer than the server reads. */
  readonly body: Uint8Array | 'too large';
  readonly log: Logger;
  /** Aborted when the caller no longer waits, and when the server stops and no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Counts a failure of the program, as `controller_runtime_webhook_panics_total`. */
  readonly onPanic: () => void;
};

/** JSON, always. */
export type WebhookResponse = { readonly status: number; readonly body: string };

/** What a webhook server does at a path. Never rejects. */
export type Webhook = (call: WebhookCall) => Promise<WebhookResponse>;

/** controller-runtime's: a server sends an object twice, of at most 3 MiB each. */
export const BODY_LIMIT: number = 7 * 1024 * 1024;
