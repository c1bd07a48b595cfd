import type { admissionregistrationv1, discoveryv1 } from '@kubewright/kube';
import { withoutSegment } from '@kubewright/runtime';
import { SYSTEM_NAMESPACES } from '../../policy/webhook-entries.ts';
import { checkCaBundle } from '../../../kit/check-ca-bundle.ts';
import type { Finding } from '../../../kit/report-findings.ts';
import { type Installation, urlOf } from './installation.ts';

type Webhook = admissionregistrationv1.MutatingWebhook;
type Result = Omit<Finding, 'check'>;

/** Whether there is a webhook at all, and one alone. */
export function checkInstalled(installations: readonly Installation[]): readonly Result[] {
  const names = installations.map(({ configuration }) => configuration).join(' and ');
  if (installations.length === 0)
    return [
      {
        status: 'failed',
        what: 'no MutatingWebhookConfiguration calls drift: nothing is checked',
        fix: 'kubewright install --operators drift | kubectl apply -f -; outside of the cluster: kubewright manager --operators drift --webhook-url https://HOST:PORT',
      },
    ];
  if (installations.length === 1) return [{ status: 'ok', what: `${names} calls drift` }];
  return [
    {
      status: 'warning',
      what: `${names} both check changes: each counts the other's annotations as somebody else's`,
      fix: 'delete one of the two configurations',
    },
  ];
}

/** Whether an API server reaches a replica: without one, writes of what is enforced fail. */
export function checkServing(
  { configuration, home, webhooks }: Installation,
  slices: readonly discoveryv1.EndpointSlice[],
): Result {
  const ready = slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false);
  if (ready.length > 0)
    return { status: 'ok', what: `${ready.length} of the operator's replicas serve ${configuration}` };
  return {
    status: 'failed',
    what: `no replica of the operator serves ${configuration}: ${effectOf(webhooks)}`,
    fix:
      `see why with "kubectl get pods -n ${home}"; to let writes through until it is back: ` +
      `kubectl delete mutatingwebhookconfiguration ${configuration}`,
  };
}

/** Whether the API server reaches a manager outside of the cluster. */
export function checkCalled(one: Installation, isCalled: boolean): Result {
  const url = urlOf(one);
  if (isCalled) return { status: 'ok', what: `the API server reaches the operator at ${url}` };
  return {
    status: 'failed',
    what: `the API server does not reach the operator at ${url}: ${effectOf(one.webhooks)}`,
    fix:
      `start it there again: kubewright manager --operators drift --webhook-url ${url}; to let writes through ` +
      `until then: kubectl delete mutatingwebhookconfiguration ${one.configuration}`,
  };
}

function effectOf(webhooks: readonly Webhook[]): string {
  const blocking = webhooks.filter((one) => hasRules(one) && one.failurePolicy === 'Fail');
  const names = blocking.map(({ name }) => name).join(', ');
  return names === ''
    ? 'no change is checked'
    : `every write that these webhooks check fails: ${names}; writes of policies in mode log are not checked`;
}

/** Whether the webhook never blocks its own namespace, and those of the system. */
export function checkExclusion({ webhooks, home, configuration }: Installation): readonly Result[] {
  const wanted = [...SYSTEM_NAMESPACES, home];
  const open = webhooks.flatMap((webhook) => {
    const missing = wanted.filter((namespace) => !isExcluded(webhook, namespace));
    return hasRules(webhook) && missing.length > 0
      ? [`${webhook.name} does not exclude ${missing.join(', ')}`]
      : [];
  });
  if (open.length === 0) return [{ status: 'ok', what: `${configuration} excludes ${wanted.join(', ')}` }];
  return open.map((what) => ({
    status: 'failed',
    what: `${what}: when drift is down, it cannot be started again`,
    fix: 'the operator puts this right within seconds; if it stays so, it is not running, or may not patch the configuration',
  }));
}

/** The installed webhook has no rules until there are policies. */
function hasRules({ rules = [] }: Webhook): boolean {
  return rules.length > 0;
}

function isExcluded({ namespaceSelector }: Webhook, namespace: string): boolean {
  const key = 'kubernetes.io/metadata.name';
  return (namespaceSelector?.matchExpressions ?? []).some(({ key: label, operator, values = [] }) => {
    if (label !== key) return false;
    return operator === 'NotIn'
      ? values.includes(namespace)
      : operator === 'In' && !values.includes(namespace);
  });
}

/** Whether only API servers know where the webhook is. What is printed never has the segment that they know. */
export function checkPaths({ webhooks, configuration, leases }: Installation): Result {
  const isOpen = webhooks.some(({ clientConfig: { url, service } }) => {
    const path = url ?? service?.path ?? '';
    return withoutSegment(path) === path;
  });
  if (!isOpen) return { status: 'ok', what: `only API servers know the paths of ${configuration}` };
  const isManaged = leases.length > 0;
  return {
    status: 'warning',
    what: `${configuration} has a path without a segment: whoever reaches the webhook's port is believed`,
    fix: isManaged
      ? 'the operator adds it five minutes after an update, and at once when manifests were applied again; if it stays so, it is not running, or something applies manifests all the time'
      : 'give the webhook a file path-segments beside its certificate, and its configuration the path /mutate/SEGMENT',
  };
}

/** An API server that does not trust the webhook's certificate cannot call it. */
export function checkCertificates({ webhooks, configuration }: Installation, now: Date): readonly Result[] {
  const bundles = new Set(webhooks.map(({ clientConfig }) => clientConfig.caBundle ?? ''));
  return [...bundles].map((bundle) => checkCaBundle(bundle, configuration, now));
}
