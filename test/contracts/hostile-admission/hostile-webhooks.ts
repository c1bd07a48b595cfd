import { type Client, createClient, type ResourceRef, sleep, systemClock } from '@kubewright/client';
import type { Json, JsonObject, KubeObject, Transport } from '@kubewright/kube';
import { textAt } from '../../support/at.ts';
import { startWebhookServer, type WebhookServer } from '../../support/webhook-server.ts';
import { DELAY_MS, type Hostility, mutate, REJECTED, type Target } from './hostility.ts';

/** What becomes of the writes of one controller in one namespace, and to what is named after that. */
type Meeting = {
  readonly namespace: string;
  /** The controller's service account in `kube-system`. */
  readonly account: string;
  readonly target: Target;
  readonly hostility: Hostility;
};

export type HostileWebhooks = {
  /** From now on; `writes` grows with each attempt of the controller to write anything but an Event. */
  meet(meeting: Meeting): { readonly writes: readonly string[] };
  stop(): Promise<void>;
};

type Met = Meeting & { readonly writes: string[]; rejected: number };

const USERS = 'system:serviceaccount:kube-system:';
const ALLOWED: JsonObject = { allowed: true };

/** Webhooks that see whatever a controller writes, and treat it as its namespace is to be treated. */
export async function startHostileWebhooks(transport: Transport): Promise<HostileWebhooks> {
  const hooks = await startWebhookServer();
  const meetings: Met[] = [];
  const metBy = (request: JsonObject): Met | undefined => {
    const user = textAt(request, 'userInfo', 'username');
    const named = JSON.stringify([request['namespace'] ?? '', request['name'] ?? '', objectOf(request)]);
    return meetings.find(({ account, namespace }) => user === USERS + account && named.includes(namespace));
  };
  const mutating = hooks.answer(async (request) => {
    const met = metBy(request);
    if (met === undefined || !isTarget(met.target, request)) return ALLOWED;
    if (met.hostility === 'delayed') await sleep(systemClock, DELAY_MS);
    return mutate(met.hostility, met.target, request);
  });
  const validating = hooks.answer((request) => {
    const met = metBy(request);
    if (met === undefined) return ALLOWED;
    met.writes.push(`${textAt(request, 'operation')} ${resourceOf(request)}`);
    if (met.hostility !== 'rejected' || !isTarget(met.target, request) || met.rejected === REJECTED)
      return ALLOWED;
    met.rejected += 1;
    return { allowed: false, status: { code: 403, message: 'not today' } };
  });
  const client = createClient(transport);
  await register(client, hooks, 'Mutating', mutating.path);
  await register(client, hooks, 'Validating', validating.path);
  return {
    meet(meeting) {
      const writes: string[] = [];
      meetings.push({ ...meeting, writes, rejected: 0 });
      return { writes };
    },
    async stop() {
      await Promise.all(HOWS.map((how) => client.delete(configurationRef(how), { name: NAME })));
      await hooks.stop();
    },
  };
}

/** What an object without a name of its own, or whose name is drawn, is about. */
function objectOf(request: JsonObject): Json {
  const object = (request['object'] ?? request['oldObject'] ?? {}) as JsonObject;
  return [object['metadata'] ?? {}, object['spec'] ?? {}];
}

function resourceOf(request: JsonObject): string {
  const subresource = textAt(request, 'subResource');
  return textAt(request, 'resource', 'resource') + (subresource === '' ? '' : `/${subresource}`);
}

function isTarget({ resource }: Target, request: JsonObject): boolean {
  return resourceOf(request) === resource;
}

type How = 'Mutating' | 'Validating';

const HOWS: readonly How[] = ['Mutating', 'Validating'];
const NAME = 'hostile';

function configurationRef(how: How): ResourceRef {
  const kind = `${how}WebhookConfiguration`;
  const resource = `${kind.toLowerCase()}s`;
  return { group: 'admissionregistration.k8s.io', version: 'v1', kind, resource, namespaced: false };
}

async function register(
  client: Client,
  { port, caBundle }: WebhookServer,
  how: How,
  path: string,
): Promise<void> {
  const rules = [
    { operations: ['CREATE', 'UPDATE', 'DELETE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] },
  ];
  const expression = `request.userInfo.username.startsWith('${USERS}') && !(request.resource.resource in ['events', 'leases'])`;
  const webhook = {
    name: 'hostile.example.com',
    clientConfig: { url: `https://127.0.0.1:${port}${path}`, caBundle },
    rules,
    matchConditions: [{ name: 'controllers', expression }],
    // A call that a busy machine does not answer in time must not pass: it would be a write that was met with nothing.
    failurePolicy: 'Fail',
    timeoutSeconds: 30,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  const configuration: KubeObject = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: configurationRef(how).kind,
    metadata: { name: NAME },
    webhooks: [webhook],
  };
  await client.create(configurationRef(how), configuration);
}
