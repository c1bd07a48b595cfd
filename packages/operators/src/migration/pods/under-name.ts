import { type corev1, defined, type KubeObject } from '@kubewright/kube';
import { NAMED_AFTER } from '../api.ts';

const OWN_NAME = 'metadata.name';
const LONGEST_HOSTNAME = 63;
const HOSTNAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** The name by which a pod goes: its own, or that of the pod whose state it has. */
export function nameOf({ metadata: { name = '', annotations = {} } }: KubeObject): string {
  return annotations[NAMED_AFTER] ?? name;
}

/**
 * A pod of another name, for whose containers it is called `name`: applications name their queue after their pod, by the downward API
 * or the host name, and this one goes on with the queue of that pod. Its host name is that of `source`, if it has one of its own.
 */
export function underName<P extends KubeObject & corev1.Pod>(pod: P, name: string, hostname?: string): P {
  const { metadata, spec } = pod;
  return {
    ...pod,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [NAMED_AFTER]: name } },
    spec: { ...called(spec, name), ...defined({ hostname: hostnameFor(hostname ?? name) }) },
  };
}

function called(spec: corev1.PodSpec, name: string): corev1.PodSpec {
  const ofContainer = (container: corev1.Container): corev1.Container => ({
    ...container,
    ...defined({ env: container.env?.map((one) => calledInEnv(one, name)) }),
  });
  return {
    ...spec,
    containers: spec.containers.map(ofContainer),
    ...defined({
      initContainers: spec.initContainers?.map(ofContainer),
      volumes: spec.volumes?.map(calledInFiles),
    }),
  };
}

function calledInEnv(variable: corev1.EnvVar, name: string): corev1.EnvVar {
  return variable.valueFrom?.fieldRef?.fieldPath === OWN_NAME
    ? { name: variable.name, value: name.replaceAll('$', () => '$$') }
    : variable;
}

/** A file has what a field of the pod has: this one. */
function calledInFiles({ downwardAPI, projected, ...volume }: corev1.Volume): corev1.Volume {
  return {
    ...volume,
    ...defined({
      downwardAPI: downwardAPI && withItems(downwardAPI),
      projected: projected && {
        ...projected,
        ...defined({
          sources: projected.sources?.map((source) =>
            source.downwardAPI === undefined
              ? source
              : { ...source, downwardAPI: withItems(source.downwardAPI) },
          ),
        }),
      },
    }),
  };
}

function withItems<T extends { readonly items?: readonly corev1.DownwardAPIVolumeFile[] }>(source: T): T {
  const items = source.items?.map((item) =>
    item.fieldRef?.fieldPath === OWN_NAME
      ? { ...item, fieldRef: { ...item.fieldRef, fieldPath: `metadata.annotations['${NAMED_AFTER}']` } }
      : item,
  );
  return { ...source, ...defined({ items }) };
}

/** As a kubelet shortens the name of a pod. A name that no host name can be leaves the pod its own. */
function hostnameFor(name: string): string | undefined {
  const short = name.slice(0, LONGEST_HOSTNAME).replace(/[-.]+$/, '');
  return HOSTNAME.test(short) ? short : undefined;
}
