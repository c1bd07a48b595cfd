import { posix } from 'node:path';
import { type Clock, errorText } from '@kubewright/kube';
import type { ServiceResolver } from '../../upstream/service-resolver.ts';
import type { HookClient } from '../../model/hook-client.ts';
import type { Unusable } from './read-review.ts';
import { replyFault } from './reply-fault.ts';
import type { WebhookReply, WebhookTransport } from './webhook-transport.ts';
import { withDeadline } from './with-deadline.ts';

/** What calls of webhooks need of the outside. */
export type ReviewCaller = {
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly transport: WebhookTransport;
  readonly resolveService: ServiceResolver;
};

/** A call of a webhook: what is sent, and who waits how long. */
export type Review = {
  readonly body: Uint8Array;
  readonly ms: number;
  /** Aborted when nobody waits any more. */
  readonly gone: AbortSignal | undefined;
};

const HEADERS = { accept: 'application/json, */*', 'content-type': 'application/json' };

/** Sends a review to a webhook, and returns the body of its response. Never rejects. */
export async function postReview(
  caller: ReviewCaller,
  client: HookClient,
  { body, ms, gone }: Review,
): Promise<{ readonly body: Uint8Array } | Unusable> {
  const url = `${urlOf(client)}?timeout=${Math.max(1, Math.ceil(ms / 1000))}s`;
  try {
    const reply = await withDeadline(caller.clock, ms, gone, (signal) =>
      send(caller, client, { url, body, signal }),
    );
    const fault = replyFault(reply);
    return fault === undefined ? reply : { fault };
  } catch (error) {
    return { fault: `Post "${url}": ${errorText(error)}` };
  }
}

type Call = { readonly url: string; readonly body: Uint8Array; readonly signal: AbortSignal };

async function send(
  { transport, resolveService }: ReviewCaller,
  { caBundle, service }: HookClient,
  request: Call,
): Promise<WebhookReply> {
  const call = { ...request, caBundle, headers: HEADERS };
  return transport.call(service === undefined ? call : { ...call, address: resolveService(service) });
}

function urlOf({ url, service }: HookClient): string {
  if (service !== undefined) {
    const { name, namespace, port, path } = service;
    return `https://${name}.${namespace}.svc:${port}${cleanPath(path)}`;
  }
  const [, host = url, path = ''] = /^(https:\/\/[^/]*)(.*)$/s.exec(url) ?? [];
  return host + cleanPath(path);
}

/** A path as Go's client sends it: without empty steps, `.` and `..`, and without a slash at its end. */
function cleanPath(path: string): string {
  return posix.join('/', path).replace(/(.)\/$/s, '$1');
}
