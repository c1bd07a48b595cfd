import { type Clock, errorText } from '@kubewright/kube';
import { uuid } from '../../objects/uuid.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import { admissionReview, reviewVersion } from './admission-review.ts';
import type { HookClient } from './hook.ts';
import { withDeadline } from './with-deadline.ts';
import type { Invocation } from './invocation.ts';
import { type HookResponse, readResponse, type Unusable } from './read-response.ts';
import { unusableResponse } from './unusable-response.ts';
import type { ServiceResolver } from '../../upstream/service-resolver.ts';
import type { WebhookReply, WebhookTransport } from './webhook-transport.ts';

/** What calls of webhooks need of the outside. */
export type HookClientContext = {
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly transport: WebhookTransport;
  readonly resolveService: ServiceResolver;
};

const HEADERS = { accept: 'application/json, */*', 'content-type': 'application/json' };

/** Asks one webhook about a write within `ms`. Never rejects: what went wrong on the way is a fault. */
export async function callHook(
  caller: HookClientContext,
  invocation: Invocation,
  attributes: AdmissionAttributes,
  { ms, mutating }: { readonly ms: number; readonly mutating: boolean },
): Promise<HookResponse | Unusable> {
  const { client, reviewVersions } = invocation.hook;
  const version = reviewVersion(reviewVersions);
  if (version === undefined) {
    const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
    return { fault: `could not create admission objects: ${why}` };
  }
  const uid = uuid(caller.random);
  const body = Buffer.from(admissionReview(version, uid, invocation, attributes));
  const url = `${urlOf(client)}?timeout=${Math.max(1, Math.ceil(ms / 1000))}s`;
  try {
    const reply = await withDeadline(caller.clock, ms, attributes.request.signal(), (signal) =>
      send(caller, client, { url, body, signal }),
    );
    return unusableResponse(reply) ?? readResponse(reply.body, { uid, version, mutating });
  } catch (error) {
    const why = errorText(error);
    return { fault: `failed to call webhook: Post "${url}": ${why}` };
  }
}

type HookRequest = { readonly url: string; readonly body: Uint8Array; readonly signal: AbortSignal };

async function send(
  { transport, resolveService }: HookClientContext,
  { caBundle, service }: HookClient,
  request: HookRequest,
): Promise<WebhookReply> {
  const call = { ...request, caBundle, headers: HEADERS };
  return transport.call(service === undefined ? call : { ...call, address: resolveService(service) });
}

function urlOf({ url, service }: HookClient): string {
  if (service === undefined) return url;
  const path = service.path.startsWith('/') ? service.path : `/${service.path}`;
  return `https://${service.name}.${service.namespace}.svc:${service.port}${path}`;
}
