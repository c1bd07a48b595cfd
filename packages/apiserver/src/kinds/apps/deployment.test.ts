import type { JsonObject, KubeObject } from '@kubewright/kube';
import { formatFieldError } from '@kubewright/kube/validation';
import { expect, test } from 'vitest';
import { serviceRanges } from '../../model/service-ranges.ts';
import type { StrategyContext } from '../../model/resource-definition.ts';
import { objectAt, specOf } from '../../objects/read.ts';
import { deployment, deploymentStatus } from './deployment.ts';

const context: StrategyContext = {
  now: new Date(0),
  random: (size) => new Uint8Array(size),
  dryRun: false,
  user: { username: 'alice', groups: [] },
  services: serviceRanges(),
  list: () => [],
  withValue: () => [],
};

function make(spec: JsonObject, metadata: JsonObject = {}): KubeObject {
  const object = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 't1', resourceVersion: '1', ...metadata },
    spec,
    status: {},
  };
  return deployment.default?.(object) ?? object;
}

function pod(spec: JsonObject, labels: JsonObject = { app: 'x' }): JsonObject {
  return { selector: { matchLabels: { app: 'x' } }, template: { metadata: { labels }, spec } };
}

const plain = pod({ containers: [{ name: 'c', image: 'i:1', resources: {} }] });

function errors(object: KubeObject): readonly string[] {
  return (deployment.validateCreate?.(object, context) ?? []).map(formatFieldError);
}

test('what the client leaves out is filled as the real server fills it', () => {
  expect(make(pod({ containers: [{ name: 'c', image: 'nginx', resources: {} }] })).spec).toEqual({
    replicas: 1,
    selector: { matchLabels: { app: 'x' } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
    template: {
      metadata: { labels: { app: 'x' } },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'nginx',
            resources: {},
            imagePullPolicy: 'Always',
            terminationMessagePath: '/dev/termination-log',
            terminationMessagePolicy: 'File',
          },
        ],
        dnsPolicy: 'ClusterFirst',
        restartPolicy: 'Always',
        securityContext: {},
        terminationGracePeriodSeconds: 30,
        schedulerName: 'default-scheduler',
      },
    },
  });
});

test('serviceAccount and serviceAccountName say the same', () => {
  const spec = specOf(make(pod({ serviceAccount: 'old', containers: [{ name: 'c', image: 'i:1' }] })));
  expect(objectAt(spec, 'template', 'spec')).toMatchObject({
    serviceAccount: 'old',
    serviceAccountName: 'old',
  });
});

test('a valid deployment has no errors', () => {
  expect(errors(make(plain))).toEqual([]);
});

test('errors come in the order and words of the real server', () => {
  const bad = make({
    ...pod({
      restartPolicy: 'Never',
      containers: [{ name: 'C_', image: 'i', ports: [{ containerPort: 99_999 }] }],
    }),
    replicas: -1,
  });
  expect(errors(bad)).toEqual([
    'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    "spec.template.spec.containers[0].name: Invalid value: \"C_\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    'spec.template.spec.containers[0].ports[0].containerPort: Invalid value: 99999: must be between 1 and 65535, inclusive',
    'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
  ]);
});

test('the selector must match the template', () => {
  expect(errors(make(pod({ containers: [{ name: 'c', image: 'i' }] }, { app: 'other' })))).toEqual([
    'spec.template.metadata.labels: Invalid value: {"app":"other"}: `selector` does not match template `labels`',
  ]);
});

test('a removed image of an init container is what the ownership operator is for', () => {
  const spec = { containers: [{ name: 'c', image: 'i' }], initContainers: [{ name: 'base-os-bash' }] };
  expect(errors(make(pod(spec)))).toEqual(['spec.template.spec.initContainers[0].image: Required value']);
});

test('the generation counts changes of spec and annotations, not of labels or status', () => {
  const old = make(plain, { generation: 3 });
  const update = (object: KubeObject): number | undefined =>
    deployment.prepareForUpdate?.(object, old, context).metadata.generation;
  expect(update(make({ ...plain, replicas: 2 }, { generation: 3 }))).toBe(4);
  expect(update(make(plain, { generation: 3, annotations: { a: 'b' } }))).toBe(4);
  expect(update(make(plain, { generation: 3, labels: { a: 'b' } }))).toBe(3);
  expect(update({ ...make(plain, { generation: 3 }), status: { replicas: 4 } })).toBe(3);
});

test('a status update changes neither spec nor labels', () => {
  const old = make(plain, { labels: { a: '1' } });
  const sent = { ...make({ ...plain, replicas: 9 }, { labels: { a: '2' } }), status: { replicas: 1 } };
  const result = deploymentStatus.prepareForUpdate?.(sent, old, context);
  expect(result).toMatchObject({ status: { replicas: 1 }, metadata: { labels: { a: '1' } } });
  expect(result?.spec).toEqual(old.spec);
});
