import { defined } from '@kubewright/kube';
import { ANNOTATIONS, LABELS } from '../api.ts';
import { isEnforced } from '../enforcement-mode.ts';
import { KNATIVE_API, MAX_SCALE, MIN_SCALE, VISIBILITY } from '../knative-api.ts';
import { functionContainer } from './function-container.ts';
import { enforcedAnnotation } from './function-objects.ts';
import { placementOf } from './placement-of.ts';
import { podTemplate } from './pod-template.ts';
import type { Desired, Place, RenderedFunction } from './rendering.ts';

type Provision = NonNullable<RenderedFunction['spec']['provision_config']>;

/** A function's Service of Knative, reached in the cluster only; nothing for a WASM function. */
export function knativeObjects(each: RenderedFunction, place: Place): readonly Desired[] {
  const { workload } = each;
  if (workload === undefined) return [];
  const { runtime } = place;
  const { name: owner, namespace } = runtime.metadata;
  const labels = { app: workload, [LABELS.owner]: owner };
  return [
    {
      apiVersion: KNATIVE_API,
      kind: 'Service',
      metadata: {
        name: workload,
        namespace,
        labels: { ...labels, [VISIBILITY]: 'cluster-local' },
        ...enforcedAnnotation(isEnforced(runtime, 'replicas') ? ['replicas'] : []),
      },
      spec: { template: templateOf(each, place, labels) },
    },
  ];
}

/** The minimum is no part of the hash: with another one it is no other template. */
function templateOf(each: RenderedFunction, place: Place, labels: Readonly<Record<string, string>>) {
  const { provision_config = {} } = each.spec;
  const { port: containerPort = 8080, min_scale = 0, max_concurrency = 0 } = provision_config;
  const name = provision_config.need_http2 === true ? 'h2c' : 'http1';
  const container = functionContainer(each, place, { name, containerPort, protocol: 'TCP' });
  const concurrency = max_concurrency === 0 ? {} : { containerConcurrency: max_concurrency };
  const { metadata, spec } = podTemplate(labels, annotationsOf(provision_config), {
    containers: [container],
    ...placementOf(place.runtime, place.settings, labels),
  });
  const annotations = { ...metadata?.annotations, [MIN_SCALE]: String(min_scale) };
  return { metadata: { ...metadata, annotations }, spec: { ...spec, ...concurrency } };
}

function annotationsOf({ max_scale, need_http2 }: Provision): Readonly<Record<string, string>> {
  return defined({
    [MAX_SCALE]: max_scale === undefined ? undefined : String(max_scale),
    [ANNOTATIONS.http2]: need_http2 === true ? 'true' : undefined,
  });
}
