import type { ObjectMeta } from '@kubewright/kube';
import { ANNOTATIONS, type Dimension, LABELS } from '../api.ts';
import { enforcedDimensions } from '../enforcement-mode.ts';
import { functionContainer } from './function-container.ts';
import { placementOf } from './placement-of.ts';
import { probesOf } from './probes-of.ts';
import { podTemplate } from './pod-template.ts';
import type { Desired, Place, RenderedFunction } from './rendering.ts';

/** The annotation that says what follows recommendations: with another value, the object is applied again. */
export function enforcedAnnotation(dimensions: readonly Dimension[]): Pick<ObjectMeta, 'annotations'> {
  return dimensions.length === 0 ? {} : { annotations: { [ANNOTATIONS.enforced]: dimensions.join() } };
}

/** A function's Deployment and Service; nothing for a WASM function, which runs in the data grid. */
export function functionObjects(each: RenderedFunction, place: Place): readonly Desired[] {
  const { workload, spec } = each;
  if (workload === undefined) return [];
  const { runtime } = place;
  const { name: owner, namespace } = runtime.metadata;
  const provision = spec.provision_config ?? {};
  const containerPort = provision.port ?? 80;
  const labels = { app: workload, [LABELS.owner]: owner };
  const metadata = { name: workload, namespace, labels };
  const container = functionContainer(each, place, { containerPort });
  const annotations = provision.need_http2 === true ? { [ANNOTATIONS.http2]: 'true' } : {};
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...metadata, ...enforcedAnnotation(enforcedDimensions(runtime)) },
      spec: {
        replicas: provision.min_scale ?? 1,
        selector: { matchLabels: labels },
        template: podTemplate(labels, annotations, {
          containers: [{ ...container, ...probesOf(runtime, containerPort) }],
          ...placementOf(runtime, place.settings, labels),
        }),
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: containerPort }] },
    },
  ];
}
