import { compareText, parseTime, type storagev1, type Stored } from '@kubewright/kube';

const MARKS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** The newest of the classes that are marked as the default; by name where they are of one second. */
export function defaultClass(
  classes: readonly Stored<storagev1.StorageClass>[],
): Stored<storagev1.StorageClass> | undefined {
  const born = ({ metadata }: Stored<storagev1.StorageClass>): number =>
    parseTime(metadata.creationTimestamp ?? '').getTime();
  const name = ({ metadata }: Stored<storagev1.StorageClass>): string => metadata.name;
  return classes
    .filter(({ metadata }) => MARKS.some((mark) => metadata.annotations?.[mark] === 'true'))
    .sort((a, b) => born(b) - born(a) || compareText(name(a), name(b)))[0];
}
