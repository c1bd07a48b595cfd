import type { JsonObject, KubeObject } from '@kubewright/kube';
import { isSegment } from '@kubewright/runtime';
import { OperatorError } from '../../operator-error.ts';
import { KAUSALITIES } from '../api.ts';
import { BACKEND_PORT, callbacksOf } from './chart-callbacks.ts';
import { chartDeployments, selectorOf } from './chart-deployments.ts';
import { type ChartNames, chartNames, type Release } from './chart-names.ts';
import { chartRoles } from './chart-roles.ts';
import type { ChartValues } from './chart-values.ts';

/** A certificate of the webhook, and of the authority that has issued it, in PEM; and a segment for the webhook's path. */
export type ChartCertificate = {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly segment: string;
};

export type ChartOptions = Release & {
  /** Its entry point is `kubewright`. */
  readonly image: string;
  /** Issues a certificate for the names of the webhook's Service. */
  readonly issue: (hosts: readonly string[]) => Promise<ChartCertificate>;
};

/**
 * What the original's Helm chart installs with these values, under the same names, with our program. The webhook
 * configuration is last, so that no webhook is called for the objects before.
 */
export async function chartManifests(
  values: ChartValues,
  options: ChartOptions,
): Promise<readonly KubeObject[]> {
  if (values.backendTui.enabled)
    throw new OperatorError('Usage', 'backendTui is not there: use "kubewright drift list", or backend');
  const names = chartNames(values, options);
  const { controller, certificates } = values;
  const callbacks = callbacksOf(values, names);
  const hosts = hostsOf(names);
  const certificate = certificates.selfSigned.enabled ? await options.issue(hosts) : undefined;
  const segment = segmentOf(values, certificate);
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: names.namespace } },
    KAUSALITIES.definition,
    ...accounts(values, names),
    ...chartRoles(names, controller.enabled),
    ...(certificate === undefined ? [] : [secretOf(names, certificate)]),
    ...(segment === undefined ? [] : [pathSecret(names, segment)]),
    ...(certificates.certManager.enabled ? [certificateOf(values, names, hosts)] : []),
    ...callbacks.objects,
    ...services(values, names, options.name),
    ...chartDeployments(values, names, callbacks, {
      image: options.image,
      release: options.name,
      hasSegment: segment !== undefined,
    }),
    configurationOf(values, names, certificate, segment),
  ];
}

/** Other issuers know of no segments: then it is in the values, or there is none, as in the original. */
function segmentOf(
  { webhook: { pathSegment } }: ChartValues,
  certificate: ChartCertificate | undefined,
): string | undefined {
  if (pathSegment === '') return certificate?.segment;
  if (isSegment(pathSegment)) return pathSegment;
  throw new OperatorError('Usage', 'webhook.pathSegment has to be "kw-" and 32 hexadecimal digits');
}

function pathSecret({ path: name, namespace }: ChartNames, segment: string): KubeObject {
  const stringData = { 'path-segments': segment };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type: 'Opaque', stringData };
}

function hostsOf({ webhook, namespace }: ChartNames): readonly string[] {
  const name = `${webhook}.${namespace}`;
  return [webhook, name, `${name}.svc`, `${name}.svc.cluster.local`];
}

function accounts({ serviceAccount, controller }: ChartValues, names: ChartNames): readonly KubeObject[] {
  const account = (name: string, annotations: JsonObject): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace: names.namespace, annotations: annotations as Record<string, string> },
  });
  return [
    ...(serviceAccount.create ? [account(names.webhookAccount, serviceAccount.annotations)] : []),
    ...(controller.enabled ? [account(names.controller, {})] : []),
  ];
}

function secretOf({ certificate: name, namespace }: ChartNames, pair: ChartCertificate): KubeObject {
  const stringData = { 'tls.crt': pair.cert, 'tls.key': pair.key, 'ca.crt': pair.ca };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    type: 'kubernetes.io/tls',
    stringData,
  };
}

function certificateOf(values: ChartValues, names: ChartNames, dnsNames: readonly string[]): KubeObject {
  const { certificate: name, namespace } = names;
  const { issuerRef } = values.certificates.certManager;
  return {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { name, namespace },
    spec: { secretName: name, dnsNames, issuerRef },
  };
}

function services(values: ChartValues, names: ChartNames, release: string): readonly KubeObject[] {
  const service = (name: string, component: string, spec: JsonObject): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: names.namespace },
    spec: { selector: selectorOf(component, release), ...spec },
  });
  const { type, port } = values.service;
  const https = { name: 'https', port, targetPort: 'webhook' };
  const http = { name: 'http', port: BACKEND_PORT, targetPort: 'http' };
  return [
    service(names.webhook, 'webhook', { type, ports: [https] }),
    ...(values.backend.enabled ? [service(names.backend, 'backend-log', { ports: [http] })] : []),
  ];
}

/** As the original has it; the controller writes its rules. */
function configurationOf(
  { certificates, excludeNamespaces, service: { port } }: ChartValues,
  names: ChartNames,
  certificate: ChartCertificate | undefined,
  segment: string | undefined,
): KubeObject {
  const { namespace, webhook: name } = names;
  const path = segment === undefined ? '/mutate' : `/mutate/${segment}`;
  const inject = `${namespace}/${names.certificate}`;
  const annotations = certificates.certManager.enabled ? { 'cert-manager.io/inject-ca-from': inject } : {};
  const caBundle = certificate && Buffer.from(certificate.ca).toString('base64');
  const values = [...new Set([namespace, ...excludeNamespaces])];
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: names.configuration, annotations },
    webhooks: [
      {
        name: 'mutating.webhook.kausality.io',
        admissionReviewVersions: ['v1'],
        sideEffects: 'NoneOnDryRun',
        reinvocationPolicy: 'IfNeeded',
        timeoutSeconds: 10,
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        clientConfig: {
          service: { name, namespace, path, port },
          ...(caBundle === undefined ? {} : { caBundle }),
        },
        rules: [],
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values }],
        },
      },
    ],
  };
}
