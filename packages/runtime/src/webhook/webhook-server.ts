import type { Clock } from '@kubewright/client';
import { aborted, sleep } from '@kubewright/kube';
import type { Registry } from 'prom-client';
import type { Logger } from '../log/logger.ts';
import type { LoopWatch } from '../loop/loop-watch.ts';
import type { Runnable } from '../runnable.ts';
import { RuntimeError } from '../runtime-error.ts';
import type { ExtensionApi } from './extension-api.ts';
import { listenOverHttps } from './listen-over-https.ts';
import { splitPath } from './path-segment.ts';
import { type CertificateSource, firstCertificate } from './serving-certificate.ts';
import type { Webhook, WebhookResponse } from './webhook.ts';
import type {
  WebhookListen,
  WebhookListener,
  WebhookRequest,
  WebhookHttpResponse,
} from './webhook-listener.ts';
import { createWebhookMetrics, type WebhookMetrics } from './webhook-metrics.ts';

export type WebhookServerOptions = {
  /** Default 9443; 0 takes a free port. */
  readonly port?: number;
  /** Address to listen on. Default: all. */
  readonly host?: string;
  /** The server listens as soon as there is a certificate, and uses a new one without closing connections. */
  readonly certificates: CertificateSource;
  /** Default: over HTTPS. */
  readonly listen?: WebhookListen;
  /** Called once it listens. */
  readonly onListening?: (port: number) => void;
  /** How long a stop waits for pending requests. Default one minute, as in controller-runtime. */
  readonly gracefulMs?: number;
};

export type WebhookServerEnvironment = {
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Registry;
  readonly watch?: LoopWatch | undefined;
};

/** Serves webhooks over HTTPS. Runs on standby too: every replica serves. */
export type WebhookServer = Runnable & {
  /** Serves `webhook` at `path`, where {@link CertificateSource.paths} admits the call. Paths are unique. */
  register(path: string, webhook: Webhook): void;
  /** Serves an API at `path` and below, for an APIService. Its requests are not counted as those of webhooks. */
  serveApi(path: string, api: ExtensionApi): void;
  /** Has callers go elsewhere for their next requests, as far as there are other replicas. It serves as before. */
  retire(): void;
  /** Why it does not serve; undefined when it does. For a readiness check. */
  startedChecker(): string | undefined;
};

const JSON_TYPE = { 'content-type': 'application/json' };
const NOT_FOUND: WebhookHttpResponse = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: '404 page not found\n',
};
const DEFAULT_PORT = 9443;
const DEFAULT_GRACEFUL_MS = 60_000;

export function createWebhookServer(
  options: WebhookServerOptions,
  environment: WebhookServerEnvironment,
): WebhookServer {
  return new Server(options, environment);
}

class Server implements WebhookServer {
  readonly needLeaderElection = false;
  readonly #options: WebhookServerOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: WebhookMetrics;
  readonly #watch: LoopWatch | undefined;
  readonly #webhooks = new Map<string, Webhook>();
  readonly #apis = new Map<string, ExtensionApi>();
  #listening = false;
  #listener: WebhookListener | undefined;

  constructor(options: WebhookServerOptions, { clock, log, registry, watch }: WebhookServerEnvironment) {
    this.#options = options;
    this.#clock = clock;
    this.#log = log.child({ server: 'webhook' });
    this.#metrics = createWebhookMetrics(registry);
    this.#watch = watch;
  }

  register(path: string, webhook: Webhook): void {
    if (this.#webhooks.has(path))
      throw new RuntimeError('InvalidState', `a webhook at ${path} is already registered`);
    this.#webhooks.set(path, webhook);
    this.#metrics.register(path);
  }

  serveApi(path: string, api: ExtensionApi): void {
    this.#apis.set(path, api);
  }

  retire(): void {
    this.#listener?.retire?.();
  }

  startedChecker(): string | undefined {
    if (!this.#listening) return 'webhook server has not been started yet';
    const { notAfter = 0 } = this.#options.certificates.current() ?? {};
    return notAfter > this.#clock.now()
      ? undefined
      : 'the serving certificate of the webhook server has expired';
  }

  async start(signal: AbortSignal): Promise<void> {
    const { certificates, port = DEFAULT_PORT, host, onListening, listen = listenOverHttps } = this.#options;
    await firstCertificate(certificates, signal);
    const first = certificates.current();
    if (signal.aborted || first === undefined) return;
    const listener = await listen(first, { host, port }, (request) => this.#handle(request));
    const forget = certificates.onChange(() => {
      const certificate = certificates.current();
      if (certificate !== undefined) listener.use(certificate);
    });
    this.#listener = listener;
    this.#listening = true;
    this.#log.info('serving webhooks', { port: listener.port });
    onListening?.(listener.port);
    await aborted(signal);
    this.#listening = false;
    await listener.stop(this.#clock, this.#options.gracefulMs ?? DEFAULT_GRACEFUL_MS);
    forget();
  }

  async #handle(request: WebhookRequest): Promise<WebhookHttpResponse> {
    const { base, webhook } = this.#webhookAt(request.path);
    if (webhook === undefined) return this.#callApi(request);
    const began = this.#clock.monotonic();
    const ended = this.#metrics.begin(base);
    const { status, body } = await this.#call(webhook, { ...request, path: base });
    ended(status, this.#clock.monotonic() - began);
    return { status, body, headers: JSON_TYPE };
  }

  /** Metrics and log lines have its base alone: whoever reads them does not learn the segment. */
  #webhookAt(path: string): { readonly base: string; readonly webhook: Webhook | undefined } {
    const { paths } = this.#options.certificates;
    if (paths === undefined) return { base: path, webhook: this.#webhooks.get(path) };
    const { base, segment } = splitPath(path);
    const webhook = this.#webhooks.get(base);
    return { base, webhook: webhook && paths.admits(base, segment) ? webhook : undefined };
  }

  async #callApi(request: WebhookRequest): Promise<WebhookHttpResponse> {
    const { path, signal } = request;
    const [at, api] = [...this.#apis].find(([at]) => path === at || path.startsWith(`${at}/`)) ?? [];
    if (api === undefined) return NOT_FOUND;
    const log = this.#log.child({ api: at });
    try {
      return await api({ ...request, log });
    } catch (error) {
      if (!signal.aborted) log.error('an API failed', { error });
      return { status: 500, headers: JSON_TYPE, body: '{}' };
    }
  }

  async #call(webhook: Webhook, request: WebhookRequest): Promise<WebhookResponse> {
    const { path, headers, signal } = request;
    const log = this.#log.child({ webhook: path });
    const watched = this.#watch?.begin(path);
    const onObject = (object: string): void => watched?.named(object);
    try {
      const body = await request.body();
      const onPanic = (): void => this.#metrics.panic();
      const othersFirst = async (): Promise<void> => {
        await sleep(this.#clock, 0, signal);
        signal.throwIfAborted();
      };
      return await webhook({ headers, body, log, signal, onObject, othersFirst, onPanic });
    } catch (error) {
      if (!signal.aborted) log.error('a webhook failed', { error });
      return { status: 500, body: '{}' };
    } finally {
      watched?.ended();
    }
  }
}
