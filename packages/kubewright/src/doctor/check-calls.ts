import { X509Certificate } from 'node:crypto';
import { type Client, ignoreNotFound } from '@kubewright/client';
import {
  type admissionregistrationv1,
  corev1,
  discoveryv1,
  isConditionTrue,
  type JsonObject,
} from '@kubewright/kube';
import {
  CERTIFICATES,
  certificatesOf,
  checkCaBundle,
  configurationResource,
  inParallel,
  webhookConfigurationRefs,
} from '@kubewright/operators';
import type { Installation, Part } from './read-installation.ts';
import { reinstall, type Result } from './result.ts';

type ClientConfig = admissionregistrationv1.WebhookClientConfig;
/** A configuration of the cluster: how its webhooks, or its API, are called. */
type Called = {
  readonly name: string;
  readonly configs: readonly ClientConfig[];
  readonly object: JsonObject;
};

/** Whether API servers call the webhooks and APIs of operators: configured, served, trusted, and answered. */
export async function checkCalls(
  client: Client,
  { namespace, operators }: Pick<Installation, 'namespace' | 'operators'>,
  now: Date,
): Promise<readonly Result[]> {
  const leaf = await readLeaf(client, namespace);
  const results = await inParallel(operators, async (operator) =>
    checkOne(client, operator, { namespace, leaf, now }),
  );
  return results.flat();
}

type Around = { readonly namespace: string; readonly leaf: X509Certificate | undefined; readonly now: Date };

async function checkOne(client: Client, operator: Part, around: Around): Promise<readonly Result[]> {
  const { name, parts } = operator;
  const refs = webhookConfigurationRefs([parts]);
  const found = await inParallel(refs, async (ref) => {
    const object = await ignoreNotFound(client.get(configurationResource(ref.kind), { name: ref.name }));
    return object === undefined ? `${ref.kind} ${ref.name}` : calledBy(ref, object);
  });
  const missing = found.filter((one) => typeof one === 'string');
  const called = found.filter((one) => typeof one !== 'string');
  const served = await inParallel(called, async (one) => [
    ...(await checkServed(client, one)),
    ...checkTrust(one, around),
  ]);
  const fix = reinstall(around.namespace, [operator]);
  return [
    ...missing.map(
      (what): Result => ({ status: 'failed', what: `${what} is missing: ${name} is not called`, fix }),
    ),
    ...served.flat(),
    ...(await answers(client, operator, missing.length === 0)),
  ];
}

function calledBy(
  { kind, name }: { readonly kind: string; readonly name: string },
  object: JsonObject,
): Called {
  if (kind === 'APIService') return { name, configs: [object['spec'] as ClientConfig], object };
  const webhooks = (object['webhooks'] ?? []) as readonly { readonly clientConfig: ClientConfig }[];
  return { name, configs: webhooks.map(({ clientConfig }) => clientConfig), object };
}

/** Whether the Service that is called leads to a replica that is ready. */
async function checkServed(client: Client, { name, configs, object }: Called): Promise<readonly Result[]> {
  const { conditions } = (object['status'] ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  const service = configs.map((one) => one.service).find((one) => one != null);
  if (service == null) return [];
  const { namespace, name: to } = service;
  const live = await ignoreNotFound(client.get(corev1.services, { namespace, name: to }));
  if (live?.spec?.type === 'ExternalName') return [];
  const labelSelector = `kubernetes.io/service-name=${to}`;
  const { items } = await client.list(discoveryv1.endpointslices, { namespace, labelSelector });
  const ready = items
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter((one) => one.conditions?.ready !== false);
  const fix = `kubectl -n ${namespace} get pods; until one is ready, to let writes through: kubectl delete of ${name}`;
  if (ready.length === 0)
    return [{ status: 'failed', what: `no replica serves ${name}, at Service ${namespace}/${to}`, fix }];
  const isAvailable = conditions === undefined || isConditionTrue(conditions as never, 'Available');
  if (!isAvailable)
    return [
      {
        status: 'failed',
        what: `APIService ${name} is not available`,
        fix: `kubectl describe apiservice ${name}`,
      },
    ];
  return [{ status: 'ok', what: `${ready.length} replicas serve ${name}` }];
}

/** Whether an API server trusts the certificate that replicas serve. */
function checkTrust({ name, configs }: Called, { leaf, now }: Around): readonly Result[] {
  const bundles = new Set(configs.map(({ caBundle }) => caBundle ?? ''));
  return [...bundles].map((bundle) => {
    const result = checkCaBundle(bundle, name, now);
    if (result.status !== 'ok' || leaf === undefined) return result;
    const issuers = certificatesOf(Buffer.from(bundle, 'base64').toString()) ?? [];
    if (issuers.some((issuer) => leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey))) return result;
    return {
      status: 'failed',
      what: `API servers do not trust the certificate that replicas serve for ${name}`,
      fix: 'the manager writes the caBundle within a minute: is one running, and does something else write it?',
    };
  });
}

/** The certificate that the replicas share; undefined where it is another's, or may not be read. */
async function readLeaf(client: Client, namespace: string): Promise<X509Certificate | undefined> {
  try {
    const secret = await ignoreNotFound(client.get(corev1.secrets, { namespace, name: CERTIFICATES }));
    const text = Buffer.from(secret?.data?.['bundle.json'] ?? '', 'base64').toString();
    const { leaf } = JSON.parse(text) as { readonly leaf: { readonly cert: string } };
    return new X509Certificate(leaf.cert);
  } catch {
    return undefined;
  }
}

/** By a dry run, where an operator knows one that only it rejects. */
async function answers(
  client: Client,
  { name, parts }: Part,
  isInstalled: boolean,
): Promise<readonly Result[]> {
  if (parts.isCalled === undefined || !isInstalled) return [];
  const isCalled = await parts.isCalled(client);
  return isCalled
    ? [{ status: 'ok', what: `the API server reaches ${name}: a dry run was answered by it` }]
    : [{ status: 'failed', what: `the API server does not reach ${name}`, fix: `kubewright ${name} doctor` }];
}
