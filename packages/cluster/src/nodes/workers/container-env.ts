import type { corev1 } from '@kubewright/kube';
import type { ContainerStart } from '../runtime/container-runtime.ts';

/** The environment and the arguments of a container, `$(NAME)` in them replaced, as kubelet does. */
export function processOf(start: ContainerStart): {
  readonly env: ReadonlyMap<string, string>;
  readonly args: readonly string[];
} {
  const env = new Map<string, string>([['HOSTNAME', start.pod.spec.hostname ?? start.pod.metadata.name]]);
  for (const { name, value, valueFrom } of start.container.env ?? []) {
    const text = valueFrom === undefined ? expand(value ?? '', env) : fieldOf(start, valueFrom);
    if (text !== undefined) env.set(name, text);
  }
  const { command = [], args = [] } = start.container;
  return { env, args: [...command, ...args].map((one) => expand(one, env)) };
}

/** `$(NAME)` becomes the value of what is known, `$$` becomes `$`. */
function expand(text: string, env: ReadonlyMap<string, string>): string {
  // Behind the last bracket there is no name: what looks for one would look to the end each time.
  const end = text.lastIndexOf(')') + 1;
  const named = text
    .slice(0, end)
    .replaceAll(/\$\$|\$\(([^)]*)\)/g, (found, name: string | undefined) =>
      name === undefined ? '$' : (env.get(name) ?? found),
    );
  return named + text.slice(end).replaceAll('$$', () => '$');
}

/** What a container may know of its pod. Undefined for what workers are not given: ConfigMaps, Secrets, resources. */
function fieldOf({ pod, ip, node }: ContainerStart, { fieldRef }: corev1.EnvVarSource): string | undefined {
  const path = fieldRef?.fieldPath ?? '';
  const { name, namespace, uid } = pod.metadata;
  const known: Readonly<Record<string, string | undefined>> = {
    'metadata.name': name,
    'metadata.namespace': namespace,
    'metadata.uid': uid,
    'spec.nodeName': node,
    'spec.serviceAccountName': pod.spec.serviceAccountName,
    'status.hostIP': pod.status?.hostIP,
    'status.podIP': ip,
    'status.podIPs': ip,
  };
  return Object.hasOwn(known, path) ? known[path] : entryOf(pod.metadata, path);
}

/** `metadata.labels['KEY']`, `metadata.annotations['KEY']`. */
function entryOf(
  { labels = {}, annotations = {} }: corev1.Pod['metadata'],
  path: string,
): string | undefined {
  const [, map, key = ''] = /^metadata\.(labels|annotations)\['([^']*)'\]$/.exec(path) ?? [];
  if (map === undefined) return undefined;
  const values = map === 'labels' ? labels : annotations;
  return Object.hasOwn(values, key) ? values[key] : undefined;
}
