/** The programs that suites start from `KUBEBUILDER_ASSETS`, and that this command line stands in for. */
export const BINARY_NAMES = ['etcd', 'kube-apiserver'] as const;

export type BinaryName = (typeof BINARY_NAMES)[number];

/** The program that `kubewright envtest NAME …` runs; undefined where the command line is another one. */
export function binaryNameOf([command, name]: readonly string[]): BinaryName | undefined {
  return command === 'envtest' ? BINARY_NAMES.find((known) => known === name) : undefined;
}
