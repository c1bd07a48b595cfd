import { compareText, type KubeObject, type Stored, parseTime } from '@kubewright/kube';

/**
 * The name of the newest of the classes that one of `annotations` marks as default; the first by name
 * where they are of one second.
 */
export function defaultClass(classes: Iterable<Stored>, annotations: readonly string[]): string | undefined {
  const age = ({ metadata }: KubeObject): number => parseTime(metadata.creationTimestamp ?? '').getTime();
  const [first] = [...classes]
    .filter(({ metadata }) => annotations.some((key) => metadata.annotations?.[key] === 'true'))
    .sort((a, b) => age(b) - age(a) || compareText(a.metadata.name, b.metadata.name));
  return first?.metadata.name;
}
