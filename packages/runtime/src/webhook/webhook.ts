import type { Logger } from '../log/logger.ts';

/** One HTTPS request, with its body. */
export type WebhookCall = {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `too large`: longer than the server reads. */
  readonly body: Uint8Array | 'too large';
  readonly log: Logger;
  /** Aborted when the caller disconnects, and when the server's graceful stop times out. */
  readonly signal: AbortSignal;
  /** Resolves when what came in the meantime had its turn, and rejects once `signal` is aborted: awaited between steps that take long. */
  readonly othersFirst: () => Promise<void>;
  /** Counts a panic in `controller_runtime_webhook_panics_total`. */
  readonly onPanic: () => void;
  /** Names the object that the request is about, for who looks for what holds up the process. */
  readonly onObject?: (object: string) => void;
};

/** The body is JSON. */
export type WebhookResponse = { readonly status: number; readonly body: string };

/** The handler of a path. Never rejects. */
export type Webhook = (call: WebhookCall) => Promise<WebhookResponse>;

/** controller-runtime's: a server sends an object twice, of at most 3 MiB each. */
export const BODY_LIMIT: number = 7 * 1024 * 1024;
